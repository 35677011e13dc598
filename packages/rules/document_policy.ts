import type { ChipPolicy } from './chip_rules.ts'
import type { DocumentSource } from './document_source.ts'
import type { UnknownDocumentPolicy } from './unknown_document.ts'
import type { WalletClaim, WalletPolicy, WalletPortraitPolicy } from './wallet_findings.ts'

/** `config.document_policy`, complete. */
export interface DocumentPolicy {
  readonly chip: ChipPolicy
  readonly unknown_document: UnknownDocumentPolicy
  /** The sources that a document's data may not rest on. */
  readonly refused_sources: readonly DocumentSource[]
  readonly wallet: WalletPolicy
  /** The claims that a wallet is asked for; null: everything that the type of the transaction needs. */
  readonly wallet_claims: readonly WalletClaim[] | null
  readonly wallet_without_portrait: WalletPortraitPolicy
}

export const defaultDocumentPolicy: DocumentPolicy = {
  chip: 'IGNORE',
  unknown_document: 'IGNORE',
  refused_sources: [],
  wallet: 'IGNORE',
  wallet_claims: null,
  wallet_without_portrait: 'UNDETERMINED',
}
