import type { DocumentType } from '../../machines/transaction.ts'
import { toCountry } from './countries.ts'
import { type Day, resolveBirthDate, resolveExpiryDate } from './dates.ts'
import type { BarcodeReading, DocumentFindings, MrzReading } from './findings.ts'
import { deriveFrenchValidity } from './french_validity.ts'

/** A document and its holder, as its machine-readable zone or its barcode has them. Countries are alpha-2. */
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
  /** For a document that prints none, the last day on which it is certainly valid. */
  readonly expiry_date: Day | null
  /** For a document that prints no expiry, the last day on which it may be valid. */
  readonly possiblyValidUntil: Day | null
  /** The names that the document marks as truncated. */
  readonly truncated: readonly ('last_name' | 'first_name')[]
}

/**
 * The type of a document by its code (ICAO 9303-4 to -7): `P…` passports, `AR` and `IR` residence permits, `D…`
 * driving licences, other `A…`, `C…` and `I…` identity cards. Null for visas (`V…`), crew certificates (`AC`) and
 * everything else.
 */
export function toDocumentType(documentCode: string): DocumentType | null {
  const code = documentCode.replaceAll('<', '').trim().toUpperCase()
  if (code === 'AR' || code === 'IR') return 'RESIDENCE_PERMIT'
  if (code === 'AC') return null
  if (code.startsWith('P')) return 'PASSPORT'
  if (code.startsWith('D')) return 'DRIVING_LICENSE'
  return /^[ACI]/.test(code) ? 'ID_CARD' : null
}

/** The printed expiry; derived for the French card that prints none. */
function deriveExpiry(mrz: MrzReading, today: Day): Pick<Holder, 'expiry_date' | 'possiblyValidUntil'> {
  if (mrz.format !== 'FRENCH_ID' || mrz.expiry_date !== null) {
    return { expiry_date: resolveExpiryDate(mrz.expiry_date, today), possiblyValidUntil: null }
  }
  const validity = deriveFrenchValidity(mrz.document_number, resolveBirthDate(mrz.date_of_birth, today), today)
  return { expiry_date: validity?.certainUntil ?? null, possiblyValidUntil: validity?.possibleUntil ?? null }
}

export function readMrzHolder(mrz: MrzReading, today: Day): Holder {
  return {
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
  }
}

export function readBarcodeHolder(barcode: BarcodeReading, today: Day): Holder {
  return {
    ...barcode,
    issuing_country: toCountry(barcode.issuing_country),
    nationality: null,
    personal_number: null,
    possiblyValidUntil: null,
    // A birth in the future was misread.
    date_of_birth: barcode.date_of_birth !== null && barcode.date_of_birth <= today ? barcode.date_of_birth : null,
  }
}

/** From the machine-readable zone, else from the barcode; null where neither was read. */
export function readHolder({ reading, mrz, barcode }: DocumentFindings, today: Day): Holder | null {
  if (reading !== 'READ') return null
  if (mrz !== null) return readMrzHolder(mrz, today)
  return barcode == null ? null : readBarcodeHolder(barcode, today)
}
