import { get } from '../api.ts'
import { renew } from '../dom.ts'
import { listen } from '../live.ts'
import type { ScreenContext } from '../screen.ts'
import type { LiveStep, TransactionRecord } from '../shapes.ts'
import { throttle } from './throttle.ts'

export interface Follower {
  /** Called for a step of the transaction that is newer than the shown one. */
  readonly onStep: (step: LiveStep) => void
  /** The transaction as it is now. */
  readonly onRecord: (record: TransactionRecord) => void
}

/** Loads a transaction, and again after each step of its own or of its deliveries. */
export async function followTransaction(
  id: string,
  { signal }: ScreenContext,
  { onStep, onRecord }: Follower,
): Promise<() => void> {
  let version = 0
  const load = async (): Promise<void> => {
    const record = await get<TransactionRecord>(`/transaction/${id}`, {}, signal)
    version = Math.max(version, record.version)
    onRecord(record)
  }
  const reload = throttle(load, signal)
  await load()
  listen(
    {
      ids: () => [id],
      onStep(step) {
        if (step.transaction_id !== id) return
        if (step.actor_type === 'transaction' && step.sequence <= version) return
        if (step.actor_type === 'transaction') {
          version = step.sequence
          onStep(step)
        }
        reload()
      },
      onMissed: reload,
    },
    signal,
  )
  return reload
}

/** An element whose content is made only when its data has changed, and stays where it is the same. */
export function slot<T>(element: HTMLElement, make: (data: T) => Node): (data: T) => void {
  let shown = ''
  return data => {
    const wanted = JSON.stringify(data)
    if (wanted === shown) return
    shown = wanted
    const open = [...element.querySelectorAll<HTMLElement>('details[open][data-id]')].map(({ dataset }) => dataset.id)
    const made = document.createDocumentFragment()
    made.append(make(data))
    for (const details of made.querySelectorAll<HTMLDetailsElement>('details[data-id]'))
      if (open.includes(details.dataset.id)) details.open = true
    renew(element, ...made.childNodes)
  }
}
