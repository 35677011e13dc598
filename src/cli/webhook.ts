import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { parseId } from '../base/ids.ts'
import { openCustomerKey } from '../customers/customer_key.ts'
import { createHost } from '../durable/actors/host.ts'
import { columnsOf } from '../durable/store/columns.ts'
import { run } from '../durable/store/statement.ts'
import { readFirst } from '../durable/store/store.ts'
import { customerKeyIn } from '../transactions/rows.ts'
import { type DeliveryDeps, redeliver, tryRedeliver } from '../webhooks/deliveries.ts'
import { createDeliveries } from '../webhooks/delivery.ts'
import { type DeliveryFilter, delivery_states, findDeliveries } from '../webhooks/delivery_list.ts'
import { originOf, pausedOrigins, resumed } from '../webhooks/origins.ts'
import { type Call, type Command, type Opened, say, UsageError, withDatabase } from './command.ts'

const word = ({ values }: Call, name: string): string | null => {
  const value = values[name]
  return typeof value === 'string' ? value : null
}

const id = (call: Call, name: string): string | null => {
  const given = word(call, name)
  const parsed = given === null ? null : parseId(given)
  if (given !== null && parsed === null) throw new UsageError(`webhook: --${name} must be an id`)
  return parsed
}

/** With its zone: whoever is down at night must not be asked which clock was meant. */
const spelled = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

const instant = (call: Call, name: string): number | null => {
  const given = word(call, name)
  if (given === null) return null
  // A day that its month lacks would be read as one of the next.
  const is_day = Number(given.slice(8, 10)) === new Date(given.slice(0, 10)).getUTCDate()
  const at = spelled.test(given) && is_day ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`webhook: --${name} must be an instant such as 2026-11-21T08:00:00Z`)
  return at
}

const state = (call: Call, fallback: string | null): string | null => {
  const given = word(call, 'status') ?? fallback
  if (given !== null && !delivery_states.some(state => state === given))
    throw new UsageError(`webhook: --status must be of ${delivery_states.join(', ')}`)
  return given
}

const filterOf = (call: Call, fallback: string | null): DeliveryFilter => {
  const [from, to] = [instant(call, 'from'), instant(call, 'to')]
  if (from !== null && to !== null && from >= to) throw new UsageError('webhook: --from must be before --to')
  return { transaction_id: id(call, 'transaction'), state: state(call, fallback), from, to }
}

const roomOf = ({ store, clock, master }: Opened, schedule_ms: readonly number[]): DeliveryDeps => {
  const host = createHost(store, clock)
  const customerKey = (customer_id: string, key: Uint8Array) => openCustomerKey(master, customer_id, key)
  const { kind } = createDeliveries(host, schedule_ms)
  return { store, host, kind, customerKey: row => customerKeyIn({ customerKey }, row) }
}

const filters = {
  transaction: { type: 'string' },
  status: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
} as const

/** `attestor webhook list`. */
export const webhookList: Command = {
  name: 'webhook list',
  takes: '[--transaction ID] [--status STATUS] [--from T] [--to T]',
  means: 'deliveries, a line each as JSON',
  options: filters,
  run: async call => {
    const filter = filterOf(call, null)
    await withDatabase(call.config, async ({ store }) => {
      for await (const line of findDeliveries(store, filter)) say(JSON.stringify(line))
    })
  },
}

/** One that can't be repeated now is told of and passed by: the others are still meant. */
const repeat = async (deps: DeliveryDeps, delivery_id: string, transaction_id: string): Promise<boolean> => {
  const refused = await tryRedeliver(deps, { account_id: null, transaction_id, delivery_id })
  if (refused !== null) process.stderr.write(`${delivery_id}: ${refused.message}\n`)
  return refused === null
}

const repeatOne = async (deps: DeliveryDeps, delivery_id: string): Promise<number> => {
  const sql = 'SELECT transaction_id FROM deliveries WHERE id = ?'
  const row = await readFirst(deps.store, {
    sql,
    values: [delivery_id],
    columns: columnsOf('deliveries', 'transaction_id'),
  })
  if (row === null) throw new ApiError('not_found', 'delivery: not found')
  await redeliver(deps, { account_id: null, transaction_id: row.transaction_id, delivery_id })
  return 1
}

/** What is to be repeated: one delivery, or all that a filter names; never all there are. @throws {UsageError} */
const namedBy = (call: Call, filter: DeliveryFilter): string | null => {
  const [delivery_id = null] = call.words
  if (delivery_id === null && filter.transaction_id === null && filter.from === null)
    throw new UsageError('webhook redeliver: name a delivery, --transaction or --from')
  if (delivery_id !== null && Object.keys(call.values).length > 0)
    throw new UsageError('webhook redeliver: a delivery is named alone')
  const parsed = delivery_id === null ? null : parseId(delivery_id)
  if (delivery_id !== null && parsed === null) throw new UsageError('webhook redeliver: that is no id')
  return parsed
}

/** `attestor webhook redeliver`. */
export const webhookRedeliver: Command = {
  name: 'webhook redeliver',
  takes: 'ID | (--transaction ID | --from T [--to T]) [--status STATUS]',
  means: 'make deliveries again: one, or those that are EXHAUSTED (or as named)',
  options: filters,
  most_words: 1,
  run: async call => {
    const filter = filterOf(call, 'EXHAUSTED')
    const delivery_id = namedBy(call, filter)
    await withDatabase(call.config, async opened => {
      const deps = roomOf(opened, call.config.WEBHOOK_SCHEDULE_SECONDS)
      let repeated = delivery_id === null ? 0 : await repeatOne(deps, delivery_id)
      if (delivery_id === null)
        for await (const found of findDeliveries(deps.store, filter))
          repeated += (await repeat(deps, found.delivery_id, found.transaction_id)) ? 1 : 0
      say(`${repeated} redelivered`)
    })
  },
}

const told = (at: number | null): string | null => (at === null ? null : isoTimestamp(at))

/** `attestor webhook paused`. */
export const webhookPaused: Command = {
  name: 'webhook paused',
  takes: '',
  means: 'origins that are paused, a line each as JSON',
  options: {},
  run: async ({ config }) => {
    await withDatabase(config, async ({ store }) => {
      for (const { account_id, origin, failing_since, paused_at } of await pausedOrigins(store))
        say(JSON.stringify({ account_id, origin, failing_since: told(failing_since), paused_at: told(paused_at) }))
    })
  },
}

/** `attestor webhook resume`. */
export const webhookResume: Command = {
  name: 'webhook resume',
  takes: 'ORIGIN [--account ID]',
  means: 'try a paused origin (scheme://host:port) again',
  options: { account: { type: 'string' } },
  most_words: 1,
  run: async call => {
    const account_id = id(call, 'account')
    const [origin] = call.words
    if (origin === undefined) throw new UsageError('webhook resume: an origin is required')
    await withDatabase(call.config, async ({ store }) => {
      const named = URL.canParse(origin) ? originOf(origin) : origin
      const paused = (await pausedOrigins(store, named)).filter(
        one => account_id === null || one.account_id === account_id,
      )
      if (paused.length === 0) throw new ApiError('not_found', 'origin: none of that name is paused')
      for (const one of paused) await store.commit(() => run(resumed(one.id)))
      say(`${paused.length} resumed`)
    })
  },
}
