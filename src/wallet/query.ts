import type { WalletQuery } from '@attestor/credentials/wallet'
import { walletClaims } from '@attestor/rules'
import type { StoredConfig } from '../verification/transactions/config.ts'

/** Returns the query of a transaction to a wallet: who the person is, or the age alone, with which nothing else is asked. */
export function toWalletQuery({ document_policy: { wallet_claims }, age }: StoredConfig): WalletQuery {
  return age === null
    ? { credentials: ['MDL', 'PID'], claims: wallet_claims ?? walletClaims, age_over: null }
    : { credentials: ['AGE', 'MDL', 'PID'], claims: [], age_over: age.over }
}
