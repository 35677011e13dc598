import { deliveryChartVersion, deliveryMachine } from '../../machines/delivery.ts'
import { newId } from '../base/ids.ts'
import type { Host } from '../host/host.ts'
import type { ActionContext, ActorKind } from '../host/kind.ts'
import { number, type Row, run, runLater, type Statement, text, type Unit } from '../store/statement.ts'
import { originId } from './origins.ts'

/** The deliveries of one node: an actor for each status that a transaction's integrator is told. */
export interface Deliveries {
  readonly kind: ActorKind
  /** Adds the delivery of `status` to `url` to the commit of the transaction that reached it. */
  queue(context: ActionContext, told: ToldStatus): Unit<void>
}

/** A status, and where it is told. */
export interface ToldStatus {
  readonly status: string
  readonly url: string
}

/** The deliveries of a transaction, in the order in which they are told: one for each status, so a handful. */
function* deliveriesOf(transaction_id: string): Unit<readonly Row[]> {
  const sql = 'SELECT id, sequence, status FROM deliveries WHERE transaction_id = ? ORDER BY sequence'
  return (yield* run({ sql, values: [transaction_id] })).rows
}

/** What changes a transaction's row for something of its deliveries that another commit must not miss. */
export const countTurn = (transaction_id: string): Statement => ({
  sql: 'UPDATE transactions SET turns = COALESCE(turns, 0) + 1 WHERE id = ?',
  values: [transaction_id],
})

const isUnderWay = (delivery: Row): boolean => ['ATTEMPTING', 'BACKING_OFF'].includes(text(delivery, 'status'))
const isWaiting = (delivery: Row): boolean => delivery.status === 'PENDING'

/**
 * decisions.md, "Webhooks": one delivery in flight per transaction, in order. Who adds a delivery, and who gives the
 * turn on, both change the transaction's row before they look at its deliveries: a new status by being one, an ended or
 * repeated delivery by counting. So one of two that meet waits for the other, or, where locks are local to a node
 * (Galera), fails at the commit's certification and looks again.
 */
export const createDeliveries = (host: Host, schedule_ms: readonly number[]): Deliveries => {
  function* giveTurn({ row }: ActionContext): Unit<void> {
    const transaction_id = text(row, 'transaction_id')
    yield* runLater([countTurn(transaction_id)])
    const deliveries = yield* deliveriesOf(transaction_id)
    const next = deliveries.find(isWaiting)
    if (next !== undefined && !deliveries.some(isUnderWay))
      yield* host.tellWithin(kind, text(next, 'id'), { type: 'TURN' })
  }
  const kind: ActorKind = {
    name: 'delivery',
    table: 'deliveries',
    charts: { [deliveryChartVersion]: deliveryMachine },
    current: deliveryChartVersion,
    // Each can be redelivered.
    ended: [],
    reads: ['transaction_id', 'origin_id'],
    lane: 'origin_id',
    actions: { giveTurn },
    onStatus: () => ({}),
  }
  return {
    kind,
    *queue({ actor_id: transaction_id, account_id, now, clock_offset_ms }, { status: told_status, url }) {
      const deliveries = yield* deliveriesOf(transaction_id)
      const last = deliveries.at(-1)
      yield* host.createWithin(kind, {
        id: newId(),
        account_id,
        clock_offset_ms,
        input: { schedule_ms, has_turn: !deliveries.some(one => isUnderWay(one) || isWaiting(one)) },
        columns: {
          transaction_id,
          sequence: last === undefined ? 1 : number(last, 'sequence') + 1,
          event_id: newId(),
          told_status,
          occurred_at: now,
          origin_id: originId(account_id, url),
        },
      })
    },
  }
}
