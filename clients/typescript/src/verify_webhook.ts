/** Verifies webhooks with nothing but Node's own crypto. It imports no other file: copy it where you install no package. */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'

/** An entry of the key set: `alg` names the algorithm, `kid` the key. */
export type PublishedKey = JsonWebKey & { readonly kid?: string; readonly alg?: string }

/** The keys that webhooks are verified by. */
export interface KeySet {
  /** The key with this id; every key where the id is null, as `X-Key-Id` is optional. @throws where they can't be read */
  find(kid: string | null): Promise<readonly PublishedKey[]>
  /** Milliseconds since 1970. */
  now(): number
}

/** A received webhook. `body` is its text, its bytes, or the JSON that was parsed from it. */
export interface ReceivedWebhook {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
}

/** The body of a webhook. Its status is not signed: read the transaction before you act on it. */
export interface Notification extends Readonly<Record<string, unknown>> {
  readonly transaction_id: string
  readonly status: string
}

/** Why a webhook was rejected. */
export type RejectionReason =
  | 'missing_header'
  | 'malformed_timestamp'
  | 'timestamp_out_of_range'
  | 'malformed_signature'
  | 'malformed_body'
  | 'unknown_key'
  | 'wrong_signature'

export type Verification =
  | { readonly verified: true; readonly notification: Notification }
  | { readonly verified: false; readonly reason: RejectionReason }

/** A valid signature does not expire by itself, so older and newer ones are rejected. */
const maxSkewMs = 5 * 60 * 1000

const maxCacheAgeMs = 60 * 60 * 1000
/** Anybody can invent key ids; these must not cause a request each. */
const minRefetchMs = 10 * 1000
const fetchTimeoutMs = 5000

/** `fetch` and `now` can be replaced, for tests. */
export interface KeySetOptions {
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  readonly now?: () => number
}

async function fetchKeys(url: string, request: NonNullable<KeySetOptions['fetch']>) {
  const response = await request(url, { signal: AbortSignal.timeout(fetchTimeoutMs), redirect: 'error' })
  if (!response.ok) throw new Error(`key set: ${url} returned ${response.status}`)
  const { keys } = (await response.json()) as { keys?: readonly PublishedKey[] }
  if (!Array.isArray(keys)) throw new Error(`key set: ${url} returned no keys`)
  return keys as readonly PublishedKey[]
}

/** The key set at `{base_url}/.well-known/jwks.json`: cached for an hour, fetched again when a key id is new. */
export function openKeySet(url: string, { fetch: request = fetch, now = Date.now }: KeySetOptions = {}): KeySet {
  let keys: readonly PublishedKey[] = []
  let fetchedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | null = null
  /** One request serves all webhooks that arrive meanwhile. */
  const refresh = (): Promise<void> => {
    fetching ??= fetchKeys(url, request)
      .then(published => {
        keys = published
        fetchedAt = now()
      })
      .finally(() => {
        fetching = null
      })
    return fetching
  }
  const matching = (kid: string | null) => keys.filter(key => kid === null || key.kid === kid)
  return {
    now,
    async find(kid) {
      const ageMs = now() - fetchedAt
      if (ageMs > maxCacheAgeMs || (ageMs > minRefetchMs && matching(kid).length === 0)) await refresh()
      return matching(kid)
    },
  }
}

/** The methods of `alg`; the type of key each needs (RFC 7518 §3.1, RFC 8037 §3.1). */
const keyTypes: Readonly<Record<string, string>> = { RS256: 'RSA', ES256: 'EC', EdDSA: 'OKP' }

function isUsable({ alg = '', kty }: PublishedKey): boolean {
  return Object.hasOwn(keyTypes, alg) && keyTypes[alg] === kty
}

function verifiesWith(key: PublishedKey, data: Buffer, signature: Buffer): boolean {
  const publicKey = createPublicKey({ key, format: 'jwk' })
  // ES256 is two numbers of 32 bytes one after the other (RFC 7518 §3.4), which Node calls ieee-p1363.
  if (key.alg === 'ES256') return verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
  return verify(key.alg === 'EdDSA' ? null : 'sha256', data, publicKey, signature)
}

function readHeader({ headers }: ReceivedWebhook, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name) || null
  const given = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  // Some frameworks give every header as a list. Of two that differ none is believed.
  const [value, ...others] = new Set(Array.isArray(given) ? given : [given])
  return typeof value === 'string' && value !== '' && others.length === 0 ? value : null
}

const timestampShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function parseTimestamp(text: string): number {
  return timestampShape.test(text) ? Date.parse(text) : Number.NaN
}

const paddedBase64 = /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // Anyone can post anything here.
  }
}

function readNotification(body: unknown): Notification | null {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
  const content = typeof text === 'string' ? parseJson(text) : text
  if (typeof content !== 'object' || content === null) return null
  const { transaction_id, status } = content as Readonly<Record<string, unknown>>
  if (typeof transaction_id !== 'string' || typeof status !== 'string') return null
  return { ...content, transaction_id, status }
}

function rejected(reason: RejectionReason): Verification {
  return { verified: false, reason }
}

/**
 * Whether a webhook is authentic and not older or newer than 5 minutes. What is signed is `<timestamp>:<transaction_id>`.
 * Answer 401 where it is not verified, and 503 where this throws: then the keys could not be fetched.
 */
export async function verifyWebhook(webhook: ReceivedWebhook, keys: KeySet): Promise<Verification> {
  const timestamp = readHeader(webhook, 'x-timestamp')
  const signature = readHeader(webhook, 'x-signature')
  if (timestamp === null || signature === null) return rejected('missing_header')
  const signedAt = parseTimestamp(timestamp)
  if (Number.isNaN(signedAt)) return rejected('malformed_timestamp')
  if (Math.abs(keys.now() - signedAt) > maxSkewMs) return rejected('timestamp_out_of_range')
  if (!paddedBase64.test(signature)) return rejected('malformed_signature')
  const notification = readNotification(webhook.body)
  if (notification === null) return rejected('malformed_body')
  const candidates = (await keys.find(readHeader(webhook, 'x-key-id'))).filter(isUsable)
  if (candidates.length === 0) return rejected('unknown_key')
  const data = Buffer.from(`${timestamp}:${notification.transaction_id}`, 'utf8')
  const bytes = Buffer.from(signature, 'base64')
  const isAuthentic = candidates.some(key => verifiesWith(key, data, bytes))
  return isAuthentic ? { verified: true, notification } : rejected('wrong_signature')
}
