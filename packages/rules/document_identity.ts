import type { DocumentFindings } from './findings.ts'
import { toTypeOfZone } from './holder.ts'

/** Issuing state, type and number of a document, as one document has them each time that it is read. */
export type DocumentIdentity = readonly [state: string, type: string, number: string]

function identify(state: string, type: string | null, number: string | null): DocumentIdentity | null {
  const plain = number?.toUpperCase().replaceAll(/[^A-Z0-9]/g, '') ?? ''
  return type === null || plain === '' ? null : [state, type, plain]
}

/**
 * Returns null for a document that was not read, or whose number may be misread: no other document must be taken for
 * it.
 */
export function identifyDocument(findings: DocumentFindings | null): DocumentIdentity | null {
  if (findings === null || findings.reading !== 'READ') return null
  const { mrz, barcode, print } = findings
  if (mrz !== null)
    return mrz.valid && mrz.issuing_state !== null
      ? identify(mrz.issuing_state, toTypeOfZone(mrz), mrz.document_number)
      : null
  if (barcode == null && print != null)
    return print.issuing_country !== null && print.confirmed.includes('document_number')
      ? identify(print.issuing_country, print.document_type, print.document_number)
      : null
  if (barcode == null || barcode.jurisdiction === null) return null
  return identify(
    `${barcode.issuing_country ?? ''}/${barcode.jurisdiction}`,
    barcode.document_type,
    barcode.document_number,
  )
}
