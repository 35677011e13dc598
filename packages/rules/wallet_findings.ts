import type { Day } from './dates.ts'
import type { SectionStatus } from './decision.ts'
import type { DocumentType } from './words.ts'

/** The part of a wallet in a transaction: not asked, offered beside photographs, or the only way. */
export const walletPolicies = ['IGNORE', 'OFFER', 'REQUIRE'] as const

export type WalletPolicy = (typeof walletPolicies)[number]

/** The effect of a wallet's document without a portrait. */
export const walletPortraitPolicies = ['UNDETERMINED', 'LIVENESS_ONLY'] as const

export type WalletPortraitPolicy = (typeof walletPortraitPolicies)[number]

/** The claims that a wallet can be asked for, by the names that `document.data` has. */
export const walletClaims = [
  'last_name',
  'first_name',
  'date_of_birth',
  'sex',
  'nationality',
  'document_number',
  'personal_number',
  'issue_date',
  'expiry_date',
  'issuing_country',
  'portrait',
] as const

export type WalletClaim = (typeof walletClaims)[number]

/** The checks of a wallet's answer, in their order. */
export type WalletCheckName = 'answer' | 'binding' | 'signature' | 'issuer' | 'validity' | 'revocation'

/** Why a check of a wallet's answer did not pass. */
export type WalletReason =
  | 'UNREADABLE'
  | 'ANOTHER_REQUEST'
  | 'NOT_SIGNED'
  | 'DIGEST_DIFFERS'
  | 'ALGORITHM_NOT_ACCEPTED'
  | 'NO_TRUST_ANCHOR'
  | 'SIGNER_UNKNOWN'
  | 'SIGNER_NOT_ALLOWED'
  | 'CERTIFICATE_REVOKED'
  | 'NOT_YET_VALID'
  | 'EXPIRED'
  | 'REVOKED'
  | 'SUSPENDED'
  | 'STATUS_UNAVAILABLE'

export interface WalletCheck {
  readonly name: WalletCheckName
  readonly status: 'PASSED' | 'UNDETERMINED' | 'FAILED'
  readonly reason: WalletReason | null
}

/** The facts that a wallet's answer proves (ISO/IEC 18013-5, SD-JWT VC). All claims are signed by the issuer. */
export interface WalletFindings {
  readonly format: 'MDOC' | 'SD_JWT_VC'
  /** The doctype of an mdoc, the `vct` of an SD-JWT VC. */
  readonly credential_type: string
  /** Null for one that proves an age alone. */
  readonly document_type: DocumentType | null
  readonly checks: readonly WalletCheck[]
  /** Dates are `YYYY-MM-DD`, countries alpha-2. Null: not asked for, not disclosed, or the document has none. */
  readonly claims: Readonly<
    Record<
      'last_name' | 'first_name' | 'document_number' | 'personal_number' | 'nationality' | 'issuing_country',
      string | null
    >
  > & {
    readonly date_of_birth: Day | null
    readonly issue_date: Day | null
    readonly expiry_date: Day | null
    readonly sex: 'F' | 'M' | 'X' | null
  }
  /** Whether there is a portrait, which stands apart: pictures are in no findings. */
  readonly has_portrait: boolean
  /** The ages that the issuer says the person is over, or not. */
  readonly ages: readonly { readonly over: number; readonly answer: boolean }[]
  readonly disclosed: readonly WalletClaim[]
  readonly withheld: readonly WalletClaim[]
  /** SHA-256 in hex of the signer's certificate, and of the root that the chain ends at. */
  readonly signer: string | null
  readonly root: string | null
}

/** `document.data.wallet`: absent where no wallet answered. */
export interface WalletData {
  readonly status: SectionStatus
  readonly format: WalletFindings['format']
  /** The type that the issuer names: the doctype of an mdoc, the `vct` of an SD-JWT VC. */
  readonly credential_type: string
  readonly checks: readonly { readonly name: string; readonly status: SectionStatus }[]
  /** The claims that the person gave of those asked, and those that were withheld. */
  readonly disclosed: readonly WalletClaim[]
  readonly withheld: readonly WalletClaim[]
}
