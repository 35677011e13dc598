import { ApiProblem } from '../api.ts'
import { el, fill } from '../dom.ts'
import { announce } from './announce.ts'
import { button } from './form.ts'

/** Time for an undo, in milliseconds. */
const undoMs = 10_000

interface Step {
  /** Names the action that is about to run, as "Approve 01a2b3". */
  readonly text: string
  readonly act: () => Promise<unknown>
  /** Announced once it is done. */
  readonly done: string
  /** Called where the person takes it back, or where the service refused it: then with the reason. */
  readonly onUndo: (failure: string | null) => void
}

let finishNow: (() => Promise<void>) | null = null

/** Runs waiting actions at once, before somebody logs out or closes the page. */
export async function finishPending(): Promise<void> {
  await finishNow?.()
}

/** Does something after ten seconds in which a button takes it back. What waits already is done first. */
export function actWithUndo({ text, act, done, onUndo }: Step): void {
  void finishPending()
  const close = (): void => {
    clearTimeout(timer)
    bar.remove()
    removeEventListener('pagehide', finish)
    if (finishNow === finish) finishNow = null
  }
  const finish = async (): Promise<void> => {
    close()
    await act().then(
      () => announce(done),
      (error: unknown) => {
        if (!(error instanceof ApiProblem)) throw error
        onUndo(error.message)
      },
    )
  }
  const undo = (): void => {
    close()
    onUndo(null)
  }
  const bar = el('div', { class: 'undo', role: 'status' })
  document.body.append(bar)
  fill(bar, el('span', {}, text), button('Undo', undo), el('span', { class: 'rest', 'aria-hidden': 'true' }))
  addEventListener('pagehide', finish)
  finishNow = finish
  const timer = setTimeout(finish, undoMs)
}
