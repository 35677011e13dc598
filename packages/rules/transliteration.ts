/** ICAO 9303-3 section 6, table B: the Cyrillic letters that a zone prints as each of these. */
const table = {
  A: 'АӘ',
  B: 'Б',
  V: 'В',
  G: 'ГҐЃҒ',
  D: 'ДЂ',
  E: 'ЕЁЭ',
  IE: 'ЄЪѢ',
  ZH: 'ЖҖ',
  Z: 'З',
  DZ: 'ЅЏ',
  I: 'ИІЇЙ',
  J: 'Ј',
  K: 'КЌҚ',
  L: 'Л',
  LJ: 'Љ',
  M: 'М',
  N: 'НҢ',
  NJ: 'Њ',
  O: 'ОӨ',
  P: 'П',
  R: 'Р',
  S: 'С',
  T: 'Т',
  C: 'Ћ',
  U: 'УЎҮҰѪ',
  F: 'Ф',
  KH: 'Х',
  H: 'Һ',
  TS: 'Ц',
  CH: 'Ч',
  SH: 'Ш',
  SHCH: 'Щ',
  Y: 'ЫѴ',
  '': 'Ь',
  IU: 'Ю',
  IA: 'Я',
}

const cyrillic: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(table).flatMap(([latin, letters]) => [...letters].map(letter => [letter, latin])),
)

/** The table for one language, or the spelling that its state prints by a law of its own. */
const languages: readonly Readonly<Record<string, string>>[] = [
  {},
  // Ukrainian, and Belarusian.
  { Г: 'H', И: 'Y' },
  { Г: 'H', Ё: 'IO' },
  // Serbian and Macedonian: the letters of the Latin alphabet that both are written in, without their marks.
  { Ж: 'Z', Х: 'H', Ц: 'C', Ч: 'C', Ш: 'S' },
  // Bulgarian.
  { Щ: 'SHT', Ъ: 'A', Х: 'H', Ю: 'YU', Я: 'YA' },
]

const isCyrillic = /\p{Script=Cyrillic}/u
/** Modifier letters, such as apostrophes that Unicode counts as letters, belong to no script. */
const foreignLetter = /(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Lm}\p{M}])\p{L}/u

/** A name in Latin letters as the languages of its script spell it; empty for a script that is not transliterated here. */
export function listLatinSpellings(name: string): string[] {
  const composed = name.normalize('NFC').toUpperCase()
  if (foreignLetter.test(composed)) return []
  if (!isCyrillic.test(composed)) return [composed]
  const spell = (own: Readonly<Record<string, string>>): string =>
    composed.replace(/\p{Script=Cyrillic}/gu, letter => own[letter] ?? cyrillic[letter] ?? '')
  return [...new Set(languages.map(spell))]
}
