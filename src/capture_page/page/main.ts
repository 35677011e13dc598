import { createActor } from 'xstate'
import { provideCapture } from './actors.ts'
import type { App } from './app.ts'
import { type Branding, readBranding } from './branding.ts'
import { byId } from './dom.ts'
import { openLink } from './link.ts'
import { createScreens } from './screens.ts'
import { createService } from './service.ts'
import { createStage } from './stage.ts'
import { chooseLanguage, openTexts, type Say } from './texts.ts'

/** What is mainly used with a finger can be held to a document. A laptop can't, with a touch screen or without. */
const isDesktop = (): boolean => !matchMedia('(pointer: coarse)').matches

/** The integrator's language counts first, once it is known. */
const sayIn = async (locale: string | null, { name, texts }: Branding): Promise<Say> => {
  const language = chooseLanguage([...(locale === null ? [] : [locale]), ...navigator.languages])
  const say = await openTexts(language, texts, { name })
  document.documentElement.lang = language
  return say
}

const run = async (): Promise<void> => {
  const link = openLink()
  // Somebody pasted another link into this tab.
  addEventListener('hashchange', () => location.reload())
  const branding = readBranding()
  const service = createService(link)
  const stage = createStage(() => service.limits)
  const show = createScreens(branding.name)
  const actor = createActor(provideCapture(service, stage), {
    input: { is_desktop: isDesktop(), by_handoff: link.by_handoff },
  })
  const announce = (text: string): void => {
    byId('announcer').textContent = text
  }
  let locale: string | null = null
  const { privacy_url } = branding
  const send: App['send'] = event => actor.send(event)
  let app: App = { say: await sayIn(null, branding), privacy_url, stage, send, announce }
  actor.subscribe(snapshot => {
    if (service.locale === locale) return show(app, snapshot)
    locale = service.locale
    const sayAgain = (say: Say): void => {
      app = { ...app, say }
      show(app, actor.getSnapshot(), true)
    }
    // What is shown stays until the texts are there. Who can't load them goes on in the browser's language.
    sayIn(locale, branding).then(sayAgain, () => sayAgain(app.say))
  })
  addEventListener('online', () => actor.send({ type: 'ONLINE' }))
  actor.start()
}

await run()
