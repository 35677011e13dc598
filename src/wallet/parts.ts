import type { WalletParty } from '@attestor/credentials/wallet'

/** The parts for asking wallets, beside those of a transaction. */
export interface WalletParts {
  /** The operator's access certificate; null: requests are unsigned. */
  readonly party: WalletParty | null
}
