import type { App, Snapshot } from './app.ts'

/**
 * The browser's back button goes one step back inside the page, as the page's own does, while there is a step. For that
 * an entry of history lies above the page's own. Browsers skip entries that a page adds without a tap, so after a way back
 * the next one waits for a tap.
 */
export function openPast(read: () => Snapshot, send: App['send']) {
  let isAdded = history.state?.attestor_step === true
  let isTapped = true
  const add = (snapshot: Snapshot): void => {
    if (isAdded || !isTapped || !snapshot.can({ type: 'BACK' })) return
    history.pushState({ attestor_step: true }, '')
    isAdded = true
  }
  addEventListener('popstate', ({ state }) => {
    isAdded = state?.attestor_step === true
    isTapped = isAdded
    if (!isAdded) send({ type: 'BACK' })
  })
  addEventListener(
    'click',
    () => {
      isTapped = true
      add(read())
    },
    { capture: true },
  )
  return { follow: add }
}
