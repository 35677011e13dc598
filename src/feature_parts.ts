import { listTrustAnchors } from './chip/console.ts'
import { issueChipChallenge, putChip } from './chip/endpoints.ts'
import type { Config } from './config/settings.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { EvidenceSource } from './verification/transactions/deps.ts'
import { listWalletEndpoints, openWallet, type WalletDeps } from './wallet/open_wallet.ts'

/** The features of a service, as a node runs them. */
export interface OpenFeatures {
  readonly endpoints: readonly Endpoint[]
  /** The wallet's first, in place of pictures. */
  readonly evidence: readonly EvidenceSource[]
}

const ofChip = [issueChipChallenge, putChip]

/** Endpoints that the API's document has too. */
export const featureEndpoints: readonly Endpoint[] = [...ofChip, ...listWalletEndpoints({ party: null })]

/** Endpoints that the console's page calls. */
export const consoleEndpoints: readonly Endpoint[] = [listTrustAnchors]

/** Opens all features. @throws {ConfigError} */
export function openFeatures(config: Config, deps: WalletDeps): OpenFeatures {
  const wallet = openWallet(config, deps)
  const chip: EvidenceSource = {
    stage: 'chip',
    // The reader of ASN.1 is loaded when the first chip comes.
    read: async (...of) => (await import('./chip/evidence.ts')).readChipEvidence(...of),
  }
  return { endpoints: [...ofChip, ...wallet.endpoints], evidence: [wallet.evidence, chip] }
}
