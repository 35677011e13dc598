import type { TransactionInput } from '../../../../machines/transaction.ts'
import type { Clock } from '../../../../src/base/clock.ts'
import { newId } from '../../../../src/base/ids.ts'
import type { TransactionDefinition } from '../../../../src/verification/transactions/actor.ts'
import { createTransactionDefinition } from '../../../../src/verification/transactions/definition.ts'
import { createDeliveries, type DeliveryDefinition } from '../../../../src/webhooks/delivery.ts'
import { documentInput } from '../../../../test/machines/events.ts'
import type { ActorDefinition, ActorTypes, AnyActorDefinition } from '../../actors/definition.ts'
import { createHost, type Host } from '../../actors/host.ts'
import type { Row } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'

export const account_id = newId()

/** The delivery schedule of the tests, in milliseconds. */
export const schedule_ms = [0, 5_000, 30_000]

/** The host with the service's definitions, on one store and one clock. */
export interface OpenCharts {
  readonly host: Host
  readonly transaction: TransactionDefinition
  readonly delivery: DeliveryDefinition
}

export function openCharts(store: Store, clock: Clock): OpenCharts {
  const host = createHost(store, clock)
  const deliveries = createDeliveries(host, schedule_ms)
  return { host, transaction: createTransactionDefinition(host.dialect, deliveries), delivery: deliveries.definition }
}

/** The definition as one whose chart may accept anything: for events that the types of the host would reject. */
export function untyped(kind: AnyActorDefinition): ActorDefinition<ActorTypes> {
  return kind as ActorDefinition<ActorTypes>
}

/** A new transaction whose integrator is notified of every status, or of none. */
export function newTransaction(input: TransactionInput = documentInput, isNotified = true, of = account_id) {
  const webhook = isNotified ? { url: 'https://receiver.example/hook', events: null } : null
  const id = newId()
  return {
    id,
    account_id: of,
    input,
    columns: {
      customer_id: newId(),
      transaction_type: input.transaction_type,
      config: JSON.stringify({ webhook, test: null }),
      expected_data: null,
      token_hash: id,
      expires_at: 0,
    },
  }
}

/** A new delivery of a transaction of its own. */
export function newDelivery(input: { schedule_ms: readonly number[]; has_turn: boolean }) {
  return {
    id: newId(),
    account_id,
    input,
    columns: {
      transaction_id: newId(),
      sequence: 1,
      event_id: newId(),
      notified_status: 'INITIATED' as const,
      occurred_at: 0,
      origin_id: null,
    },
  }
}

export async function rowOf(store: Store, table: string, id: string): Promise<Row> {
  const [row] = await store.read({ sql: `SELECT * FROM ${table} WHERE id = ?`, values: [id] })
  if (row === undefined) throw new Error(`${table}: no ${id}`)
  return row
}

/** A job that a row of an actor holds, as the row of its own that it would have. */
export function toJobRow({ held_job, held_until }: Row): Row {
  return { ...JSON.parse(String(held_job)), ready_at: held_until }
}

/** Timers and jobs of an actor, in rows of their own or in its row. */
export async function readScheduledJobs(store: Store, actor_id: string): Promise<readonly Row[]> {
  const held = ['transactions', 'deliveries'].map(
    table => `SELECT held_job, held_until FROM ${table} WHERE id = ? AND held_job IS NOT NULL`,
  )
  const [rows, holding] = await Promise.all([
    store.read({ sql: 'SELECT * FROM scheduled_jobs WHERE actor_id = ? ORDER BY name', values: [actor_id] }),
    store.read({ sql: held.join(' UNION ALL '), values: [actor_id, actor_id] }),
  ])
  return [...holding.map(toJobRow), ...rows]
}

export function journalOf(store: Store, actor_id: string): Promise<readonly Row[]> {
  return store.read({ sql: 'SELECT * FROM journal WHERE actor_id = ? ORDER BY sequence', values: [actor_id] })
}

export function deliveriesOf(store: Store, transaction_id: string): Promise<readonly Row[]> {
  return store.read({
    sql: 'SELECT * FROM deliveries WHERE transaction_id = ? ORDER BY sequence',
    values: [transaction_id],
  })
}
