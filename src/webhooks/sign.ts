import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { isoTimestamp } from '../base/clock.ts'

/** Setting `WEBHOOK_ALGORITHM`; named to receivers by the JWK's `alg`. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/** A key pair as it is stored (the private half sealed) and published (the public half, as an entry of the JWKS). */
export interface SigningKeyPair {
  kid: string
  alg: SigningAlgorithm
  private_jwk: JWK
  public_jwk: JWK
}

/** A key ready to sign with. */
export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  private_key: KeyObject
}

/** A new pair; `kid` is the RFC 7638 thumbprint (SHA-256, base64url). RSA has 2048 bits, EdDSA is Ed25519. */
export const generateSigningKey = async (alg: SigningAlgorithm): Promise<SigningKeyPair> => {
  const options = alg === 'RS256' ? { modulusLength: 2048 } : alg === 'EdDSA' ? { crv: 'Ed25519' } : {}
  const pair = await generateKeyPair(alg, { ...options, extractable: true })
  const [private_jwk, public_jwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)])
  const kid = await calculateJwkThumbprint(public_jwk, 'sha256')
  const told = { kid, alg, use: 'sig' }
  return { kid, alg, private_jwk: { ...private_jwk, ...told }, public_jwk: { ...public_jwk, ...told } }
}

/** Parsed once and kept for many signatures. */
export const openSigningKey = (pair: Pick<SigningKeyPair, 'kid' | 'alg' | 'private_jwk'>): SigningKey => ({
  kid: pair.kid,
  alg: pair.alg,
  private_key: createPrivateKey({ key: { ...pair.private_jwk }, format: 'jwk' }),
})

/** With a callback Node signs on its thread pool: RS256 takes most of a millisecond of CPU. */
const signBytes = (key: SigningKey, data: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const digest = key.alg === 'EdDSA' ? null : 'sha256'
    // ES256 is two 32-byte numbers one after the other (RFC 7518 §3.4), which is what WebCrypto and JOSE libraries verify
    // by `alg`; OpenSSL-based verifiers expect DER and must be told. Told so of any other key, Node takes 10 µs more.
    const { private_key } = key
    const asked = key.alg === 'ES256' ? ({ key: private_key, dsaEncoding: 'ieee-p1363' } as const) : private_key
    sign(digest, data, asked, (error, signature) => (error ? reject(error) : resolve(signature)))
  })

/** What is to be signed: `timestamp` in epoch milliseconds, made anew for every attempt. */
export interface Signing {
  key: SigningKey
  timestamp: number
  transaction_id: string
}

/** spec, "Webhook signature": `<timestamp>:<transaction_id>`, signed; the signature is padded base64. */
export const signDelivery = async ({ key, timestamp, transaction_id }: Signing): Promise<Record<string, string>> => {
  const stamp = isoTimestamp(timestamp)
  const signature = await signBytes(key, Buffer.from(`${stamp}:${transaction_id}`, 'utf8'))
  return { 'X-Timestamp': stamp, 'X-Signature': signature.toString('base64'), 'X-Key-Id': key.kid }
}
