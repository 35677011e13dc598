import { createActor } from 'xstate'
import { provideCapture } from './actors.ts'
import type { App } from './app.ts'
import { applyAccent, type Branding, loadBranding } from './branding.ts'
import { byId, el } from './dom.ts'
import { openLink } from './link.ts'
import { createScreens } from './screens.ts'
import { createService } from './service.ts'
import { createStage } from './stage.ts'
import { chooseLanguage, openTexts, type Say } from './texts.ts'

/** What is mainly used with a finger can be held to a document. A laptop can't, with a touch screen or without. */
const isDesktop = (): boolean => !matchMedia('(pointer: coarse)').matches

const showHeader = ({ name, logo_url }: Branding): void => {
  const logo = logo_url === null ? null : el('img', { src: logo_url, alt: '' })
  if (logo_url !== null) byId('icon').setAttribute('href', logo_url)
  byId('header').replaceChildren(...[logo, el('span', {}, name)].filter(child => child !== null))
}

/** The integrator's language counts first, once it is known. */
const sayIn = async (locale: string | null, { name, texts }: Branding): Promise<Say> => {
  const language = chooseLanguage([...(locale === null ? [] : [locale]), ...navigator.languages])
  document.documentElement.lang = language
  return await openTexts(language, texts, { name })
}

const run = async (): Promise<void> => {
  const link = openLink()
  // Somebody pasted another link into this tab.
  addEventListener('hashchange', () => location.reload())
  const branding = await loadBranding()
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
  let app: App = { say: await sayIn(null, branding), branding, stage, send: event => actor.send(event), announce }
  applyAccent(branding)
  showHeader(branding)
  actor.subscribe(snapshot => {
    show(app, snapshot)
    if (service.locale === locale) return
    locale = service.locale
    void sayIn(locale, branding).then(say => {
      app = { ...app, say }
      show(app, actor.getSnapshot(), true)
    })
  })
  addEventListener('online', () => actor.send({ type: 'ONLINE' }))
  actor.start()
}

await run()
