import en from './en.json' with { type: 'json' }

/** Every text of the page. `{name}` and the like are filled in; an operator may replace any of them. */
export type TextKey = keyof typeof en

/** Texts with a number. A language has a form of them for each of its plurals that is not the text itself. */
const counted = ['advice.left', 'live.left'] as const satisfies readonly TextKey[]
const plurals = ['two', 'few', 'many'] as const

type PluralKey = `${(typeof counted)[number]}_${(typeof plurals)[number]}`

const pluralKeys = new Set<string>(counted.flatMap(key => plurals.map(plural => `${key}_${plural}`)))

export function isText(key: string): key is TextKey | PluralKey {
  return Object.hasOwn(en, key) || pluralKeys.has(key)
}

/** A language has every text, and the plurals that it needs. */
export type Texts = Readonly<Record<TextKey, string> & Partial<Record<PluralKey, string>>>
