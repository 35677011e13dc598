import { type KeyObject, sign } from 'node:crypto'
import { type JsonObject, memberOf, readBase64url, readJson, refuse, requireObject, requireText } from './place.ts'
import { findAlgorithm, isSignedWith } from './signature_algorithms.ts'

/** A JWS in its compact form (RFC 7515, 7.1). */
export interface Jws {
  readonly place: string
  readonly header: JsonObject
  readonly payload: JsonObject
  /** The signed bytes, in ASCII. */
  readonly signed: Buffer
  readonly signature: Buffer
}

/** Extensions that must be understood and change nothing of how a signature is verified: its time (ETSI TS 119 182-1, 5.2.1). */
const understood: readonly unknown[] = ['sigT']

/**
 * Reads a JWS of a type; null: of any.
 * @throws {UnreadableFileError} also for an extension that must be understood and is not (RFC 7515, 4.1.11)
 */
export function readJws(place: string, text: string, type: string | null): Jws {
  const [header = '', payload = '', signature = '', ...more] = text.split('.')
  if (signature === '' || more.length > 0) throw refuse(place, 'must be a JWS of three parts')
  const read = (part: string, encoded: string): JsonObject =>
    requireObject(`${place}.${part}`, readJson(`${place}.${part}`, readBase64url(`${place}.${part}`, encoded)))
  const headers = read('header', header)
  const critical = memberOf(headers, 'crit') ?? []
  if (!Array.isArray(critical) || !critical.every(one => understood.includes(one)))
    throw refuse(`${place}.header.crit`, 'has an extension that is not known')
  if (type !== null && memberOf(headers, 'typ') !== type) throw refuse(`${place}.header.typ`, `must be ${type}`)
  return {
    place,
    header: headers,
    payload: read('payload', payload),
    signed: Buffer.from(`${header}.${payload}`),
    signature: readBase64url(`${place}.signature`, signature),
  }
}

/** Whether a key signed it; null: an algorithm, or a key for it, that we do not accept. */
export function isJwsSigned({ place, header, signed, signature }: Jws, key: KeyObject): boolean | null {
  const algorithm = findAlgorithm(requireText(`${place}.header.alg`, memberOf(header, 'alg')))
  return algorithm === null ? null : isSignedWith(key, { algorithm, data: signed, signature })
}

const maxCertificates = 5

/** The certificates of `x5c` in DER, the signer's first; empty: it has none. */
export function readCertificateChain({ place, header }: Jws): readonly Buffer[] {
  const chain = memberOf(header, 'x5c')
  if (chain === undefined) return []
  if (!Array.isArray(chain) || chain.length === 0 || chain.length > maxCertificates)
    throw refuse(`${place}.header.x5c`, `must be 1 to ${maxCertificates} certificates`)
  return chain.map((one, at) => readBase64(`${place}.header.x5c[${at}]`, one))
}

/** RFC 4648, 4: the letters that certificates are written in. */
export function readBase64(place: string, text: unknown): Buffer {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw refuse(place, 'must be base64')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw refuse(place, 'must be base64')
  return bytes
}

/** A time of a JWT in epoch milliseconds (RFC 7519, 2: seconds); null where there is none. */
export function readJwtTime(place: string, payload: JsonObject, name: string): number | null {
  const value = memberOf(payload, name)
  if (value === undefined) return null
  if (typeof value !== 'number' || value < 0 || value > 1e12)
    throw refuse(`${place}.${name}`, 'must be a number of seconds')
  return value * 1000
}

/** A JWS of ES256. */
export function signJws(header: JsonObject, payload: JsonObject, key: KeyObject): string {
  const write = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${write({ alg: 'ES256', ...header })}.${write(payload)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}
