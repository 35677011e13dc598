/** ICAO 9303-3 section 6, table B: Cyrillic letters in a zone. */
const cyrillic: Readonly<Record<string, string>> = {
  А: 'A',
  Б: 'B',
  В: 'V',
  Г: 'G',
  Ґ: 'G',
  Ѓ: 'G',
  Ғ: 'G',
  Д: 'D',
  Ђ: 'D',
  Е: 'E',
  Ё: 'E',
  Є: 'IE',
  Ж: 'ZH',
  Җ: 'ZH',
  З: 'Z',
  Ѕ: 'DZ',
  И: 'I',
  І: 'I',
  Ї: 'I',
  Й: 'I',
  Ј: 'J',
  К: 'K',
  Ќ: 'K',
  Қ: 'K',
  Л: 'L',
  Љ: 'LJ',
  М: 'M',
  Н: 'N',
  Њ: 'NJ',
  Ң: 'N',
  О: 'O',
  Ө: 'O',
  П: 'P',
  Р: 'R',
  С: 'S',
  Т: 'T',
  Ћ: 'C',
  У: 'U',
  Ў: 'U',
  Ү: 'U',
  Ұ: 'U',
  Ф: 'F',
  Х: 'KH',
  Һ: 'H',
  Ц: 'TS',
  Ч: 'CH',
  Џ: 'DZ',
  Ш: 'SH',
  Щ: 'SHCH',
  Ъ: 'IE',
  Ы: 'Y',
  Ь: '',
  Э: 'E',
  Ә: 'A',
  Ю: 'IU',
  Я: 'IA',
  Ѣ: 'IE',
  Ѫ: 'U',
  Ѵ: 'Y',
}

/** What the table says for one language, or what its state prints by a law of its own. */
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
/** Modifier letters, such as apostrophes that Unicode counts as letters, are of no script. */
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
