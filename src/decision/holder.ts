import { countryOfIcaoCode } from './countries.ts'
import { birthDay, type Day, expiryDay } from './dates.ts'
import type { BarcodeReading, DocumentFindings, MrzReading } from './findings.ts'
import { frenchValidity } from './french_validity.ts'

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
  readonly expires_at_last: Day | null
  /** Names that the document says it cut off. */
  readonly truncated: readonly ('last_name' | 'first_name')[]
}

/**
 * The kind of document from its code (ICAO 9303-4 to -7): `P…` passports, `AR` and `IR` residence permits, `D…`
 * driving licences, other `A…`, `C…` and `I…` identity cards. Null for visas (`V…`), crew certificates (`AC`) and
 * everything else, which identify nobody here.
 */
export const documentTypeOf = (document_code: string): DocumentType | null => {
  const code = document_code.replaceAll('<', '').trim().toUpperCase()
  if (code === 'AR' || code === 'IR') return 'RESIDENCE_PERMIT'
  if (code === 'AC') return null
  if (code.startsWith('P')) return 'PASSPORT'
  if (code.startsWith('D')) return 'DRIVING_LICENSE'
  return /^[ACI]/.test(code) ? 'ID_CARD' : null
}

/** The expiry that is printed, or what follows for the old French card, which prints none. */
const expiryOf = (mrz: MrzReading, today: Day): Pick<Holder, 'expiry_date' | 'expires_at_last'> => {
  if (mrz.format !== 'FRENCH_ID' || mrz.expiry_date !== null) {
    return { expiry_date: expiryDay(mrz.expiry_date, today), expires_at_last: null }
  }
  const validity = frenchValidity(mrz.document_number, birthDay(mrz.date_of_birth, today), today)
  return { expiry_date: validity?.surely_until ?? null, expires_at_last: validity?.perhaps_until ?? null }
}

/** What a machine-readable zone says. A zone knows no day of issue. */
export const holderOfMrz = (mrz: MrzReading, today: Day): Holder => ({
  document_type: documentTypeOf(mrz.document_code),
  issuing_country: countryOfIcaoCode(mrz.issuing_state),
  nationality: countryOfIcaoCode(mrz.nationality),
  document_number: mrz.document_number,
  personal_number: mrz.personal_number,
  first_name: mrz.first_name,
  last_name: mrz.last_name,
  date_of_birth: birthDay(mrz.date_of_birth, today),
  sex: mrz.sex,
  issue_date: null,
  ...expiryOf(mrz, today),
  truncated: [],
})

/** What a barcode says. */
export const holderOfBarcode = (barcode: BarcodeReading, today: Day): Holder => ({
  ...barcode,
  issuing_country: countryOfIcaoCode(barcode.issuing_country),
  nationality: null,
  personal_number: null,
  expires_at_last: null,
  // Nobody is born tomorrow: such a date was not read.
  date_of_birth: barcode.date_of_birth !== null && barcode.date_of_birth <= today ? barcode.date_of_birth : null,
})

/** What was read of a document: its machine-readable zone, else its barcode; null where neither was. */
export const holderOf = ({ reading, mrz, barcode }: DocumentFindings, today: Day): Holder | null => {
  if (reading !== 'READ') return null
  if (mrz !== null) return holderOfMrz(mrz, today)
  return barcode == null ? null : holderOfBarcode(barcode, today)
}
