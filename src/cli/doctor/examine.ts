import { asError, toApiError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import { ConfigError } from '../../base/setting.ts'
import type { Config } from '../../config/settings.ts'
import type { Shell } from '../command.ts'
import { checkChains, checkDatabase } from './database.ts'
import { error, type Finding } from './finding.ts'
import { checkAuthorities, checkDisk, checkModels, checkSettings } from './machine.ts'
import { checkService } from './service.ts'

const remedies: readonly (readonly [prefix: RegExp, remedy: string])[] = [
  [/^MASTER_KEY: is not/, 'Set MASTER_KEY to the key of this database: see docs/operate/lost-master-key.md.'],
  [/^MASTER_KEY: /, 'Put the key back from its own backup: see docs/operate/lost-master-key.md.'],
  [/the schema is older|the database is empty/, 'Run attestor migrate.'],
  [/unavailable: its? /, 'Correct it on the database server, or correct DATABASE_URL: see docs/operate/databases.md.'],
  [
    /the schema is another build/,
    'Run the build that made this database, or let this one make a new database: attestor migrate.',
  ],
  [/a restore of this database was interrupted/, 'Run attestor restore again: docs/operate/backup.md.'],
  [/there is no database/, 'Run attestor migrate, or correct DATABASE_URL.'],
]

function openingFinding(thrown: unknown): Finding {
  const { message } = asError(thrown)
  const remedy = remedies.find(([pattern]) => pattern.test(message))?.[1]
  if (remedy !== undefined) return error('database', message, remedy)
  if (thrown instanceof ConfigError || toApiError(thrown) !== null)
    return error('database', message, 'Start the database, and check DATABASE_URL and the network to it.')
  return error(
    'database',
    `could not be examined: ${message}`,
    'It may be damaged, or another build’s: restore a backup.',
  )
}

async function examineDatabase({ withDatabase }: Shell, sample: number | null): Promise<readonly Finding[]> {
  try {
    return await withDatabase(async context => [
      ...(await checkDatabase(context)),
      ...(await checkChains(context, sample)),
      ...(await checkService(context)),
    ])
  } catch (thrown) {
    return [openingFinding(thrown)]
  }
}

/**
 * Examines everything. What can't be examined is a finding too. `sample`: how many entries and journals are proven, or all
 * with null.
 */
export async function examine(shell: Shell, clock: Clock, sample: number | null): Promise<readonly Finding[]> {
  let config: Config
  try {
    config = shell.readConfig()
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.message
      .split('\n')
      .map(line => error('settings', line, 'Correct it: docs/operate/settings.md lists all settings.'))
  }
  return [
    ...checkSettings(config),
    ...(await examineDatabase(shell, sample)),
    ...(await checkModels(config)),
    ...(await checkDisk(config).catch(thrown => [
      error('disk', asError(thrown).message, 'Make the folder of DATABASE_URL, or correct DATABASE_URL.'),
    ])),
    ...checkAuthorities(config, clock.now()),
  ]
}
