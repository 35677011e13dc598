import type { DocumentData } from '@attestor/rules/testing'
import type { Holder } from './people.ts'
import { type ZoneText, zoneName } from './zone_lines.ts'

/** The fields of `document.data` that the bench compares. */
export const comparedFields = [
  'document_type',
  'issuing_country',
  'nationality',
  'document_number',
  'personal_number',
  'last_name',
  'first_name',
  'date_of_birth',
  'sex',
  'expiry_date',
] as const

/** One of `comparedFields`. */
export type ComparedField = (typeof comparedFields)[number]

/** The true fields of a document. A field that is left out is not compared; null must come out as null. */
export type Truth = Readonly<Partial<Record<ComparedField, string | null>>>

/** Returns the type that a code of `documents.ts` stands for (ICAO 9303 parts 4 to 7). */
function typeOf(code: string): string | null {
  if (code.startsWith('V')) return null
  if (code.startsWith('P')) return 'PASSPORT'
  return code === 'IR' || code === 'AR' ? 'RESIDENCE_PERMIT' : 'ID_CARD'
}

function spaced(text: string): string | null {
  return text.replace(/<+/g, ' ').trim() || null
}

/**
 * Returns the true fields of the zone of a holder's document: a name that the zone has cut is known as far as it is
 * printed.
 */
export function truthOf(holder: Holder, zone: ZoneText): Truth {
  const { format, document_code } = zone
  const printed = format === 'TD1' ? (zone.lines[2] ?? '') : (zone.lines[0] ?? '').slice(5)
  const [last = '', ...given] = format === 'FRENCH_ID' ? [zoneName(holder.last_name).slice(0, 25)] : printed.split('<<')
  const first = format === 'FRENCH_ID' ? (zone.lines[1] ?? '').slice(13, 27) : given.join('<')
  const truth: Truth = {
    document_type: typeOf(document_code),
    issuing_country: format === 'FRENCH_ID' ? 'FR' : holder.issuing_state.alpha2,
    document_number: holder.document_number,
    last_name: spaced(last),
    first_name: spaced(first),
    date_of_birth: holder.date_of_birth,
    sex: holder.sex,
  }
  if (format === 'FRENCH_ID') return { ...truth, expiry_date: holder.expiry_date }
  const dated = { ...truth, nationality: holder.nationality.alpha2, expiry_date: holder.expiry_date }
  // If a long number runs on into the optional data, the rest of them depends on the reader.
  return holder.document_number.length > 9
    ? dated
    : { ...dated, personal_number: holder.personal_number?.slice(0, format === 'TD2' ? 7 : 15) ?? null }
}

function folded(value: string | null): string {
  return value === null ? '' : zoneName(value).replaceAll('<', ' ').trim()
}

function agrees(field: ComparedField, expected: string | null, read: string | null): boolean {
  if (expected === read) return true
  // A name agrees with or without its marks, and if more of it is printed elsewhere.
  if (field !== 'last_name' && field !== 'first_name') return false
  return expected !== null && read !== null && folded(read).startsWith(folded(expected))
}

/** Lists the fields that were misread, in the order of `comparedFields`. */
export function wrongFields(truth: Truth, read: Pick<DocumentData, ComparedField>): ComparedField[] {
  return comparedFields.filter(field => {
    const expected = truth[field]
    return expected !== undefined && !agrees(field, expected, read[field])
  })
}
