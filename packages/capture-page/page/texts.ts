import en from './texts/en.json' with { type: 'json' }
import { isText, type TextKey, type Texts } from './texts/keys.ts'

/** Each language's own name for itself. */
export const languageNames = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
  it: 'Italiano',
  nl: 'Nederlands',
  'pt-BR': 'Português (Brasil)',
  'pt-PT': 'Português (Portugal)',
  pl: 'Polski',
  tr: 'Türkçe',
  uk: 'Українська',
  ar: 'العربية',
  he: 'עברית',
  'zh-Hans': '简体中文',
  'zh-Hant': '繁體中文',
  ja: '日本語',
  ko: '한국어',
  hi: 'हिन्दी',
} as const satisfies Readonly<Record<string, string>>

/** A language of the page's own. An operator may add others. */
export type Language = keyof typeof languageNames

export function isOwnLanguage(tag: string): tag is Language {
  return Object.hasOwn(languageNames, tag)
}

/** Loaded when they are needed: a person reads one language. */
export const loaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => en,
  es: async () => (await import('./texts/es.json', { with: { type: 'json' } })).default,
  fr: async () => (await import('./texts/fr.json', { with: { type: 'json' } })).default,
  de: async () => (await import('./texts/de.json', { with: { type: 'json' } })).default,
  it: async () => (await import('./texts/it.json', { with: { type: 'json' } })).default,
  nl: async () => (await import('./texts/nl.json', { with: { type: 'json' } })).default,
  'pt-BR': async () => (await import('./texts/pt-BR.json', { with: { type: 'json' } })).default,
  'pt-PT': async () => (await import('./texts/pt-PT.json', { with: { type: 'json' } })).default,
  pl: async () => (await import('./texts/pl.json', { with: { type: 'json' } })).default,
  tr: async () => (await import('./texts/tr.json', { with: { type: 'json' } })).default,
  uk: async () => (await import('./texts/uk.json', { with: { type: 'json' } })).default,
  ar: async () => (await import('./texts/ar.json', { with: { type: 'json' } })).default,
  he: async () => (await import('./texts/he.json', { with: { type: 'json' } })).default,
  'zh-Hans': async () => (await import('./texts/zh-Hans.json', { with: { type: 'json' } })).default,
  'zh-Hant': async () => (await import('./texts/zh-Hant.json', { with: { type: 'json' } })).default,
  ja: async () => (await import('./texts/ja.json', { with: { type: 'json' } })).default,
  ko: async () => (await import('./texts/ko.json', { with: { type: 'json' } })).default,
  hi: async () => (await import('./texts/hi.json', { with: { type: 'json' } })).default,
}

/**
 * Splits a tag into its language and its script, such as `zh-Hant` for `zh-TW`; empty for a text that is no language
 * tag.
 */
function splitTag(tag: string): readonly [string, string] {
  // RFC 5646 §4.4.1: every tag in use is shorter.
  if (tag.length > 35) return ['', '']
  try {
    const { language, script = '' } = new Intl.Locale(tag).maximize()
    return [language, script]
  } catch {
    return ['', '']
  }
}

interface Offer {
  readonly tag: string
  readonly parts: ReturnType<typeof splitTag>
}

/** The offered language that is nearest to a tag: the same, else of the same script, else of the same language. */
function findLanguage(tag: string, offers: readonly Offer[]): string | undefined {
  const [language, script] = splitTag(tag)
  const related = offers.filter(({ parts }) => parts[0] === language)
  const offer =
    related.find(one => one.tag.toLowerCase() === tag.toLowerCase()) ??
    related.find(({ parts }) => parts[1] === script) ??
    related[0]
  return offer?.tag
}

/** The first of the wanted languages that is offered, else the first that is offered. */
export function chooseLanguage(wanted: readonly string[], offered: readonly string[]): string {
  const offers = offered.map(tag => ({ tag, parts: splitTag(tag) }))
  for (const tag of wanted) {
    const found = findLanguage(tag, offers)
    if (found !== undefined) return found
  }
  return offered[0] ?? 'en'
}

const rightToLeft = ['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg']

export function getDirection(language: string): 'ltr' | 'rtl' {
  return rightToLeft.includes(splitTag(language)[1]) ? 'rtl' : 'ltr'
}

type Values = Readonly<Record<string, string | number>>

/** A text with its `{name}`s filled in, in the plural of its `{n}`. */
export type Say = (key: TextKey, values?: Values) => string

/** The operator's own texts: some of a language of the page's, or all of another. */
export type Overrides = Readonly<Partial<Record<string, Readonly<Partial<Record<string, string>>>>>>

export async function openTexts(language: string, overrides: Overrides, always: Record<string, string>): Promise<Say> {
  const own = isOwnLanguage(language) ? await loaders[language]() : en
  const texts: Texts = { ...own, ...overrides[language] }
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  /** A name from left to right keeps its order, and the sentence around it too. */
  const isolate = (value: string): string => (getDirection(language) === 'rtl' ? `\u2068${value}\u2069` : value)
  const format = (value: string | number): string =>
    typeof value === 'number' ? numbers.format(value) : isolate(value)
  const getText = (key: TextKey, { n }: Values): string => {
    const plural = typeof n === 'number' ? `${key}_${plurals.select(n)}` : key
    return (isText(plural) ? texts[plural] : undefined) ?? texts[key]
  }
  return (key, values = {}) =>
    getText(key, values).replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = { ...always, ...values }[name]
      return value === undefined ? whole : format(value)
    })
}
