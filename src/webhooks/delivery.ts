import { deliveryChartVersion, deliveryMachine } from '../../machines/delivery.ts'
import { newId } from '../base/ids.ts'
import type { Host } from '../host/host.ts'
import type { ActionContext, ActorKind } from '../host/kind.ts'
import { first, number, run, text, type Unit } from '../store/statement.ts'
import type { Store } from '../store/store.ts'

/** Statuses in which a delivery still wants to be made; its successor waits. */
const openStatuses = ['PENDING', 'ATTEMPTING', 'BACKING_OFF']

/** The deliveries of one node: an actor for each status that a transaction's integrator is told. */
export interface Deliveries {
  readonly kind: ActorKind
  /** Adds the delivery of `status` to the commit of the transaction that reached it. */
  queue(context: ActionContext, status: string): Unit<void>
}

/**
 * decisions.md, "Webhooks": one delivery in flight per transaction, in order. A new one looks at the one before it
 * under that row's lock; one that ends gives its turn to the next in the same commit.
 */
export const createDeliveries = (store: Store, host: Host, schedule_ms: readonly number[]): Deliveries => {
  function* releaseNext({ row }: ActionContext): Unit<void> {
    const next = yield* first({
      sql: 'SELECT id FROM deliveries WHERE transaction_id = ? AND sequence = ?',
      values: [text(row, 'transaction_id'), number(row, 'sequence') + 1],
    })
    if (next !== null) yield* host.tellWithin(kind, text(next, 'id'), { type: 'TURN' })
  }
  const kind: ActorKind = {
    name: 'delivery',
    table: 'deliveries',
    charts: { [deliveryChartVersion]: deliveryMachine },
    current: deliveryChartVersion,
    // Each can be redelivered.
    ended: [],
    reads: ['transaction_id', 'sequence'],
    actions: { releaseNext },
    onStatus: () => ({}),
  }
  return {
    kind,
    *queue({ actor_id: transaction_id, account_id, now, clock_offset_ms }, told_status) {
      const last = `SELECT sequence, status FROM deliveries WHERE transaction_id = ? ORDER BY sequence DESC LIMIT 1`
      const { rows } = yield* run({ sql: last + store.dialect.lock, values: [transaction_id] })
      const before = rows[0]
      yield* host.createWithin(kind, {
        id: newId(),
        account_id,
        clock_offset_ms,
        input: { schedule_ms, has_turn: before === undefined || !openStatuses.includes(text(before, 'status')) },
        columns: {
          transaction_id,
          sequence: before === undefined ? 1 : number(before, 'sequence') + 1,
          event_id: newId(),
          told_status,
          occurred_at: now,
        },
      })
    },
  }
}
