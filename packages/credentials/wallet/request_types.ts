import type { KeyObject } from 'node:crypto'
import type { WalletQuery } from './credential_kinds.ts'
import type { PrivateJwk } from './request_key.ts'

/** The operator as a relying party: its access certificate, with the certificates that vouch for it. */
export interface WalletParty {
  /** DER, the party's own first. */
  readonly certificates: readonly Buffer[]
  /** A key of P-256. */
  readonly key: KeyObject
  /** Attestations of the registration, as wallets are sent them (OpenID4VP 1.0, 5.11); empty: none. */
  readonly verifier_info: readonly object[]
}

/** A request that must be kept until its answer. It is JSON, and has a private key. */
export interface WalletRequest {
  /** Epoch milliseconds. */
  readonly created_at: number
  readonly nonce: string
  readonly key: PrivateJwk
  readonly query: WalletQuery
  /** The page's that asks the browser. */
  readonly origin: string
  /** A wallet that a link opened answers there. */
  readonly response_uri: string
  readonly client_id: string
  /** Whether answers are encrypted for `key`. */
  readonly is_encrypted: boolean
}
