import type { BarcodeReading } from '@attestor/rules'
import { endOfMonth, toCalendarDay } from '@attestor/rules/readings'
import { parseDate } from './aamva_dates.ts'

/**
 * British Columbia's PDF417 has the three tracks of a magnetic stripe (AAMVA DL/ID Card Design Standard, annex F), as
 * no other jurisdiction's has. City and name end in `^`, or at their length.
 */
const firstTrack = /%BC(?:[^^?]{0,12}\^|[^^?]{13}\^?)([^^?]{1,34}(?=\^)|[^^?]{35})[^?]*\?/
/** Issuer, number, expiry as YYMM, birth as CCYYMMDD, the rest of a long number. */
const secondTrack = /;636028(\d{1,13})=(\d{2})(\d{2})(\d{8})(\d*)=?\?/
/** Version, postal code, class, restrictions, endorsements, then the sex. */
const thirdTrack = /[%#!+_]\d[A-Z\d ][^?]{11}[^?]{2}[^?]{10}[^?]{4}([MFX129])/

const maxNameCharacters = 35
const sexes: Readonly<Record<string, 'F' | 'M' | 'X'>> = { '1': 'M', M: 'M', '2': 'F', F: 'F', '9': 'X', X: 'X' }

/**
 * Months beyond twelve have a meaning: 77 is never, 88 the end of the month of birth, 99 the birthday. Otherwise the
 * card expires at the end of the month.
 */
function parseExpiry(year: number, month: number, birth: string | null): string | null {
  const [birthMonth, birthDay] = (birth ?? '').split('-').slice(1).map(Number)
  if (month === 99) {
    if (birthMonth === undefined || birthDay === undefined) return null
    return toCalendarDay(year, birthMonth, birthDay) ?? toCalendarDay(year, birthMonth, birthDay - 1)
  }
  const last = month === 88 ? birthMonth : month
  if (last === undefined || last < 1 || last > 12) return null
  return endOfMonth(toCalendarDay(year, last, 1) ?? '')
}

function tidy(name: string): string | null {
  return name.replace(/[,\s]+/g, ' ').trim() || null
}

/** Reads the tracks; null if the text has none. */
export function parseMagneticStripe(text: string): BarcodeReading | null {
  const names = firstTrack.exec(text)?.[1]
  const second = secondTrack.exec(text)
  if (names === undefined || second === null) return null
  const [, number = '', year = '', month = '', born = '', rest = ''] = second
  const [family = '', ...given] = names.split('$')
  const last_name = tidy(family)
  const first_name = tidy(given.join(' '))
  const date_of_birth = parseDate(born)
  return {
    format: 'AAMVA',
    version: 0,
    document_type: 'DRIVING_LICENSE',
    issuing_country: 'CAN',
    jurisdiction: 'BC',
    document_number: number + rest,
    last_name,
    first_name,
    date_of_birth,
    issue_date: null,
    expiry_date: parseExpiry(2000 + Number(year), Number(month), date_of_birth),
    sex: sexes[thirdTrack.exec(text.slice(second.index + second[0].length))?.[1] ?? ''] ?? null,
    not_printed: [
      ...(last_name === null && first_name !== null ? (['last_name'] as const) : []),
      ...(first_name === null && last_name !== null ? (['first_name'] as const) : []),
      ...(month === '77' ? (['expiry_date'] as const) : []),
    ],
    truncated: names.length === maxNameCharacters ? [given.length > 0 ? 'first_name' : 'last_name'] : [],
  }
}
