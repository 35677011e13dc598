import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { isoTimestamp } from '../../base/clock.ts'

/** Setting `WEBHOOK_ALGORITHM`; named to receivers by the JWK's `alg`. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/** The private half is stored encrypted; the public half is published in the JWKS. */
export interface SigningKeyPair {
  kid: string
  alg: SigningAlgorithm
  private_jwk: JWK
  public_jwk: JWK
}

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  private_key: KeyObject
}

/** A new pair; `kid` is the RFC 7638 thumbprint (SHA-256, base64url). RSA has 2048 bits, EdDSA is Ed25519. */
export async function generateSigningKey(alg: SigningAlgorithm): Promise<SigningKeyPair> {
  const options = alg === 'RS256' ? { modulusLength: 2048 } : alg === 'EdDSA' ? { crv: 'Ed25519' } : {}
  const pair = await generateKeyPair(alg, { ...options, extractable: true })
  const [private_jwk, public_jwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)])
  const kid = await calculateJwkThumbprint(public_jwk, 'sha256')
  const members = { kid, alg, use: 'sig' }
  return { kid, alg, private_jwk: { ...private_jwk, ...members }, public_jwk: { ...public_jwk, ...members } }
}

/** Parsed once and kept for many signatures. */
export function openSigningKey(pair: Pick<SigningKeyPair, 'kid' | 'alg' | 'private_jwk'>): SigningKey {
  return {
    kid: pair.kid,
    alg: pair.alg,
    private_key: createPrivateKey({ key: { ...pair.private_jwk }, format: 'jwk' }),
  }
}

/** Signs with a callback, so that Node uses its thread pool: RS256 takes most of a millisecond of CPU. */
function signBytes(key: SigningKey, data: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const digest = key.alg === 'EdDSA' ? null : 'sha256'
    // ES256 is two 32-byte numbers one after the other (RFC 7518 §3.4), which is what WebCrypto and JOSE libraries verify
    // by `alg`; OpenSSL-based verifiers expect DER. The option costs 10 µs for any other key, so only ES256 sets it.
    const { private_key } = key
    const signer = key.alg === 'ES256' ? ({ key: private_key, dsaEncoding: 'ieee-p1363' } as const) : private_key
    sign(digest, data, signer, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}

/** `timestamp` is in epoch milliseconds, and new for every attempt. */
export interface SignatureInput {
  key: SigningKey
  timestamp: number
  /** A webhook's `transaction_id`; of a link for another device the whole body. */
  subject: string
}

/** The headers that a signature is sent in. */
export type SignatureHeader = 'X-Timestamp' | 'X-Signature' | 'X-Key-Id'

/** Signs `<timestamp>:<subject>`; the signature is padded base64. */
export async function signDelivery({
  key,
  timestamp,
  subject,
}: SignatureInput): Promise<Readonly<Record<SignatureHeader, string>>> {
  const stamp = isoTimestamp(timestamp)
  const signature = await signBytes(key, Buffer.from(`${stamp}:${subject}`, 'utf8'))
  return { 'X-Timestamp': stamp, 'X-Signature': signature.toString('base64'), 'X-Key-Id': key.kid }
}
