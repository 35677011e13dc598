import type { Day } from './dates.ts'
import { conclude, type RuleResult } from './decision.ts'
import type { DocumentFindings } from './findings.ts'
import { type Holder, readBarcodeHolder, readMrzHolder } from './holder.ts'
import { createIssue } from './issues.ts'
import { compareGivenNames, compareSurnames, foldName, nameThreshold } from './names.ts'

type AgreedField = 'document_number' | 'date_of_birth' | 'last_name' | 'first_name'

const keepSigns = (text: string | null): string => (text ?? '').toUpperCase().replace(/[^A-Z0-9]/g, '')

/** A zone has nine characters for the number. Cards put the rest, or another number, into the optional data. */
const isSameNumber = (zone: Holder, barcode: Holder): boolean => {
  const [printed, coded, beside] = [zone.document_number, barcode.document_number, zone.personal_number].map(keepSigns)
  if (!printed || !coded) return true
  return printed.startsWith(coded) || coded.startsWith(printed) || (beside !== '' && beside === coded)
}

/** A zone has two digits of the year. */
const isSameBirth = (zone: Holder, barcode: Holder): boolean =>
  zone.date_of_birth === null ||
  barcode.date_of_birth === null ||
  zone.date_of_birth.slice(2) === barcode.date_of_birth.slice(2)

const keepLetters = (name: string | null): string => foldName(name ?? '').replaceAll(' ', '')

/** Either may be truncated. */
const isPrefixOfOther = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one)

const isSameLastName = (zone: Holder, barcode: Holder): boolean => {
  const [one, other] = [keepLetters(zone.last_name), keepLetters(barcode.last_name)]
  if (barcode.truncated.includes('last_name') && isPrefixOfOther(one, other)) return true
  return (compareSurnames(zone.last_name ?? '', barcode.last_name ?? '') ?? 1) >= nameThreshold
}

const isSameFirstName = (zone: Holder, barcode: Holder): boolean =>
  isPrefixOfOther(keepLetters(zone.first_name), keepLetters(barcode.first_name)) ||
  (compareGivenNames(zone.first_name ?? '', barcode.first_name ?? '') ?? 1) >= nameThreshold

const agreedFields: Readonly<Record<AgreedField, (zone: Holder, barcode: Holder) => boolean>> = {
  document_number: isSameNumber,
  date_of_birth: isSameBirth,
  last_name: isSameLastName,
  first_name: isSameFirstName,
}

/** Where both a machine-readable zone and a barcode were read, they must agree. The issue lists the fields that do not. */
export const checkZoneAndBarcode = ({ reading, mrz, barcode = null }: DocumentFindings, today: Day): RuleResult => {
  const name = 'zone_and_barcode'
  if (reading !== 'READ' || mrz === null || barcode === null) return conclude(name, 'NOT_EXECUTED')
  const [zone, coded] = [readMrzHolder(mrz, today), readBarcodeHolder(barcode, today)]
  const fields = Object.entries(agreedFields).flatMap(([field, isSame]) => (isSame(zone, coded) ? [] : [field]))
  if (fields.length === 0) return conclude(name, 'PASSED')
  return conclude(name, 'REJECTED', [createIssue('DOCUMENT_SIDES_MISMATCH', { fields })])
}
