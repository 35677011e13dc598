import { listLatinSpellings } from '../../../decision/transliteration.ts'

/**
 * The internal passport of Russia: a zone like a passport's (TD3), whose names have one sign for each Cyrillic letter, as the
 * order of its ministry of the interior lists them. Digits stand for seven letters.
 */
const alphabet = 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ'
/** Their signs, in the same order. */
const signs = 'ABVGDE2JZIQKLMNOPRSTUFHC34WXY9678'

/** A name as ICAO 9303-3 section 6 transliterates it, as on the same person's other documents. */
export function spellRussianName(name: string | null): string | null {
  if (name === null) return null
  return listLatinSpellings([...name].map(sign => alphabet[signs.indexOf(sign)] ?? sign).join(''))[0] ?? null
}

/** The number as printed: three digits of the series, the fourth from the optional data, and six of the number. */
export function joinRussianNumber(number: string, optional: string): string {
  return /^\d{9}$/.test(number) && /^\d/.test(optional)
    ? number.slice(0, 3) + optional.charAt(0) + number.slice(3)
    : number
}
