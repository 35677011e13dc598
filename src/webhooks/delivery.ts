import {
  type ActionContext,
  type ActorDefinition,
  type Host,
  runLater,
  type Statement,
  selectAll,
  type Unit,
} from 'durable-xstate-sql'
import {
  type ActorCharts,
  type Dialect,
  listColumns,
  type Query,
  type RowOf,
  readRow,
  type StatementResult,
} from 'durable-xstate-sql/sql'
import { durableCharts } from '../../machines/charts.ts'
import {
  type AttemptOutput,
  type DeliveryStatus,
  deliveryChartVersion,
  type deliveryMachine,
} from '../../machines/delivery.ts'
import type { TransactionStatus } from '../../machines/transaction.ts'
import { newId } from '../base/ids.ts'
import { actorTable, type ColumnsOf, columnsOf } from '../database/schema.ts'
import { toOriginId } from './origins.ts'

export interface DeliveryActor {
  readonly chart: typeof deliveryMachine
  readonly columns: ColumnsOf<'deliveries'>
  readonly reads: 'transaction_id' | 'origin_id'
  readonly journalOnly: never
  readonly procedures: Record<never, never>
}

export type DeliveryDefinition = ActorDefinition<DeliveryActor>

/** One actor for each status that an integrator is notified of. */
export interface Deliveries {
  readonly definition: DeliveryDefinition
  /** The reads of `queue`, before the step writes: one step queues one delivery at most. */
  select(transaction_id: string): Statement
  /** Adds the delivery of `status` to `url` to the commit of the transaction that reached it. */
  queue(context: QueueContext, notified: NotifiedStatus): Unit<void>
}

/** The commit that a delivery is added to. */
type QueueContext = Pick<ActionContext, 'actor_id' | 'account_id' | 'time' | 'clock_offset_ms' | 'beside'> & {
  /** The transaction as it was. */
  readonly row: { readonly status: TransactionStatus }
}

interface NotifiedStatus {
  readonly status: TransactionStatus
  readonly url: string
}

/** The columns include those that a step of the next delivery needs. */
const columns = {
  ...columnsOf('deliveries', 'id', 'account_id', 'clock_offset_ms', 'snapshot', 'version', 'chart_version', 'status'),
  ...columnsOf('deliveries', 'held_job', 'transaction_id', 'origin_id', 'sequence'),
} as const

/** The texts are made once: making one for each step costs as much as running it. */
function deliveriesSql(transaction: string): string {
  return `SELECT ${listColumns(columns)} FROM deliveries WHERE transaction_id = ${transaction} ORDER BY sequence`
}

const ofTransactionSql = deliveriesSql('?')
const transactionOf = '(SELECT transaction_id FROM deliveries WHERE id = ?)'
const siblingsSql = deliveriesSql(transactionOf)

/** The deliveries of a transaction in the order in which they are sent: at most one for each status. */
function selectDeliveries(transaction_id: string): Query<typeof columns> {
  return { sql: ofTransactionSql, values: [transaction_id], columns }
}

/** The deliveries of a delivery's transaction, whose row is locked first. */
function selectSiblings(id: string, lock: string): readonly Statement[] {
  return [
    // SQLite's only writer needs no lock.
    ...(lock === '' ? [] : [{ sql: `SELECT id FROM transactions WHERE id = ${transactionOf}${lock}`, values: [id] }]),
    { sql: siblingsSql, values: [id] },
  ]
}

/** Returns the rows that were read beside the actor's row, or reads them now. */
function* readDeliveries(
  transaction_id: string,
  beside: readonly StatementResult[],
): Unit<readonly RowOf<typeof columns>[]> {
  const found = beside.at(-1)
  if (found === undefined) return yield* selectAll(selectDeliveries(transaction_id))
  return found.rows.map(row => readRow(columns, row))
}

/** Whether a delivery has ended, or goes on later: it passes its turn on in the same commit. */
function endsAttempt({ type, output }: { readonly type: string; readonly output?: AttemptOutput }): boolean {
  return type === 'xstate.done.actor.attempt' && output?.outcome !== 'failed'
}

/** Changes the transaction's row, so that a concurrent commit that reads its deliveries waits or conflicts. */
export function touchTransaction({ hasOneWriter }: Dialect, transaction_id: string): readonly Statement[] {
  return hasOneWriter
    ? []
    : [{ sql: 'UPDATE transactions SET turns = COALESCE(turns, 0) + 1 WHERE id = ?', values: [transaction_id] }]
}

function isInFlight({ status }: { status: DeliveryStatus }): boolean {
  return status === 'ATTEMPTING' || status === 'BACKING_OFF'
}

function isWaiting({ status }: { status: DeliveryStatus }): boolean {
  return status === 'PENDING'
}

const buildCharts: ActorCharts<typeof deliveryMachine> = {
  charts: durableCharts.delivery,
  currentVersion: () => deliveryChartVersion,
}

/**
 * One delivery of a transaction is in flight at a time, in order. A commit that adds a delivery, and one that ends or
 * repeats a delivery, both lock the transaction's row before they read its deliveries, and change it. So two such commits never
 * overlap: one waits for the other, or, where locks are local to a node (Galera), fails its certification and runs again.
 */
export function createDeliveries(
  host: Host,
  schedule_ms: readonly number[],
  versions: ActorCharts<typeof deliveryMachine> = buildCharts,
): Deliveries {
  function* passTurnOn({ actor_id, row, beside }: ActionContext<DeliveryActor>): Unit<void> {
    const transaction_id = row.transaction_id
    yield* runLater(touchTransaction(host.dialect, transaction_id))
    const all = yield* readDeliveries(transaction_id, beside)
    // Rows that were read before the step show this delivery as still in flight.
    const deliveries = beside.length === 0 ? all : all.filter(({ id }) => id !== actor_id)
    const next = deliveries.find(isWaiting)
    if (next !== undefined && !deliveries.some(isInFlight))
      yield* host.sendInTransaction(definition, next.id, { type: 'TURN' }, { known: next })
  }
  const definition: DeliveryDefinition = {
    name: 'delivery',
    table: actorTable('deliveries'),
    charts: versions.charts,
    get currentVersion() {
      return versions.currentVersion()
    },
    // Every delivery can be redelivered.
    terminalStatuses: [],
    reads: ['transaction_id', 'origin_id'],
    journalOnly: [],
    lane: 'origin_id',
    repeatsSteps: true,
    actions: { passTurnOn },
    readsBeside: (id, event, lock) => (endsAttempt(event) ? selectSiblings(id, lock) : []),
    procedures: {},
    onStatus: () => ({}),
  }
  return {
    definition,
    select: selectDeliveries,
    *queue(
      { actor_id: transaction_id, account_id, time, clock_offset_ms, row, beside },
      { status: notified_status, url },
    ) {
      // No one is notified of CREATED.
      const deliveries = row.status === 'CREATED' ? [] : yield* readDeliveries(transaction_id, beside)
      const last = deliveries.at(-1)
      yield* host.createInTransaction(definition, {
        id: newId(),
        account_id,
        clock_offset_ms,
        input: { schedule_ms, has_turn: !deliveries.some(one => isInFlight(one) || isWaiting(one)) },
        columns: {
          transaction_id,
          sequence: last === undefined ? 1 : last.sequence + 1,
          event_id: newId(),
          notified_status,
          occurred_at: time.actor,
          origin_id: toOriginId(account_id, url),
        },
      })
    },
  }
}
