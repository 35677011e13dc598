import { en, type TextKey, type Texts } from './texts/en.ts'

export type Language = 'en' | 'es' | 'fr' | 'de'

/** Each language's own name for itself. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
}

/** Loaded when they are needed: a person reads one language. */
const loaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => en,
  es: async () => (await import('./texts/es.ts')).es,
  fr: async () => (await import('./texts/fr.ts')).fr,
  de: async () => (await import('./texts/de.ts')).de,
}

/** The first of these languages that the page has. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const known = wanted.map(tag => tag.toLowerCase().split('-')[0] ?? '')
  return (known.find(language => Object.hasOwn(loaders, language)) ?? 'en') as Language
}

/** A text with its `{name}`s filled in. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string

/** The operator's own texts. */
export type Overrides = Readonly<Partial<Record<string, Readonly<Partial<Record<string, string>>>>>>

export async function openTexts(language: Language, overrides: Overrides, always: Record<string, string>) {
  const texts: Texts = { ...(await loaders[language]()), ...overrides[language] }
  const say: Say = (key, values = {}) =>
    texts[key].replace(/\{(\w+)\}/g, (whole, name: string) => String({ ...always, ...values }[name] ?? whole))
  return say
}
