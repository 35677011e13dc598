import { type Command, InvalidArgumentError, Option } from 'commander'
import { createHost, readAll, readFirst, run, type Store, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, listColumns } from 'durable-xstate-sql/sql'
import type { DeliveryStatus } from '../../machines/delivery.ts'
import { deliveryStates } from '../../machines/words.ts'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp, toTimestamp } from '../base/clock.ts'
import { deriveRowKey } from '../database/row_mac.ts'
import { columnsOf } from '../database/schema.ts'
import { openCustomerKey } from '../identity/customers/customer_key.ts'
import { commandLine, createAuditRecord } from '../identity/operators/audit.ts'
import { findDataKey } from '../verification/transactions/rows.ts'
import { type DeliveryDeps, redeliver, tryRedeliver } from '../webhooks/deliveries.ts'
import { createDeliveries } from '../webhooks/delivery.ts'
import { type DeliveryFilter, findDeliveries } from '../webhooks/delivery_list.ts'
import { readPausedOrigins, resumeOrigin, toOrigin } from '../webhooks/origins.ts'
import { type CommandContext, parseIdArgument, type Shell } from './command.ts'

/** The zone is required, so that nobody has to guess which clock is meant. */
const instantPattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

function parseInstant(value: string): number {
  // `Date` reads February 30 as March 2.
  const dayExists = Number(value.slice(8, 10)) === new Date(value.slice(0, 10)).getUTCDate()
  const at = instantPattern.test(value) && dayExists ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be an instant such as 2026-11-21T08:00:00Z.')
  return at
}

interface FilterOptions {
  readonly transaction?: string
  readonly status?: DeliveryStatus
  readonly from?: number
  readonly to?: number
}

function addFilterOptions(command: Command): Command {
  return command
    .option('--transaction <id>', 'deliveries of this transaction', parseIdArgument)
    .addOption(new Option('--status <status>', 'deliveries with this status').choices(deliveryStates))
    .option('--from <instant>', 'deliveries created from this instant on', parseInstant)
    .option('--to <instant>', 'deliveries created before this instant', parseInstant)
}

function toFilter(options: FilterOptions, command: Command): DeliveryFilter {
  const { transaction = null, status = null, from = null, to = null } = options
  if (from !== null && to !== null && from >= to) command.error('error: --from must be before --to')
  return { transaction_id: transaction, state: status, from, to }
}

function createDeliveryDeps(context: CommandContext, schedule: readonly number[]): DeliveryDeps {
  const { store, clock, serviceKeys } = context
  const host = createHost(store, clock)
  const customerKey = (customer_id: string, key: Uint8Array) => openCustomerKey(serviceKeys, customer_id, key)
  const { definition } = createDeliveries(host, schedule)
  const rowKey = deriveRowKey(serviceKeys)
  return { store, rowKey, host, definition, customerKey: row => findDataKey({ customerKey }, row) }
}

/** An entry of the audit log for each delivery that is sent again. */
function createRedeliveryRecord(context: CommandContext, transaction_id: string, delivery_id: string): CommitRecord {
  const subject = { type: 'transaction', id: transaction_id } as const
  return createAuditRecord(context, commandLine, { action: 'delivery_redelivered', subject, details: { delivery_id } })
}

async function redeliverOne(context: CommandContext, deps: DeliveryDeps, delivery_id: string): Promise<void> {
  const row = await readFirst(deps.store, {
    sql: 'SELECT transaction_id FROM deliveries WHERE id = ?',
    values: [delivery_id],
    columns: columnsOf('deliveries', 'transaction_id'),
  })
  if (row === null) throw new ApiError('not_found', 'delivery: not found')
  const { transaction_id } = row
  const record = createRedeliveryRecord(context, transaction_id, delivery_id)
  await redeliver(deps, { account_id: null, transaction_id, delivery_id, record })
}

/** Reports a delivery that can't be redelivered now, and goes on with the others. */
async function redeliverAll(context: CommandContext, deps: DeliveryDeps, filter: DeliveryFilter): Promise<number> {
  let count = 0
  for await (const { delivery_id, transaction_id } of findDeliveries(deps.store, filter)) {
    const record = createRedeliveryRecord(context, transaction_id, delivery_id)
    const error = await tryRedeliver(deps, { account_id: null, transaction_id, delivery_id, record })
    if (error === null) count += 1
    else context.warn(`${delivery_id}: ${error.message}`)
  }
  return count
}

function addRedeliverCommand(webhook: Command, { printDone, withDatabase }: Shell): void {
  addFilterOptions(
    webhook
      .command('redeliver')
      .description('send deliveries again: one, or all that match; by default those that are EXHAUSTED')
      .argument('[delivery_id]', 'one delivery; without it, --transaction or --from is required', parseIdArgument)
      .option('--json', 'print JSON'),
  ).action(async (delivery_id: string | undefined, given: FilterOptions & { json?: true }, command: Command) => {
    const { json, ...options } = given
    const done = (redelivered: number): void =>
      printDone(json === true ? { json } : {}, `${redelivered} redelivered`, { redelivered })
    const filter = toFilter({ status: 'EXHAUSTED', ...options }, command)
    if (delivery_id === undefined && filter.transaction_id === null && filter.from === null)
      command.error('error: name a delivery, --transaction or --from')
    if (delivery_id !== undefined && Object.keys(options).length > 0)
      command.error('error: a delivery id takes no options')
    await withDatabase(async context => {
      const deps = createDeliveryDeps(context, context.config.WEBHOOK_SCHEDULE_SECONDS)
      if (delivery_id === undefined) return done(await redeliverAll(context, deps, filter))
      await redeliverOne(context, deps, delivery_id)
      done(1)
    })
  })
}

const shownColumns = columnsOf(
  'deliveries',
  ...(['id', 'transaction_id', 'event_id', 'sequence', 'notified_status', 'status'] as const),
)
const attemptColumns = columnsOf(
  'delivery_attempts',
  ...(['attempt', 'started_at', 'duration_ms', 'outcome', 'http_status', 'address', 'error'] as const),
)

async function readDelivery(store: Store, id: string): Promise<object> {
  const sql = `SELECT ${listColumns(shownColumns)} FROM deliveries WHERE id = ?`
  const row = await readFirst(store, { sql, values: [id], columns: shownColumns })
  if (row === null) throw new ApiError('not_found', 'delivery: not found')
  const { id: delivery_id, notified_status, status: state, ...rest } = row
  const attempts = await readAll(store, {
    sql: `SELECT ${listColumns(attemptColumns)} FROM delivery_attempts WHERE delivery_id = ? ORDER BY started_at`,
    values: [id],
    columns: attemptColumns,
  })
  const shown = attempts.map(attempt => ({ ...attempt, started_at: isoTimestamp(attempt.started_at) }))
  return { delivery_id, ...rest, status: notified_status, state, attempts: shown }
}

function addPauseCommands(webhook: Command, { print, printDone, withDatabase }: Shell): void {
  webhook
    .command('paused')
    .description('list the paused origins, one JSON object a line')
    .action(() =>
      withDatabase(async ({ store }) => {
        for (const { account_id, origin, failing_since, paused_at } of await readPausedOrigins(store)) {
          const times = { failing_since: toTimestamp(failing_since), paused_at: toTimestamp(paused_at) }
          print(JSON.stringify({ account_id, origin, ...times }))
        }
      }),
    )
  webhook
    .command('resume')
    .description('deliver to a paused origin again')
    .argument('<origin>', 'scheme://host:port')
    .option('--account <id>', 'for this account only', parseIdArgument)
    .option('--json', 'print JSON')
    .action((origin: string, { account, ...options }: { account?: string; json?: true }) =>
      withDatabase(async context => {
        const { store, serviceKeys } = context
        const rowKey = deriveRowKey(serviceKeys)
        const paused = await readPausedOrigins(store, URL.canParse(origin) ? toOrigin(origin) : origin)
        const chosen = paused.filter(({ account_id }) => account === undefined || account_id === account)
        if (chosen.length === 0) throw new ApiError('not_found', 'origin: no paused origin has that name')
        for (const { id, account_id, origin: name } of chosen) {
          const subject = { type: 'origin', id: name.slice(0, 255) } as const
          const record = createAuditRecord(context, commandLine, { action: 'origin_resumed', account_id, subject })
          await store.commit(function* (): Unit<void> {
            yield* run(resumeOrigin(rowKey, id))
            yield* record()
          })
        }
        printDone(options, `${chosen.length} resumed`, { resumed: chosen.length })
      }),
    )
}

export function addWebhookCommands(program: Command, shell: Shell): void {
  const { print, printJson, withDatabase } = shell
  const webhook = program.command('webhook').description('list and repeat deliveries; resume paused origins')
  addFilterOptions(webhook.command('list').description('list deliveries, one JSON object a line')).action(
    async (options: FilterOptions, command: Command) => {
      const filter = toFilter(options, command)
      await withDatabase(async ({ store }) => {
        for await (const delivery of findDeliveries(store, filter)) print(JSON.stringify(delivery))
      })
    },
  )
  webhook
    .command('show')
    .description('show a delivery with its attempts as JSON')
    .argument('<delivery_id>', 'id of the delivery', parseIdArgument)
    .action((id: string) => withDatabase(async ({ store }) => printJson(await readDelivery(store, id))))
  addRedeliverCommand(webhook, shell)
  addPauseCommands(webhook, shell)
}
