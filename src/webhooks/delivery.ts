import { durableCharts } from '../../machines/charts.ts'
import { deliveryChartVersion, type deliveryMachine } from '../../machines/delivery.ts'
import { newId } from '../base/ids.ts'
import { actorTable, type ColumnsOf, columnsOf } from '../database/schema.ts'
import type { ActionContext, ActorCharts, ActorDefinition } from '../durable/actors/definition.ts'
import type { Host } from '../durable/actors/host.ts'
import { listColumns, type RowOf } from '../durable/store/columns.ts'
import { runLater, type Statement, selectAll, type Unit } from '../durable/store/statement.ts'
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
  /** Adds the delivery of `status` to `url` to the commit of the transaction that reached it. */
  queue(context: QueueContext, notified: NotifiedStatus): Unit<void>
}

/** The commit that a delivery is added to. */
type QueueContext = Pick<ActionContext, 'actor_id' | 'account_id' | 'time' | 'clock_offset_ms'>

export interface NotifiedStatus {
  readonly status: string
  readonly url: string
}

const columns = columnsOf('deliveries', 'id', 'sequence', 'status')

/** The deliveries of a transaction in the order in which they are sent: at most one for each status. */
function* readDeliveries(transaction_id: string): Unit<readonly RowOf<typeof columns>[]> {
  const sql = `SELECT ${listColumns(columns)} FROM deliveries WHERE transaction_id = ? ORDER BY sequence`
  return yield* selectAll({ sql, values: [transaction_id], columns })
}

/** Changes the transaction's row, so that a concurrent commit that reads its deliveries waits or conflicts. */
export const touchTransaction = (transaction_id: string): Statement => ({
  sql: 'UPDATE transactions SET turns = COALESCE(turns, 0) + 1 WHERE id = ?',
  values: [transaction_id],
})

const isInFlight = ({ status }: { status: string }): boolean => ['ATTEMPTING', 'BACKING_OFF'].includes(status)
const isWaiting = ({ status }: { status: string }): boolean => status === 'PENDING'

const buildCharts: ActorCharts<typeof deliveryMachine> = {
  charts: durableCharts.delivery,
  currentVersion: () => deliveryChartVersion,
}

/**
 * One delivery of a transaction is in flight at a time, in order. A commit that adds a delivery, and one that ends or
 * repeats a delivery, both change the transaction's row before they read its deliveries. So two such commits never
 * overlap: one waits for the other, or, where locks are local to a node (Galera), fails its certification and runs again.
 */
export const createDeliveries = (
  host: Host,
  schedule_ms: readonly number[],
  versions: ActorCharts<typeof deliveryMachine> = buildCharts,
): Deliveries => {
  function* passTurnOn({ row }: ActionContext<DeliveryActor>): Unit<void> {
    const transaction_id = row.transaction_id
    yield* runLater([touchTransaction(transaction_id)])
    const deliveries = yield* readDeliveries(transaction_id)
    const next = deliveries.find(isWaiting)
    if (next !== undefined && !deliveries.some(isInFlight))
      yield* host.sendInTransaction(definition, next.id, { type: 'TURN' })
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
    actions: { passTurnOn },
    procedures: {},
    onStatus: () => ({}),
  }
  return {
    definition,
    *queue({ actor_id: transaction_id, account_id, time, clock_offset_ms }, { status: notified_status, url }) {
      const deliveries = yield* readDeliveries(transaction_id)
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
