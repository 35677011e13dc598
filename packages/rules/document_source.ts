import { conclude, type RuleResult } from './decision.ts'
import type { DocumentFindings } from './findings.ts'
import { createIssue } from './issues.ts'

/** The sources of a document's data, the surest first. */
export const documentSources = ['CHIP', 'WALLET', 'ZONE', 'BARCODE', 'PRINT', 'EXPECTED_DATA'] as const

export type DocumentSource = (typeof documentSources)[number]

/** Without chip and wallet, which are verified apart. Null where nothing was read. */
export function findSource({ reading, mrz, barcode, print }: DocumentFindings): DocumentSource | null {
  if (reading !== 'READ') return null
  if (mrz !== null) return 'ZONE'
  if (barcode != null) return 'BARCODE'
  return print == null ? null : 'PRINT'
}

/** Rejects a document whose data rests on a source that the integrator does not accept. */
export function checkSource(source: DocumentSource | null, refused: readonly DocumentSource[]): RuleResult {
  if (source === null) return conclude('source', 'NOT_EXECUTED')
  if (!refused.includes(source)) return conclude('source', 'PASSED')
  return conclude('source', 'REJECTED', [createIssue('UNSUPPORTED_DOCUMENT', { source })])
}
