import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { makeBackup } from '../node/backup/backup.ts'
import { inMegabytes, type Manifest, manifestFile } from '../node/backup/manifest.ts'
import { type Restored, restoreBackup } from '../node/backup/restore.ts'
import { finishUpgrade } from '../node/chart_versions.ts'
import { migrateDatabase } from '../node/open_database.ts'
import type { Shell } from './command.ts'
import { withProgress } from './progress.ts'

export function addMigrateCommand(program: Command, { log, printDone, readConfig, withDatabase }: Shell): void {
  program
    .command('migrate')
    .description('create the database if there is none, and bring its schema up to this build')
    .option('--finish', 'let new transactions have this build’s charts: when every node runs it')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true; finish?: true }) => {
      const names = await migrateDatabase({ config: readConfig(), log })
      if (options.finish === true) await withDatabase(({ store }) => finishUpgrade(store))
      const sentence = names.length === 0 ? 'The schema is up to date.' : `Ran ${names.join(', ')}.`
      printDone(options, sentence, { migrations: names })
    })
}

function countRows({ rows }: Manifest): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

function describe(file: string, manifest: Manifest): string {
  const keys = manifest.master_keys.join(' or ')
  return `${file}: ${inMegabytes(manifest.bytes)}, ${countRows(manifest)} rows, as of ${manifest.started_at}
${manifestFile(file)}: its digest and its rows
Encrypted with the master key ${keys}, which is in neither file: keep it elsewhere.`
}

function describeRestored({ manifest, replaced }: Restored): string {
  const { started_at, attestor } = manifest
  const aside = replaced === null ? '' : `\nThe database of before is at ${replaced}; remove it when all is well.`
  return `Restored ${countRows(manifest)} rows of ${started_at}, written by version ${attestor}.${aside}
Before the nodes start:
- Run \`attestor migrate\` if this version is newer.
- What was acknowledged after ${started_at} is gone. Tell your integrators.
- Customers who were erased since then are there again. Erase them again: \`attestor customer erase CUSTOMER_ID\`.
When the nodes start, timers that became due meanwhile fire, and pending deliveries are sent again.`
}

export function addBackupCommands(program: Command, { print, readConfig, stderr, withDatabase }: Shell): void {
  program
    .command('backup')
    .description('write the database to a file while nodes run, check it, and write a manifest beside it')
    .argument('<file>', 'the new file')
    .option('--json', 'print the manifest')
    .action((path: string, { json }: { json?: true }) =>
      withDatabase(async ({ store, clock, config }) => {
        const file = resolve(path)
        const manifest = await withProgress(stderr, onProgress =>
          makeBackup({ config, store, clock, file, onProgress }),
        )
        print(json === true ? JSON.stringify({ file, ...manifest }) : describe(file, manifest))
      }),
    )
  program
    .command('restore')
    .description('put a backup in the place of the database, while no node runs')
    .argument('<file>', 'a file that `attestor backup` wrote')
    .option('--replace', 'even where there is a database already')
    .option('--json', 'print the manifest, and where the database of before is')
    .action(async (path: string, { json, replace = false }: { json?: true; replace?: boolean }) => {
      const options = { config: readConfig(), clock: systemClock, file: resolve(path), replace }
      const restored = await withProgress(stderr, onProgress => restoreBackup({ ...options, onProgress }))
      const { manifest, replaced } = restored
      print(json === true ? JSON.stringify({ ...manifest, replaced }) : describeRestored(restored))
    })
}
