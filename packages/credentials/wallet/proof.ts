import type { WalletFindings } from '@attestor/rules'
import type { Disclosed } from './claims.ts'
import type { CredentialKind } from './credential_kinds.ts'
import type { NamedStatus } from './status_reference.ts'

/** The findings of the verifier of one format. */
export interface Proof extends Pick<WalletFindings, 'checks' | 'format' | 'credential_type' | 'signer' | 'root'> {
  readonly kind: CredentialKind
  readonly disclosed: Disclosed
  readonly status: NamedStatus
}
