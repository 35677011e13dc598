import type { ChipPolicy } from './chip_rules.ts'
import type { DocumentSource } from './document_source.ts'
import type { UnknownDocumentPolicy } from './unknown_document.ts'

/** `config.document_policy`, complete. */
export interface DocumentPolicy {
  readonly chip: ChipPolicy
  readonly unknown_document: UnknownDocumentPolicy
  /** The sources that a document's data may not rest on. */
  readonly refused_sources: readonly DocumentSource[]
}

export const defaultDocumentPolicy: DocumentPolicy = { chip: 'IGNORE', unknown_document: 'IGNORE', refused_sources: [] }
