import { readAll, type Store } from 'durable-xstate-sql'
import { listColumns, type PersistedSnapshot, type RowOf, readContext, toPlaceholders } from 'durable-xstate-sql/sql'
import type { AnyEventObject } from 'xstate'
import { maxHeldMs } from '../../../machines/delivery.ts'
import { columnsOf } from '../../database/schema.ts'
import type { InspectedActor, InspectedStep } from './inspected.ts'

const deliveryColumns = columnsOf('deliveries', 'id', 'version', 'status', 'snapshot', 'occurred_at')
const columns = { ...deliveryColumns, attempted_at: 'instant?' } as const

interface DeliveryContext {
  readonly attempt: number
  readonly retry_delay_ms: number
}

const outcomes: Readonly<Record<string, string>> = {
  DELIVERED: 'delivered',
  GONE: 'gone',
  BACKING_OFF: 'failed',
  DELAYED: 'failed',
  EXHAUSTED: 'failed',
}

/** A delivery keeps no journal, but each of its states is entered by one kind of event. */
function findLastEvent(
  { version, status }: RowOf<typeof columns>,
  { attempt, retry_delay_ms }: DeliveryContext,
): AnyEventObject {
  if (version === 1) return { type: 'CREATE' }
  const outcome = outcomes[status]
  if (outcome !== undefined) return { type: 'xstate.done.actor.attempt', output: { outcome } }
  if (status === 'PENDING') return { type: 'REDELIVER' }
  if (attempt === 1) return { type: 'TURN' }
  return { type: `xstate.after.RETRY.delivery.${retry_delay_ms > maxHeldMs ? 'delayed' : 'backing_off'}` }
}

function toStep(actor: InspectedActor, row: RowOf<typeof columns>, isFirst: boolean): InspectedStep {
  const snapshot = JSON.parse(row.snapshot) as PersistedSnapshot
  const context = readContext<DeliveryContext>(snapshot)
  return {
    type: 'step',
    actor,
    sequence: row.version,
    isFirst,
    event: JSON.stringify(findLastEvent(row, context)),
    occurred_at: row.version === 1 ? row.occurred_at : (row.attempted_at ?? row.occurred_at),
    step: { snapshot, context, status: row.status, done: false, effects: [] },
  }
}

/** A delivery whose row has changed. */
export interface ChangedDelivery {
  readonly actor: InspectedActor
  /** Whether nothing of it was read before. */
  readonly isFirst: boolean
}

/** Deliveries that are read at once. */
const deliveriesAtOnce = 500

/** The state that each of these deliveries is in, as a step. */
export async function readDeliverySteps(
  store: Store,
  changed: readonly ChangedDelivery[],
): Promise<readonly InspectedStep[]> {
  const steps: InspectedStep[] = []
  for (let from = 0; from < changed.length; from += deliveriesAtOnce) {
    const some = new Map(changed.slice(from, from + deliveriesAtOnce).map(one => [one.actor.id, one]))
    const values = [...some.keys()]
    const sql = `SELECT ${listColumns(deliveryColumns, 'd')},
        (SELECT MAX(a.started_at + a.duration_ms) FROM delivery_attempts a WHERE a.delivery_id = d.id) AS attempted_at
      FROM deliveries d WHERE d.id IN (${toPlaceholders(values)}) ORDER BY d.id`
    for (const row of await readAll(store, { sql, values, columns })) {
      const one = some.get(row.id)
      if (one !== undefined) steps.push(toStep(one.actor, row, one.isFirst))
    }
  }
  return steps
}
