// Sample code for an integrator: how to verify a webhook, with nothing but Node's own crypto. Copy it as it is.
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'

/** An entry of the JWKS document: `alg` names the algorithm, `kid` the key. */
export type PublishedKey = JsonWebKey & { kid?: string; alg?: string }

/** Fetches and caches the key set. */
export interface KeySet {
  /** The key with this id, or every key if the id is null (the header `X-Key-Id` is optional). */
  find(kid: string | null): Promise<readonly PublishedKey[]>
}

/** Webhooks older or newer than this, in milliseconds, are rejected: a valid signature does not expire by itself. */
export const maxAgeMs = 5 * 60 * 1000

const maxCacheAgeMs = 60 * 60 * 1000
const minRefetchMs = 10 * 1000

/** Reads the key set from `url`, caches it for an hour, and reads it again if a webhook names an unknown key. */
export const remoteKeySet = (url: string, now: () => number): KeySet => {
  let keys: readonly PublishedKey[] = []
  let fetchedAt = Number.NEGATIVE_INFINITY
  const refresh = async (): Promise<void> => {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' })
    if (!response.ok) throw new Error(`key set: ${url} returned ${response.status}`)
    const document = (await response.json()) as { keys: PublishedKey[] }
    keys = document.keys
    fetchedAt = now()
  }
  const matching = (kid: string | null): readonly PublishedKey[] => keys.filter(key => kid === null || key.kid === kid)
  return {
    async find(kid) {
      const ageMs = now() - fetchedAt
      const unknown = matching(kid).length === 0
      // Invented key ids must not cause a request to the service each time.
      if (ageMs > maxCacheAgeMs || (unknown && ageMs > minRefetchMs)) await refresh()
      return matching(kid)
    },
  }
}

const verifiesWith = (key: PublishedKey, data: Buffer, signature: Buffer): boolean => {
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' })
    if (key.alg === 'RS256') return verify('sha256', data, publicKey, signature)
    if (key.alg === 'ES256') return verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
    if (key.alg === 'EdDSA') return verify(null, data, publicKey, signature)
    return false
  } catch {
    return false // Not a key that this runtime can read.
  }
}

/** A received webhook: header names in lower case, the body as text. */
export interface ReceivedWebhook {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** The body's fields, or the reason to return 401. */
export type Verification =
  | { verified: true; notification: { transaction_id: string; status: string } & Record<string, unknown> }
  | { verified: false; reason: string }

const rejected = (reason: string): Verification => ({ verified: false, reason })

const readBody = (text: string): { transaction_id: string; status: string } | null => {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return null
    if (!('transaction_id' in body) || typeof body.transaction_id !== 'string') return null
    if (!('status' in body) || typeof body.status !== 'string') return null
    return { ...body, transaction_id: body.transaction_id, status: body.status }
  } catch {
    return null
  }
}

/**
 * Whether a webhook is authentic and fresh. The signed string is `<timestamp>:<transaction_id>`. The status is not
 * signed: treat a webhook as a hint to read the transaction with your own access token, never as the decision itself.
 */
export const verifyWebhook = async (webhook: ReceivedWebhook, keys: KeySet, now: number): Promise<Verification> => {
  const timestamp = webhook.headers['x-timestamp']
  const signature = webhook.headers['x-signature']
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return rejected('a signature header is missing')
  const ageMs = now - Date.parse(timestamp)
  if (!(Math.abs(ageMs) <= maxAgeMs)) return rejected('the timestamp is not within 5 minutes of now')
  const notification = readBody(webhook.body)
  if (notification === null) return rejected('the body is not a notification')
  const kid = webhook.headers['x-key-id']
  const candidates = await keys.find(typeof kid === 'string' ? kid : null)
  const data = Buffer.from(`${timestamp}:${notification.transaction_id}`, 'utf8')
  const authentic = candidates.some(key => verifiesWith(key, data, Buffer.from(signature, 'base64')))
  return authentic ? { verified: true, notification } : rejected('the signature does not verify')
}
