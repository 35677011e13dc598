import type { WalletParty } from '@attestor/credentials/wallet'
import type { Store } from 'durable-xstate-sql'
import type { Config } from '../config/settings.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { createWalletEndpoints } from './endpoints.ts'
import { readWalletEvidence } from './evidence.ts'
import { readWalletTrust } from './trust.ts'

export interface OpenWallet {
  readonly readWallet: TransactionDeps['readWallet']
  readonly endpoints: readonly Endpoint[]
}

interface WalletDeps extends Pick<TransactionDeps, 'captures'> {
  readonly store: Store
}

/** The wallet as the service has it: its endpoints, and what its answers prove. */
export function openWallet(_config: Config, { store, captures }: WalletDeps): OpenWallet {
  const party: WalletParty | null = null
  const verification = {
    captures,
    readTrust: () => readWalletTrust(store),
    fetchStatusList: async () => null,
  }
  return {
    readWallet: (key, context, now) => readWalletEvidence(verification, key, context, now),
    endpoints: createWalletEndpoints({ party }),
  }
}
