import { listLatinSpellings } from '../../../decision/transliteration.ts'

/**
 * The internal passport of Russia: a zone like a passport's (TD3), whose names have one sign for each Cyrillic letter, as the
 * order of its ministry of the interior lists them. Digits stand for seven letters.
 */
const letters: Readonly<Record<string, string>> = {
  A: 'А',
  B: 'Б',
  V: 'В',
  G: 'Г',
  D: 'Д',
  E: 'Е',
  2: 'Ё',
  J: 'Ж',
  Z: 'З',
  I: 'И',
  Q: 'Й',
  K: 'К',
  L: 'Л',
  M: 'М',
  N: 'Н',
  O: 'О',
  P: 'П',
  R: 'Р',
  S: 'С',
  T: 'Т',
  U: 'У',
  F: 'Ф',
  H: 'Х',
  C: 'Ц',
  3: 'Ч',
  4: 'Ш',
  W: 'Щ',
  X: 'Ъ',
  Y: 'Ы',
  9: 'Ь',
  6: 'Э',
  7: 'Ю',
  8: 'Я',
}

/** A name as ICAO 9303-3 section 6 transliterates it, as on the same person's other documents. */
export function spellRussianName(name: string | null): string | null {
  if (name === null) return null
  return listLatinSpellings([...name].map(sign => letters[sign] ?? sign).join(''))[0] ?? null
}

/** The number as printed: three digits of the series, the fourth from the optional data, and six of the number. */
export function joinRussianNumber(number: string, optional: string): string {
  return /^\d{9}$/.test(number) && /^\d/.test(optional)
    ? number.slice(0, 3) + optional.charAt(0) + number.slice(3)
    : number
}
