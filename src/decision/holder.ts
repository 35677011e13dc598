import { toCountry } from './countries.ts'
import { type Day, resolveBirthDate, resolveExpiryDate } from './dates.ts'
import type { BarcodeReading, DocumentFindings, MrzReading } from './findings.ts'
import { deriveFrenchValidity } from './french_validity.ts'

/** decisions, "Decision": `document.data.document_type`. */
export type DocumentType = 'PASSPORT' | 'ID_CARD' | 'DRIVING_LICENSE' | 'RESIDENCE_PERMIT'

/** What a document says of itself and its holder, whichever part of it said so. Countries are alpha-2. */
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
  /** A machine-readable zone has none; a barcode does. */
  readonly issue_date: Day | null
  /** Of a document that prints none, the last day on which it is valid for sure. */
  readonly expiry_date: Day | null
  /** Of a document that prints no expiry, the last day on which it may be valid. */
  readonly possiblyValidUntil: Day | null
  /** Names that the document says it cut off. */
  readonly truncated: readonly ('last_name' | 'first_name')[]
}

/**
 * The kind of document from its code (ICAO 9303-4 to -7): `P…` passports, `AR` and `IR` residence permits, `D…`
 * driving licences, other `A…`, `C…` and `I…` identity cards. Null for visas (`V…`), crew certificates (`AC`) and
 * everything else, which identify nobody here.
 */
export const toDocumentType = (documentCode: string): DocumentType | null => {
  const code = documentCode.replaceAll('<', '').trim().toUpperCase()
  if (code === 'AR' || code === 'IR') return 'RESIDENCE_PERMIT'
  if (code === 'AC') return null
  if (code.startsWith('P')) return 'PASSPORT'
  if (code.startsWith('D')) return 'DRIVING_LICENSE'
  return /^[ACI]/.test(code) ? 'ID_CARD' : null
}

/** The expiry that is printed, or what follows for the old French card, which prints none. */
const deriveExpiry = (mrz: MrzReading, today: Day): Pick<Holder, 'expiry_date' | 'possiblyValidUntil'> => {
  if (mrz.format !== 'FRENCH_ID' || mrz.expiry_date !== null) {
    return { expiry_date: resolveExpiryDate(mrz.expiry_date, today), possiblyValidUntil: null }
  }
  const validity = deriveFrenchValidity(mrz.document_number, resolveBirthDate(mrz.date_of_birth, today), today)
  return { expiry_date: validity?.certainUntil ?? null, possiblyValidUntil: validity?.possibleUntil ?? null }
}

/** What a machine-readable zone says. A zone knows no day of issue. */
export const readMrzHolder = (mrz: MrzReading, today: Day): Holder => ({
  document_type: toDocumentType(mrz.document_code),
  issuing_country: toCountry(mrz.issuing_state),
  nationality: toCountry(mrz.nationality),
  document_number: mrz.document_number,
  personal_number: mrz.personal_number,
  first_name: mrz.first_name,
  last_name: mrz.last_name,
  date_of_birth: resolveBirthDate(mrz.date_of_birth, today),
  sex: mrz.sex,
  issue_date: null,
  ...deriveExpiry(mrz, today),
  truncated: [],
})

/** What a barcode says. */
export const readBarcodeHolder = (barcode: BarcodeReading, today: Day): Holder => ({
  ...barcode,
  issuing_country: toCountry(barcode.issuing_country),
  nationality: null,
  personal_number: null,
  possiblyValidUntil: null,
  // Nobody is born tomorrow: such a date was not read.
  date_of_birth: barcode.date_of_birth !== null && barcode.date_of_birth <= today ? barcode.date_of_birth : null,
})

/** What was read of a document: its machine-readable zone, else its barcode; null where neither was. */
export const readHolder = ({ reading, mrz, barcode }: DocumentFindings, today: Day): Holder | null => {
  if (reading !== 'READ') return null
  if (mrz !== null) return readMrzHolder(mrz, today)
  return barcode == null ? null : readBarcodeHolder(barcode, today)
}
