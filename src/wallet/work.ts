import type { FeatureWork } from '../feature_work.ts'
import { createWalletEndpoints } from './endpoints.ts'
import { readWalletEvidence } from './evidence.ts'
import { createLinkEndpoints } from './link_endpoints.ts'
import { readParty } from './party.ts'
import { createStatusLists } from './status_lists.ts'
import { readWalletTrust } from './trust.ts'

export const walletWork = {
  /** Returns the endpoints of devices and of wallets. */
  endpoints(deps) {
    const parts = { party: deps && readParty(deps.config) }
    return [...createWalletEndpoints(parts), ...createLinkEndpoints(parts)]
  },
  evidence({ store, captures, clock, log, guard }) {
    const verification = {
      captures,
      readTrust: () => readWalletTrust(store),
      fetchStatusList: guard === null ? async () => null : createStatusLists({ guard, clock, log }),
    }
    return { stage: null, read: (_, of) => readWalletEvidence(verification, of) }
  },
} as const satisfies FeatureWork
