import type { OperatorBranding } from '@attestor/capture-page'
import type { ImageChecker, ImageLimits } from '@attestor/vision'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { IdempotencyKeys } from '../database/idempotency_keys.ts'
import type { AccountDeps } from '../identity/accounts/accounts.ts'
import type { Authenticator } from '../identity/accounts/bearer.ts'
import type { CustomerDeps } from '../identity/customers/customers.ts'
import type { Jwk } from '../identity/keys/signing_keys.ts'
import type { OperatorDeps } from '../identity/operators/operators.ts'
import type { Refusals } from '../identity/operators/refusals.ts'
import type { Metrics } from '../node/metrics/metrics.ts'
import type { Erasures } from '../verification/erasure/erasures.ts'
import type { CaptureDeps } from '../verification/transactions/feedback.ts'
import type { ReadSignature } from '../verification/transactions/signatures.ts'
import type { DeliveryDeps } from '../webhooks/deliveries.ts'
import type { Listener } from '../webhooks/listener.ts'
import type { Cursors } from './cursors.ts'
import type { RequestLimits } from './rate_limits.ts'
import type { ResponseMemory } from './response_memory.ts'
import type { UploadMemory } from './upload_memory.ts'

/** A JSON Web Key Set (RFC 7517 §5), public members only. */
interface KeySet {
  readonly keys: readonly Jwk[]
}

/** The dependencies of schemas and of the OpenAPI document. */
export interface DocumentDeps {
  /** The public URL, without a trailing slash. */
  readonly baseUrl: string
  /** The rule that a webhook URL breaks, or null. */
  readonly checkDestination: (url: string) => string | null
  /** Setting `TRANSACTION_TTL_MINUTES`. */
  readonly defaultTtlMinutes: number
  /** Setting `EMBED_ORIGINS`. */
  readonly embedOrigins: readonly string[]
  /** Setting `REDIRECT_SCHEMES`. */
  readonly redirectSchemes: readonly string[]
}

/** The dependencies of the API: settings, and the parts of the service that it calls. */
export interface HttpDeps extends DocumentDeps {
  readonly log: Log
  readonly clock: Clock
  /** Setting `BRANDING`. */
  readonly branding: OperatorBranding
  /** Setting `CORS_ORIGINS`. */
  readonly corsOrigins: readonly string[]
  /** Setting `TRUSTED_PROXY_HOPS`. */
  readonly trustedProxyHops: number
  readonly imageLimits: ImageLimits
  /** Decodes and checks uploaded images, in child processes. */
  readonly imageChecker: Pick<ImageChecker, 'check'>
  readonly uploadMemory: UploadMemory
  readonly limits: RequestLimits
  readonly responseMemory: ResponseMemory
  /** Setting `MAX_CONCURRENT_REQUESTS`. */
  readonly maxConcurrentRequests: number
  /** Learns of a new root key: before each call that encrypts or decrypts. @throws {ApiError} `unavailable` */
  readonly refreshKeys: () => Promise<void>
  readonly accounts: AccountDeps
  readonly authenticate: Authenticator
  readonly customers: CustomerDeps
  readonly transactions: CaptureDeps
  /** Verifies the signature of an upload, if it has one or must have one. */
  readonly readSignature: ReadSignature
  readonly erasures: Pick<Erasures, 'erase'>
  readonly deliveries: DeliveryDeps
  readonly cursors: Cursors
  readonly operators: OperatorDeps
  /** Sums the refusals of callers without a credential, for the audit log. */
  readonly refusals: Refusals
  /** Whether anybody can log in to the console. */
  readonly operatorsExist: () => Promise<boolean>
  /** Deliveries that a developer's own machine forwards. */
  readonly listener: Listener
  readonly idempotency: IdempotencyKeys
  /** Signs an export, as a JWS in flattened JSON. */
  readonly signEvidence: (evidence: unknown) => Promise<object>
  /** The public keys that webhooks are verified by, the active one first. */
  readonly webhookKeys: () => Promise<KeySet>
  /** The public keys that exported evidence is verified by. */
  readonly evidenceKeys: KeySet
  /** Aborted when the node drains: a waiting call then returns its present data. */
  readonly draining: AbortSignal
  /** Null where `METRICS_TOKEN` is not set. */
  readonly metrics: Metrics | null
  /** Why the node can't serve; empty when it can. */
  readonly unreadiness: () => Promise<readonly string[]>
  /** The host of the database in use; null with SQLite. */
  readonly databaseHost: () => string | null
}
