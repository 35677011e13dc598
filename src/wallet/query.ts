import type { WalletQuery } from '@attestor/credentials/wallet'
import { walletClaims } from '@attestor/rules'
import type { StoredConfig } from '../verification/transactions/config.ts'

/** Returns the query of a transaction to a wallet: a document that identifies the person. */
export function toWalletQuery({
  document_policy: { wallet_claims },
}: Pick<StoredConfig, 'document_policy'>): WalletQuery {
  return { credentials: ['MDL', 'PID'], claims: wallet_claims ?? walletClaims, age_over: null }
}
