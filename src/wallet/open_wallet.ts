import type { Store } from 'durable-xstate-sql'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { EvidenceSource, TransactionDeps } from '../verification/transactions/deps.ts'
import type { Guard } from '../webhooks/guard.ts'
import { createWalletEndpoints } from './endpoints.ts'
import { readWalletEvidence } from './evidence.ts'
import { createLinkEndpoints } from './link_endpoints.ts'
import { readParty } from './party.ts'
import { createStatusLists } from './status_lists.ts'
import { readWalletTrust } from './trust.ts'

/** The wallet, as the service registers it. */
export interface OpenWallet {
  readonly evidence: EvidenceSource
  readonly endpoints: readonly Endpoint[]
}

export interface WalletDeps extends Pick<TransactionDeps, 'captures'> {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Null on a node that sends nothing. */
  readonly guard: Guard | null
}

/** The endpoints of devices and of wallets, which the API's document has too. */
export function listWalletEndpoints(parts: Parameters<typeof createWalletEndpoints>[0]): readonly Endpoint[] {
  return [...createWalletEndpoints(parts), ...createLinkEndpoints(parts)]
}

/** Opens the wallet: its endpoints, and the verification of its answers. @throws {ConfigError} */
export function openWallet(config: Config, { store, captures, clock, log, guard }: WalletDeps): OpenWallet {
  const verification = {
    captures,
    readTrust: () => readWalletTrust(store),
    fetchStatusList: guard === null ? async () => null : createStatusLists({ guard, clock, log }),
  }
  return {
    evidence: { stage: null, read: (_, of) => readWalletEvidence(verification, of) },
    endpoints: listWalletEndpoints({ party: readParty(config) }),
  }
}
