import type { JWK } from 'jose'
import type { Clock } from '../base/clock.ts'
import { loadOrCreateKey, type SigningKeyRow } from '../store/signing_keys.ts'
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

/** What the keys are opened with. */
export interface WebhookKeyOptions {
  readonly store: Store
  readonly clock: Clock
  readonly master: Uint8Array
  readonly algorithm: SigningAlgorithm
}

/** Opens the keys; on a new database it makes the first. @throws {SealBroken} under another master key */
export const openWebhookKeys = async ({ store, clock, master, algorithm }: WebhookKeyOptions): Promise<WebhookKeys> => {
  const generate = () => generateSigningKey(algorithm)
  const keys = await loadOrCreateKey(store, clock, master, { purpose: 'webhook', algorithm, generate })
  const current = keys.find(({ retired_at, alg }) => retired_at === null && alg === algorithm)
  if (current === undefined) throw new Error(`no ${algorithm} key signs webhooks`)
  const active = openSigningKey({ kid: current.kid, alg: algorithm, private_jwk: current.private_jwk })
  const isPublished = ({ retired_at }: SigningKeyRow): boolean =>
    retired_at === null || retired_at + published_after_ms > clock.now()
  return {
    active: () => active,
    jwks: () => ({
      keys: [current, ...keys.filter(key => key !== current && isPublished(key))].map(key => key.public_jwk),
    }),
  }
}
