import { attestationWork } from './attestation/work.ts'
import { chipWork } from './chip/work.ts'
import { duplicatesWork } from './duplicates/work.ts'
import type { FeatureDeps, FeatureWork } from './feature_work.ts'
import type { FeatureName } from './features.ts'
import { handoffWork } from './handoff/work.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { Comparison, EvidenceSource } from './verification/transactions/deps.ts'
import type { ReadSignature } from './verification/transactions/signatures.ts'
import { walletWork } from './wallet/work.ts'

const all = {
  chip: chipWork,
  wallet: walletWork,
  duplicates: duplicatesWork,
  handoff: handoffWork,
  attestation: attestationWork,
} satisfies Readonly<Record<FeatureName, FeatureWork>>

const works: readonly FeatureWork[] = Object.values(all)

/** The features of a service, as a node runs them. */
export interface OpenFeatures {
  readonly endpoints: readonly Endpoint[]
  /** The first portrait counts: that of a wallet stands in place of pictures, and comes before a chip's. */
  readonly evidence: readonly EvidenceSource[]
  readonly comparison: Comparison
  readonly readSignature: ReadSignature
}

/** Endpoints that the API's document has too. */
export const featureEndpoints = works.flatMap(work => work.endpoints?.(null) ?? [])

/** Endpoints that the console's page calls. */
export const consoleEndpoints = works.flatMap(work => work.console ?? [])

/** Opens all features. @throws {ConfigError} */
export function openFeatures(deps: FeatureDeps): OpenFeatures {
  return {
    endpoints: works.flatMap(work => work.endpoints?.(deps) ?? []),
    evidence: works.flatMap(work => work.evidence?.(deps) ?? []).toReversed(),
    comparison: all.duplicates.comparison(deps),
    readSignature: all.attestation.signatures(deps),
  }
}
