import type { Branding } from './branding.ts'
import { byId } from './dom.ts'
import { keep, recall } from './storage.ts'
import { chooseLanguage, getDirection, openTexts, type Say } from './texts.ts'

/** The page's texts, in the language that the person chose, otherwise the integrator's, otherwise the browser's. */
export interface Speech {
  readonly say: Say
  /** Called when `say` has changed. If texts can't be loaded, the page keeps its language. */
  onChange: () => void
  /** Sets the integrator's language, once it is known. True if its texts must be loaded first: `onChange` follows. */
  follow(locale: string | null): boolean
}

const key = 'attestor.language'

export async function openSpeech({ name, texts }: Branding): Promise<Speech> {
  const select = byId('language') as HTMLSelectElement
  const offered = [...select.options].map(option => option.value)
  let locale: string | null = null
  const load = async (): Promise<Say> => {
    const wanted = [recall(key), locale, ...navigator.languages]
    const language = chooseLanguage(
      wanted.filter(tag => tag !== null),
      offered,
    )
    const say = await openTexts(language, texts, { name })
    document.documentElement.lang = language
    document.documentElement.dir = getDirection(language)
    select.setAttribute('aria-label', say('page.language'))
    return say
  }
  const showChoice = (): void => {
    select.value = document.documentElement.lang
  }
  let say = await load()
  showChoice()
  const change = async (): Promise<void> => {
    say = await load().catch(() => say)
    showChoice()
    speech.onChange()
  }
  select.addEventListener('change', () => {
    keep(key, select.value)
    void change()
  })
  const speech: Speech = {
    get say() {
      return say
    },
    onChange: () => {},
    follow(given) {
      if (given === locale) return false
      locale = given
      void change()
      return true
    },
  }
  return speech
}
