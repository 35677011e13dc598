import type { Context } from 'koa'
import type { Authenticate, Caller } from '../accounts/bearer.ts'
import type { TokenEndpoint } from '../accounts/token_endpoint.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CustomerDeps } from '../customers/customers.ts'
import type { IdempotencyKeys } from '../database/idempotency_keys.ts'
import type { Erasures } from '../erasure/erasures.ts'
import type { ImageChecker } from '../images/image_checker.ts'
import type { ImageLimits } from '../images/media_type.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import type { DeliveryDeps } from '../webhooks/deliveries.ts'
import type { Listener } from '../webhooks/listener.ts'
import type { Cursors } from './cursors.ts'
import type { Outgoing } from './outgoing.ts'
import { type FrontDoorLimits, takePermit } from './rate_limits.ts'
import type { Uploads } from './uploads.ts'

/** A JSON Web Key Set (RFC 7517 §5), public members only. */
export interface KeySet {
  readonly keys: readonly object[]
}

/** Everything that the front door opens to. */
export interface FrontDoor {
  readonly log: Log
  readonly clock: Clock
  /** The public URL, without a trailing slash. */
  readonly base_url: string
  /** Setting `CORS_ORIGINS`. */
  readonly cors_origins: readonly string[]
  /** Setting `TRUSTED_PROXY_HOPS`. */
  readonly trusted_proxy_hops: number
  /** Setting `TRANSACTION_TTL_MINUTES`. */
  readonly default_ttl_minutes: number
  readonly image_limits: ImageLimits
  /** Where uploaded images are checked. */
  readonly imageChecker: Pick<ImageChecker, 'check'>
  /** What images under way take of this node's memory. */
  readonly uploads: Uploads
  readonly limits: FrontDoorLimits
  /** What answers under way take of this node's memory. */
  readonly outgoing: Outgoing
  /** Setting `MAX_CONCURRENT_REQUESTS`. */
  readonly most_calls: number
  readonly token: TokenEndpoint
  readonly authenticate: Authenticate
  readonly customers: CustomerDeps
  readonly transactions: TransactionDeps
  readonly erasures: Pick<Erasures, 'erase'>
  readonly deliveries: DeliveryDeps
  readonly cursors: Cursors
  /** Deliveries that a developer's own machine makes. */
  readonly listener: Listener
  /** The answers kept for calls with an `Idempotency-Key`. */
  readonly idempotency: IdempotencyKeys
  /** The rule that a webhook URL breaks, or null. */
  readonly checkDestination: (url: string) => string | null
  /** Signs what is exported, as a JWS in flattened JSON. */
  readonly signEvidence: (evidence: unknown) => Promise<object>
  /** The public keys that webhooks are verified by, the active one first. */
  readonly webhookKeys: () => Promise<KeySet>
  /** The public keys that exported evidence is verified by. */
  readonly evidenceKeys: KeySet
  /** Aborted when the node drains: who waits for something is answered with what there is. */
  readonly draining: AbortSignal
  /** What this node measures; null where `METRICS_TOKEN` is not set. */
  readonly metrics: Metrics | null
  /** Why the node can't serve; empty when it can. */
  readonly unreadiness: () => Promise<readonly string[]>
}

/** spec, "Conventions". */
export const api_prefix = '/api/account/integration/kyc'

/** decisions.md, "Device side". */
export const session_prefix = '/api/sdk/v1/session'

const reads = ['GET', 'HEAD']

/** The calling client and its account, which this call counts for. @throws {ApiError} `invalid_token`, `insufficient_scope`, `rate_limited` */
export const authenticated = async (door: FrontDoor, ctx: Context): Promise<Caller> => {
  const caller = await door.authenticate(ctx.req.headers.authorization)
  ctx.state.account_id = caller.account_id
  await takePermit(door.limits, ctx, reads.includes(ctx.method) ? 'reads' : 'writes', caller.account_id)
  return caller
}

/** The calling account. @throws {ApiError} as `authenticated` */
export const callerOf = async (door: FrontDoor, ctx: Context): Promise<string> =>
  (await authenticated(door, ctx)).account_id

/** decisions.md, "HTTP": where to read what was just made. */
export const located = (
  door: FrontDoor,
  kind: 'customer' | 'transaction',
  id: string,
): { readonly Location: string } => ({
  Location: `${door.base_url}${api_prefix}/${kind}/${id}`,
})
