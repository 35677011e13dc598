import type { JWK } from 'jose'
import type { Clock } from '../base/clock.ts'
import { type KeyPair, openKeyRing, type StoredKey } from '../store/signing_keys.ts'
import type { Store } from '../store/store.ts'
import { generateSigningKey, openSigningKey, type SigningAlgorithm, type SigningKey } from './sign.ts'

/** decisions.md, "Webhooks": a retired key stays published this long, so that what it signed can still be verified. */
const published_after_ms = 7 * 24 * 3600 * 1000

/** The keys that sign webhooks. */
export interface WebhookKeys {
  /** The key that signs now. */
  active(): SigningKey
  /** spec, "Public keys": the active key first; public members only. */
  jwks(): { readonly keys: readonly JWK[] }
}

/** What the ring is opened with. */
export interface WebhookKeyOptions {
  readonly store: Store
  readonly clock: Clock
  readonly master: Uint8Array
  readonly algorithm: SigningAlgorithm
}

const isPublished = (key: StoredKey, now: number): boolean =>
  key.retired_at === null || key.retired_at + published_after_ms > now

const opened = (key: StoredKey): SigningKey =>
  openSigningKey({ kid: key.kid, alg: key.alg as SigningAlgorithm, private_jwk: key.private_jwk as JWK })

/** Opens the ring; on a new database it makes the first key. */
export const openWebhookKeys = async ({ store, clock, master, algorithm }: WebhookKeyOptions): Promise<WebhookKeys> => {
  const generate = async (): Promise<KeyPair> => ({ ...(await generateSigningKey(algorithm)) }) as KeyPair
  const ring = { store, master, purpose: 'webhook', algorithm, generate } as const
  const keys = await openKeyRing(ring, clock.now())
  const current = keys.find(({ retired_at, alg }) => retired_at === null && alg === algorithm)
  if (current === undefined) throw new Error('the webhook key ring has no active key')
  const active = opened(current)
  return {
    active: () => active,
    jwks: () => ({
      keys: [current, ...keys.filter(key => key !== current && isPublished(key, clock.now()))].map(
        key => key.public_jwk as JWK,
      ),
    }),
  }
}
