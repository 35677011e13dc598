import { charts } from '../../machines/charts.ts'
import { deliveryChartVersion, type deliveryMachine } from '../../machines/delivery.ts'
import { newId } from '../base/ids.ts'
import type { ActionContext, ActorDefinition } from '../durable/actors/definition.ts'
import type { Host } from '../durable/actors/host.ts'
import { columnsOf, listOf, type RowOf } from '../durable/store/columns.ts'
import { all, runLater, type Statement, type Unit } from '../durable/store/statement.ts'
import { originId } from './origins.ts'

/** Deliveries as actors. */
export interface DeliveryActor {
  readonly chart: typeof deliveryMachine
  readonly table: 'deliveries'
  readonly reads: 'transaction_id' | 'origin_id'
  readonly note: never
}

/** The deliveries' kind. */
export type DeliveryKind = ActorDefinition<DeliveryActor>

/** The deliveries of one node: an actor for each status that a transaction's integrator is told. */
export interface Deliveries {
  readonly kind: DeliveryKind
  /** Adds the delivery of `status` to `url` to the commit of the transaction that reached it. */
  queue(context: QueueContext, told: NotifiedStatus): Unit<void>
}

/** The commit that a delivery is added to. */
type QueueContext = Pick<ActionContext, 'actor_id' | 'account_id' | 'now' | 'clock_offset_ms'>

/** A status, and where it is told. */
export interface NotifiedStatus {
  readonly status: string
  readonly url: string
}

const columns = columnsOf('deliveries', 'id', 'sequence', 'status')

/** The deliveries of a transaction, in the order in which they are told: one for each status, so a handful. */
function* deliveriesOf(transaction_id: string): Unit<readonly RowOf<typeof columns>[]> {
  const sql = `SELECT ${listOf(columns)} FROM deliveries WHERE transaction_id = ? ORDER BY sequence`
  return yield* all({ sql, values: [transaction_id], columns })
}

/** What changes a transaction's row for something of its deliveries that another commit must not miss. */
export const countTurn = (transaction_id: string): Statement => ({
  sql: 'UPDATE transactions SET turns = COALESCE(turns, 0) + 1 WHERE id = ?',
  values: [transaction_id],
})

const isUnderWay = ({ status }: { status: string }): boolean => ['ATTEMPTING', 'BACKING_OFF'].includes(status)
const isWaiting = ({ status }: { status: string }): boolean => status === 'PENDING'

/**
 * decisions.md, "Webhooks": one delivery in flight per transaction, in order. Who adds a delivery, and who gives the
 * turn on, both change the transaction's row before they look at its deliveries: a new status by being one, an ended or
 * repeated delivery by counting. So one of two that meet waits for the other, or, where locks are local to a node
 * (Galera), fails at the commit's certification and looks again.
 */
export const createDeliveries = (host: Host, schedule_ms: readonly number[]): Deliveries => {
  function* passTurnOn({ row }: ActionContext<DeliveryActor>): Unit<void> {
    const transaction_id = row.transaction_id
    yield* runLater([countTurn(transaction_id)])
    const deliveries = yield* deliveriesOf(transaction_id)
    const next = deliveries.find(isWaiting)
    if (next !== undefined && !deliveries.some(isUnderWay))
      yield* host.sendInTransaction(kind, next.id, { type: 'TURN' })
  }
  const kind: DeliveryKind = {
    name: 'delivery',
    table: 'deliveries',
    charts: charts.delivery,
    current: deliveryChartVersion,
    // Each can be redelivered.
    ended: [],
    reads: ['transaction_id', 'origin_id'],
    notes: [],
    lane: 'origin_id',
    actions: { passTurnOn },
    onStatus: () => ({}),
  }
  return {
    kind,
    *queue({ actor_id: transaction_id, account_id, now, clock_offset_ms }, { status: told_status, url }) {
      const deliveries = yield* deliveriesOf(transaction_id)
      const last = deliveries.at(-1)
      yield* host.createInTransaction(kind, {
        id: newId(),
        account_id,
        clock_offset_ms,
        input: { schedule_ms, has_turn: !deliveries.some(one => isUnderWay(one) || isWaiting(one)) },
        columns: {
          transaction_id,
          sequence: last === undefined ? 1 : last.sequence + 1,
          event_id: newId(),
          told_status,
          occurred_at: now,
          origin_id: originId(account_id, url),
        },
      })
    },
  }
}
