import { createActor } from 'xstate'
import { provideCapture } from './actors.ts'
import type { App, Snapshot } from './app.ts'
import { readBranding } from './branding.ts'
import { byId } from './dom.ts'
import { type Link, openLink } from './link.ts'
import { openPast } from './past.ts'
import { createScreens } from './screens.ts'
import { createService } from './service.ts'
import { openSpeech } from './speech.ts'
import { createStage } from './stage.ts'

/** A device that is mainly used with a finger can be held over a document. A laptop can't, even with a touch screen. */
function isDesktop(): boolean {
  return !matchMedia('(pointer: coarse)').matches
}

/** A site embeds the page of a transaction, to which it speaks. The general one may be framed by nobody but a demo. */
function mayBeEmbedded(): boolean {
  return window.parent !== window && !location.pathname.endsWith('/verify')
}

async function run(link: Link): Promise<void> {
  // Somebody pasted another link into this tab.
  addEventListener('hashchange', () => location.reload())
  const isEmbedded = mayBeEmbedded()
  // The page around the frame speaks as soon as this one has loaded, which may be before it can be heard.
  const early: MessageEvent[] = []
  if (isEmbedded) addEventListener('message', message => early.push(message))
  const embedding = isEmbedded ? import('./embedding.ts') : null
  const branding = readBranding()
  const service = createService(link)
  const stage = createStage(() => service.limits)
  const show = createScreens(branding.name)
  const actor = createActor(provideCapture(service, stage), {
    input: {
      is_desktop: isDesktop(),
      by_handoff: link.by_handoff,
      has_code: link.code !== null && link.token === null,
      is_embedded: isEmbedded,
    },
  })
  const announce = (text: string): void => {
    byId('announcer').textContent = text
  }
  const speech = await openSpeech(branding)
  const { privacy_url, contact_url } = branding
  const send: App['send'] = event => actor.send(event)
  const { sendLink } = service
  // Within a frame the page around it has the history.
  const past = isEmbedded ? null : openPast(() => actor.getSnapshot(), send)
  const outside = (await embedding)?.openEmbedding(early, () => actor.getSnapshot(), send)
  const showNow = (snapshot: Snapshot, afresh: boolean): void => {
    show({ say: speech.say, privacy_url, contact_url, stage, send, sendLink, announce }, snapshot, afresh)
    outside?.notify(snapshot, speech.say)
    past?.follow(snapshot)
  }
  speech.onChange = () => showNow(actor.getSnapshot(), true)
  actor.subscribe(snapshot => {
    // The screen stays until the texts of the integrator's language are loaded.
    if (!speech.follow(service.locale)) showNow(snapshot, false)
  })
  addEventListener('online', () => actor.send({ type: 'ONLINE' }))
  actor.start()
}

const link = openLink()
if (link === null) await import('./screens/returned.ts').then(({ showReturned }) => showReturned(readBranding()))
else await run(link)
