import type { Day } from './dates.ts'
import { conclude, type RuleResult } from './decision.ts'
import type { DocumentFindings } from './findings.ts'
import { type Holder, readBarcodeHolder, readMrzHolder } from './holder.ts'
import { createIssue } from './issues.ts'
import { compareGivenNames, compareSurnames, foldName, nameThreshold } from './names.ts'

type AgreedField = 'document_number' | 'date_of_birth' | 'last_name' | 'first_name'

function keepSigns(text: string | null): string {
  return (text ?? '').toUpperCase().replace(/[^A-Z0-9]/g, '')
}

/** A zone has nine characters for the number. Cards put the rest, or another number, into the optional data. */
function isSameNumber(zone: Holder, barcode: Holder): boolean {
  const [printed, coded, beside] = [zone.document_number, barcode.document_number, zone.personal_number].map(keepSigns)
  if (!printed || !coded) return true
  return printed.startsWith(coded) || coded.startsWith(printed) || (beside !== '' && beside === coded)
}

/** A zone has two digits of the year. */
function isSameBirth(zone: Holder, barcode: Holder): boolean {
  return (
    zone.date_of_birth === null ||
    barcode.date_of_birth === null ||
    zone.date_of_birth.slice(2) === barcode.date_of_birth.slice(2)
  )
}

function keepLetters(name: string | null): string {
  return foldName(name ?? '').replaceAll(' ', '')
}

/** Either may be truncated. */
function isPrefixOfOther(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}

function isSameLastName(zone: Holder, barcode: Holder): boolean {
  const one = keepLetters(zone.last_name)
  const other = keepLetters(barcode.last_name)
  if (barcode.truncated.includes('last_name') && isPrefixOfOther(one, other)) return true
  return (compareSurnames(zone.last_name ?? '', barcode.last_name ?? '') ?? 1) >= nameThreshold
}

function isSameFirstName(zone: Holder, barcode: Holder): boolean {
  return (
    isPrefixOfOther(keepLetters(zone.first_name), keepLetters(barcode.first_name)) ||
    (compareGivenNames(zone.first_name ?? '', barcode.first_name ?? '') ?? 1) >= nameThreshold
  )
}

const agreedFields: Readonly<Record<AgreedField, (zone: Holder, barcode: Holder) => boolean>> = {
  document_number: isSameNumber,
  date_of_birth: isSameBirth,
  last_name: isSameLastName,
  first_name: isSameFirstName,
}

/**
 * Checks that a machine-readable zone and a barcode agree, if both were read. The issue lists the fields that do not.
 */
export function checkZoneAndBarcode({ reading, mrz, barcode = null }: DocumentFindings, today: Day): RuleResult {
  const name = 'zone_and_barcode'
  if (reading !== 'READ' || mrz === null || barcode === null) return conclude(name, 'NOT_EXECUTED')
  const zone = readMrzHolder(mrz, { today })
  const coded = readBarcodeHolder(barcode, { today })
  const fields = Object.entries(agreedFields).flatMap(([field, isSame]) => (isSame(zone, coded) ? [] : [field]))
  if (fields.length === 0) return conclude(name, 'PASSED')
  return conclude(name, 'REJECTED', [createIssue('DOCUMENT_SIDES_MISMATCH', { fields })])
}
