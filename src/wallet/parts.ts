import type { WalletParty } from '@attestor/credentials/wallet'

/** What wallets are asked with, beside the parts of a transaction. */
export interface WalletParts {
  /** The operator's access certificate; null: requests are unsigned. */
  readonly party: WalletParty | null
}
