import type { MrzReading } from '../../port.ts'
import { numberParts } from './check_digits.ts'
import { type ReadFormat, textAt, zoneLayouts } from './layouts.ts'

/** The parts of a zone that `readingOf` needs. */
export interface ZoneLines {
  readonly format: ReadFormat
  readonly lines: readonly string[]
  readonly corrected: number
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[]
}

const orNull = (text: string): string | null => {
  const trimmed = text.replace(/^<+|<+$/g, '').replaceAll('<', ' ')
  return trimmed === '' ? null : trimmed
}

const sexes: Readonly<Record<string, 'F' | 'M' | 'X'>> = { F: 'F', M: 'M', '<': 'X' }

/** The fields of a zone, raw: codes are not looked up (specimen codes such as UTO stay), dates stay as printed. */
export const readingOf = ({ format, lines, corrected, checks }: ZoneLines): MrzReading => {
  const { fields } = zoneLayouts[format]
  const [last = '', ...first] = textAt(lines, fields.names).split('<<')
  const { number, taken } = numberParts(format, lines)
  return {
    format,
    lines,
    valid: checks.every(check => check.passed),
    corrected_characters: corrected,
    document_code: orNull(textAt(lines, fields.document_code)) ?? '',
    issuing_state: orNull(textAt(lines, fields.issuing_state)),
    nationality: orNull(textAt(lines, fields.nationality)),
    document_number: orNull(number),
    personal_number: orNull(textAt(lines, fields.optional).slice(taken)),
    last_name: orNull(last),
    first_name: orNull(first.join('<')),
    date_of_birth: orNull(textAt(lines, fields.birth)),
    expiry_date: orNull(textAt(lines, fields.expiry)),
    sex: sexes[textAt(lines, fields.sex)] ?? null,
    check_digits: checks,
  }
}
