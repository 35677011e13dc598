import { toCountry } from './countries.ts'
import {
  addYears,
  type Day,
  endOfMonth,
  resolveBirthDate,
  resolveExpiryDate,
  resolveIssueMonth,
  subtractDay,
} from './dates.ts'
import type { BarcodeReading, DocumentFindings, MrzReading, PrintReading, UnprintedField } from './findings.ts'
import { foldName } from './names.ts'
import { findExpirySpan, isEndless, isPartlyKnown } from './printed_dates.ts'
import { listFullDays } from './visual_dates.ts'
import { type DocumentType, documentTypes } from './words.ts'

export interface Validity {
  /** The last day on which the document is certainly valid. */
  readonly certainUntil: Day
  /** The last day on which it may be valid. */
  readonly possibleUntil: Day
}

/** From this month on adults' cards are valid for fifteen years; minors' and older cards for ten. */
const fifteenYearsFrom: Day = '2004-01-01'

/**
 * The validity of the French identity card issued until 2021, which prints no expiry. Its number begins with the year and
 * month of issue (YYMM). A card issued to an adult is valid for fifteen years instead of ten (decree 2013-1188 of 18
 * December 2013, also for cards issued from 2 January 2004 on). The day of issue is unknown, and so is whether a holder
 * who came of age in that month did so before it. Null where the number has no month, or one in the future.
 */
export function deriveFrenchValidity(documentNumber: string | null, birth: Day | null, today: Day): Validity | null {
  const first = resolveIssueMonth(documentNumber?.slice(0, 4) ?? null, today)
  if (first === null) return null
  const last = endOfMonth(first)
  const ofAge = birth === null ? null : addYears(birth, 18)
  const adult = ofAge !== null && ofAge <= first
  const minor = ofAge !== null && ofAge > last
  const long = first >= fifteenYearsFrom
  return {
    certainUntil: subtractDay(addYears(first, long && adult ? 15 : 10)),
    possibleUntil: subtractDay(addYears(last, long && !minor ? 15 : 10)),
  }
}

/** A document and its holder, from its machine-readable zone or its barcode. Countries are alpha-2. */
export interface Holder {
  readonly document_type: DocumentType | null
  readonly issuing_country: string | null
  readonly nationality: string | null
  readonly document_number: string | null
  readonly personal_number: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly date_of_birth: Day | null
  readonly sex: 'F' | 'M' | 'X' | null
  /** Null from a machine-readable zone, which has none. */
  readonly issue_date: Day | null
  /** The printed expiry; of a document that prints none, the last day on which it is certainly valid. */
  readonly expiry_date: Day | null
  /** Last day on which a document that prints no expiry may be valid. */
  readonly possiblyValidUntil: Day | null
  /** Fields that the document does not print; the field itself is null. */
  readonly not_printed: readonly UnprintedField[]
  /** The zone's text of a birth that is known in part (`YYMMDD` with fillers or zeros); null if it is whole. */
  readonly partial_birth: string | null
  /** The names that the document marks as truncated. */
  readonly truncated: readonly ('last_name' | 'first_name')[]
}

/** The codes of each type (ICAO 9303-4 to -7). `V…` is a visa, and `AC` a crew certificate. */
const documentCodes: Readonly<Record<DocumentType, RegExp>> = {
  PASSPORT: /^P/,
  ID_CARD: /^(A(?![CR]$)|C|I(?!R$))/,
  DRIVING_LICENSE: /^D/,
  RESIDENCE_PERMIT: /^[AI]R$/,
}

/** Returns the type of a document by its code; null for one that is no type of ours. */
export function toDocumentType(documentCode: string): DocumentType | null {
  const code = documentCode.replaceAll('<', '').trim().toUpperCase()
  return documentTypes.find(type => documentCodes[type].test(code)) ?? null
}

/**
 * The type of a document by its zone. States print codes that ICAO's table does not have (`TR`, `ME`): on a card they are a
 * card, or a permit where the second letter says so. Null for a booklet of such a code.
 */
export function toTypeOfZone({
  document_code,
  format,
}: Pick<MrzReading, 'document_code' | 'format'>): DocumentType | null {
  const known = toDocumentType(document_code)
  if (known !== null || (format !== 'TD1' && format !== 'TD2') || !/^[BE-HJ-OQ-UW-Z]/.test(document_code)) return known
  return document_code[1] === 'R' ? 'RESIDENCE_PERMIT' : 'ID_CARD'
}

/** The facts that are known in addition to a zone or a barcode. */
export interface Evidence {
  readonly today: Day
  /** Days from elsewhere, the weightiest first: from a barcode, printed with all digits of the year, expected. */
  readonly days?: readonly Day[]
  readonly expected?: { readonly [name in 'last_name' | 'first_name']?: string | null | undefined }
}

type Expiry = Pick<Holder, 'expiry_date' | 'possiblyValidUntil'>

/** The printed expiry; derived for the French card that prints none, and for one that is known in part. */
function deriveExpiry(mrz: MrzReading, { today, days }: Evidence): Expiry {
  const span = findExpirySpan(mrz.expiry_date, today)
  if (span !== null) return { expiry_date: span.first, possiblyValidUntil: span.last }
  if (mrz.format !== 'FRENCH_ID' || mrz.expiry_date !== null) {
    return { expiry_date: resolveExpiryDate(mrz.expiry_date, today), possiblyValidUntil: null }
  }
  const validity = deriveFrenchValidity(mrz.document_number, resolveBirthDate(mrz.date_of_birth, today, days), today)
  return { expiry_date: validity?.certainUntil ?? null, possiblyValidUntil: validity?.possibleUntil ?? null }
}

export function readMrzHolder(mrz: MrzReading, evidence: Evidence): Holder {
  const { today, days = [] } = evidence
  const hasNoExpiry = isEndless(mrz.expiry_date, today, days)
  const isBirthPartial = isPartlyKnown(mrz.date_of_birth)
  return {
    document_type: toTypeOfZone(mrz),
    issuing_country: toCountry(mrz.issuing_state),
    nationality: toCountry(mrz.nationality),
    document_number: mrz.document_number,
    personal_number: mrz.personal_number,
    first_name: mrz.first_name,
    last_name: mrz.last_name,
    date_of_birth: resolveBirthDate(mrz.date_of_birth, today, days),
    sex: mrz.sex,
    issue_date: null,
    ...(hasNoExpiry ? { expiry_date: null, possiblyValidUntil: null } : deriveExpiry(mrz, evidence)),
    not_printed: [
      ...(mrz.not_printed ?? []),
      ...(isBirthPartial ? (['date_of_birth'] as const) : []),
      ...(hasNoExpiry ? (['expiry_date'] as const) : []),
    ],
    partial_birth: isBirthPartial ? mrz.date_of_birth : null,
    truncated: [],
  }
}

type NameField = 'last_name' | 'first_name'

/** A name that is the word `NONE`: it says that there is none, unless it is expected. */
function settleNone(barcode: BarcodeReading, field: NameField, expected: Evidence['expected']) {
  const isName = barcode.says_none?.includes(field) && foldName(expected?.[field] ?? '') === 'NONE'
  return isName ? 'NONE' : barcode[field]
}

export function readBarcodeHolder(barcode: BarcodeReading, { today, expected }: Evidence): Holder {
  const names: Partial<Record<UnprintedField, string | null>> & Pick<Holder, NameField> = {
    last_name: settleNone(barcode, 'last_name', expected),
    first_name: settleNone(barcode, 'first_name', expected),
  }
  return {
    ...barcode,
    ...names,
    issuing_country: toCountry(barcode.issuing_country),
    nationality: null,
    personal_number: null,
    possiblyValidUntil: null,
    // A birth in the future was misread.
    date_of_birth: barcode.date_of_birth !== null && barcode.date_of_birth <= today ? barcode.date_of_birth : null,
    not_printed: (barcode.not_printed ?? []).filter(field => names[field] == null),
    partial_birth: null,
  }
}

function readPrintHolder({ layout: _, confirmed: __, ...fields }: PrintReading, { today, days }: Evidence): Holder {
  const { date_of_birth: printed } = fields
  // Some numbers have a birth without its century in them, as zones do.
  const birth = printed?.length === 6 ? resolveBirthDate(printed, today, days) : printed
  return {
    ...fields,
    nationality: null,
    personal_number: null,
    date_of_birth: birth !== null && birth <= today ? birth : null,
    sex: null,
    possiblyValidUntil: null,
    partial_birth: null,
    truncated: [],
  }
}

/**
 * Reads the holder from the machine-readable zone, else from the barcode, else from the printed fields; null if none
 * was read.
 */
export function readHolder(
  { reading, mrz, barcode, print, visual }: DocumentFindings,
  today: Day,
  expected: Evidence['expected'] & { readonly date_of_birth?: Day | null | undefined } = {},
): Holder | null {
  if (reading !== 'READ') return null
  const printed = visual == null ? [] : listFullDays(visual)
  const days = [barcode?.date_of_birth ?? [], printed, expected.date_of_birth ?? []].flat()
  const evidence = { today, days, expected }
  if (mrz !== null) return readMrzHolder(mrz, evidence)
  if (barcode != null) return readBarcodeHolder(barcode, evidence)
  return print == null ? null : readPrintHolder(print, evidence)
}
