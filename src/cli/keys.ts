import { type Command, InvalidArgumentError } from 'commander'
import { isoTimestamp, toTimestamp } from '../base/clock.ts'
import { readKeys } from '../identity/keys/signing_keys.ts'
import { maxNoticeMs, publishedBeforeMs, readKeyStates, rotateWebhookKeys } from '../identity/keys/webhook_keys.ts'
import { commandLine, createAuditRecord } from '../identity/operators/audit.ts'
import type { Shell } from './command.ts'

const hourMs = 3600 * 1000
const maxNoticeHours = maxNoticeMs / hourMs

function parseHours(value: string): number {
  const hours = value === '' ? Number.NaN : Number(value)
  if (hours >= 0 && hours <= maxNoticeHours) return hours
  throw new InvalidArgumentError(`It must be a number of hours from 0 to ${maxNoticeHours}.`)
}

export function addKeyCommands(program: Command, { print, printDone, withDatabase }: Shell): void {
  const keys = program.command('keys').description('rotate and list the keys that sign webhooks')
  keys
    .command('rotate')
    .description('create the next webhook key; it is published at once and signs later')
    .option('--in <hours>', 'hours until it signs; two minutes at least', parseHours, publishedBeforeMs / hourMs)
    .option('--json', 'print JSON')
    .action((options: { in: number; json?: true }) =>
      withDatabase(async context => {
        const record = createAuditRecord(context, commandLine, (id: string) => ({
          action: 'key_rotated',
          subject: { type: 'key', id },
        }))
        const rotation = { ...context, algorithm: context.config.WEBHOOK_ALGORITHM }
        const { kid, alg, active_at } = await rotateWebhookKeys(rotation, options.in * hourMs, record)
        const next = { kid, alg, active_at: isoTimestamp(active_at) }
        const sentence = `The next key ${kid} (${alg}) is published, and signs from ${next.active_at}.`
        print(options.json === true ? JSON.stringify(next) : sentence)
      }),
    )
  keys
    .command('list')
    .description('list the webhook keys: active, next, retired (still published), withdrawn')
    .option('--json', 'print JSON, a line each')
    .action((options: { json?: true }) =>
      withDatabase(async ({ store, clock, serviceKeys }) => {
        for (const { key, state } of readKeyStates(await readKeys(store, serviceKeys, 'webhook'), clock.now())) {
          const until = key.retired_at === null ? '' : `  until ${isoTimestamp(key.retired_at)}`
          const { kid, alg } = key
          const active_at = isoTimestamp(key.active_at)
          const retired_at = toTimestamp(key.retired_at)
          const line = `${kid}  ${alg}  ${state}  from ${active_at}${until}`
          printDone(options, line, { kid, alg, state, active_at, retired_at })
        }
      }),
    )
}
