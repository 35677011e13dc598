import type { Day } from './dates.ts'
import { type Finding, finding } from './decision.ts'
import type { DocumentFindings } from './findings.ts'
import { type Holder, holderOfBarcode, holderOfMrz } from './holder.ts'
import { issueOf } from './issues.ts'
import { foldName, givenNameSimilarity, name_threshold, surnameSimilarity } from './names.ts'

/** What two parts of one card both say. */
type AgreedField = 'document_number' | 'date_of_birth' | 'last_name' | 'first_name'

const signsOf = (text: string | null): string => (text ?? '').toUpperCase().replace(/[^A-Z0-9]/g, '')

/** A zone has nine places for a number, and cards put the rest, or another number of theirs, beside it. */
const sameNumber = (zone: Holder, barcode: Holder): boolean => {
  const [printed, coded, beside] = [zone.document_number, barcode.document_number, zone.personal_number].map(signsOf)
  if (!printed || !coded) return true
  return printed.startsWith(coded) || coded.startsWith(printed) || (beside !== '' && beside === coded)
}

/** A zone prints two digits of the year. */
const sameBirth = (zone: Holder, barcode: Holder): boolean =>
  zone.date_of_birth === null ||
  barcode.date_of_birth === null ||
  zone.date_of_birth.slice(2) === barcode.date_of_birth.slice(2)

const lettersOf = (name: string | null): string => foldName(name ?? '').replaceAll(' ', '')

/** Either may be cut off for want of room. */
const beginsAlike = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one)

const sameLastName = (zone: Holder, barcode: Holder): boolean => {
  const [one, other] = [lettersOf(zone.last_name), lettersOf(barcode.last_name)]
  if (barcode.truncated.includes('last_name') && beginsAlike(one, other)) return true
  return (surnameSimilarity(zone.last_name ?? '', barcode.last_name ?? '') ?? 1) >= name_threshold
}

const sameFirstName = (zone: Holder, barcode: Holder): boolean =>
  beginsAlike(lettersOf(zone.first_name), lettersOf(barcode.first_name)) ||
  (givenNameSimilarity(zone.first_name ?? '', barcode.first_name ?? '') ?? 1) >= name_threshold

const agreed_fields: Readonly<Record<AgreedField, (zone: Holder, barcode: Holder) => boolean>> = {
  document_number: sameNumber,
  date_of_birth: sameBirth,
  last_name: sameLastName,
  first_name: sameFirstName,
}

/**
 * A machine-readable zone and a barcode that were both read, on one side or on two, speak of one person and one card:
 * the issue names the fields in which they clearly don't.
 */
export const checkZoneAndBarcode = ({ reading, mrz, barcode = null }: DocumentFindings, today: Day): Finding => {
  const name = 'zone_and_barcode'
  if (reading !== 'READ' || mrz === null || barcode === null) return finding(name, 'NOT_EXECUTED')
  const [zone, coded] = [holderOfMrz(mrz, today), holderOfBarcode(barcode, today)]
  const fields = Object.entries(agreed_fields).flatMap(([field, isSame]) => (isSame(zone, coded) ? [] : [field]))
  if (fields.length === 0) return finding(name, 'PASSED')
  return finding(name, 'REJECTED', [issueOf('DOCUMENT_SIDES_MISMATCH', { fields })])
}
