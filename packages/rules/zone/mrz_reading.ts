import type { MrzFormat, MrzReading } from '../findings.ts'
import { listLatinSpellings } from '../transliteration.ts'
import { splitNumber } from './check_digits.ts'
import { findVariant, textAt, zoneLayouts } from './layouts.ts'

/**
 * The internal passport of Russia: a zone like a passport's (TD3), whose names have one sign for each Cyrillic letter, as the
 * order of its ministry of the interior lists them. Digits stand for seven letters.
 */
const alphabet = 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ'
/** Their signs, in the same order. */
const signs = 'ABVGDE2JZIQKLMNOPRSTUFHC34WXY9678'

/** A name as ICAO 9303-3 section 6 transliterates it, as on the same person's other documents. */
function spellRussianName(name: string | null): string | null {
  if (name === null) return null
  return listLatinSpellings([...name].map(sign => alphabet[signs.indexOf(sign)] ?? sign).join(''))[0] ?? null
}

/** The number as printed: three digits of the series, the fourth from the optional data, and six of the number. */
function joinRussianNumber(number: string, optional: string): string {
  return /^\d{9}$/.test(number) && /^\d/.test(optional)
    ? number.slice(0, 3) + optional.charAt(0) + number.slice(3)
    : number
}

/** The parts of a zone that `toMrzReading` needs. */
export interface ZoneLines {
  readonly format: MrzFormat
  readonly lines: readonly string[]
  readonly corrected: number
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[]
}

function orNull(text: string): string | null {
  const trimmed = text.replace(/^<+|<+$/g, '').replace(/<+/g, ' ')
  return trimmed === '' ? null : trimmed
}

/**
 * Returns a date as printed: unknown parts are fillers (ICAO 9303 part 3, 4.8). Null if the format has no such date.
 */
function toPrintedDate(text: string): string | null {
  return text === '' ? null : text
}

type Sexes = Readonly<Record<string, 'F' | 'M' | 'X'>>

/** `X` is not ICAO's sign, but states print it. */
const sexes: Sexes = { F: 'F', M: 'M', X: 'X', '<': 'X' }

/** Hombre and mujer. */
const mexicanSexes: Sexes = { H: 'M', M: 'F', X: 'X', '<': 'X' }

/** The fields of a zone, raw: codes are not looked up (specimen codes such as UTO stay), dates stay as printed. */
export function toMrzReading({ format, lines, corrected, checks }: ZoneLines): MrzReading {
  const { fields } = zoneLayouts[format]
  const [last = '', ...first] = textAt(lines, fields.names).split('<<')
  const { number, taken } = splitNumber(format, lines)
  const variant = findVariant(format, lines)
  const isRussian = variant === 'RUSSIAN'
  const optional = textAt(lines, fields.personal_number).slice(taken)
  const printed = {
    last_name: orNull(textAt(lines, fields.last_name) || last),
    first_name: orNull(textAt(lines, fields.first_name) || first.join('<')),
  }
  const names = isRussian
    ? { last_name: spellRussianName(printed.last_name), first_name: spellRussianName(printed.first_name) }
    : printed
  return {
    format,
    lines,
    valid: checks.every(check => check.passed),
    corrected_characters: corrected,
    document_code: orNull(textAt(lines, fields.document_code)) ?? '',
    issuing_state: orNull(textAt(lines, fields.issuing_state)),
    nationality: orNull(textAt(lines, fields.nationality)),
    document_number: orNull(isRussian ? joinRussianNumber(number, optional) : number),
    personal_number: orNull(optional),
    ...names,
    ...(names.last_name !== null && names.first_name === null ? { not_printed: ['first_name'] } : {}),
    ...(names.last_name === null && names.first_name !== null ? { not_printed: ['last_name'] } : {}),
    date_of_birth: toPrintedDate(textAt(lines, fields.date_of_birth)),
    expiry_date: toPrintedDate(textAt(lines, fields.expiry_date)),
    sex: (variant === 'MEXICAN' ? mexicanSexes : sexes)[textAt(lines, fields.sex)] ?? null,
    check_digits: checks,
  }
}
