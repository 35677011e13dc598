import type { Guard } from '@attestor/outbound'
import type { Store } from 'durable-xstate-sql'
import type { Clock } from './base/clock.ts'
import type { ServiceKeys } from './base/encryption.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config/settings.ts'
import type { FeatureCounter } from './features.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { SigningKey } from './identity/keys/sign.ts'
import type { Comparison, EvidenceSource, TransactionDeps } from './verification/transactions/deps.ts'
import type { ReadSignature } from './verification/transactions/signatures.ts'

export interface FeatureDeps extends Pick<TransactionDeps, 'captures' | 'customerKey'> {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly serviceKeys: ServiceKeys
  /** Resolves with the key that webhooks are signed by. */
  readonly signingKey: () => Promise<SigningKey>
  /** Null on a node that sends nothing. */
  readonly guard: Guard | null
  /** Counts what a feature found, for metrics; `word` is the value of the counter's label. */
  readonly count: (counter: FeatureCounter, word: string) => void
}

/**
 * The work of a feature, above the service: what it adds to a node. It stands in `work.ts` of its folder, and
 * `src/feature_parts.ts` joins that of all.
 */
export interface FeatureWork {
  /** Endpoints that the console's page calls. */
  readonly console?: readonly Endpoint[]
  /** Returns its endpoints of the API; null asks for those that the API's document describes. @throws {ConfigError} */
  endpoints?(deps: FeatureDeps | null): readonly Endpoint[]
  /** Returns the reader of its evidence. */
  evidence?(deps: FeatureDeps): EvidenceSource
  /** Returns the comparison with other customers, of the one feature that has it. */
  comparison?(deps: FeatureDeps): Comparison
  /** Returns the reader of uploads' signatures, of the one feature that has it. */
  signatures?(deps: FeatureDeps): ReadSignature
}
