import { heading } from '../app.ts'
import type { Branding } from '../branding.ts'
import { byId, el } from '../dom.ts'
import { openSpeech } from '../speech.ts'

/** A wallet has opened a tab of its own: says that the one where the person began goes on. */
export async function showReturned(branding: Branding): Promise<void> {
  const speech = await openSpeech(branding)
  const show = (): void => {
    const title = speech.say('wallet_returned.title')
    document.title = `${title} – ${branding.name}`
    const main = byId('main')
    main.className = 'wallet_returned'
    main.replaceChildren(heading(title), el('p', {}, speech.say('wallet_returned.text')))
  }
  speech.onChange = show
  show()
}
