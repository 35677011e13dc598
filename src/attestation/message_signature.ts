import { type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import {
  type AssertedKey,
  AttestationError,
  UnreadableFileError,
  verifyAssertion,
} from '@attestor/credentials/attestation'
import { type InnerList, isInnerList, parseDictionary, serializeInnerList } from 'structured-headers'
import { ApiError } from '../base/api_error.ts'
import { hashContent } from '../verification/captures/digest.ts'
import type { SignedRequest } from '../verification/transactions/signatures.ts'

/** HTTP Message Signatures (RFC 9421), as narrow as an upload needs them: one signature, over the upload. */

/** The key that signs: any data by ES256, or Apple's, which signs assertions alone. */
export type CaptureKey =
  | { readonly kind: 'es256'; readonly public_key: KeyObject }
  | ({ readonly kind: 'assertion' } & AssertedKey)

/** The key and the transaction that a signature of an upload must be by. */
export interface ExpectedSignature {
  /** The challenge that the key was attested for: the transaction's own. */
  readonly key_id: string
  readonly key: CaptureKey
  /** Epoch milliseconds. */
  readonly now: number
}

function refuse(what: string): ApiError {
  return new ApiError('signature_refused', what)
}

type Dictionary = ReturnType<typeof parseDictionary>

/** @throws {ApiError} `signature_refused` */
function readDictionary(request: SignedRequest, name: string): Dictionary {
  const value = request.header(name)
  if (value === null) throw refuse(`${name}: is required`)
  try {
    return parseDictionary(value)
  } catch {
    throw refuse(`${name}: must be a dictionary of RFC 9651`)
  }
}

function toBytes(value: unknown): Buffer | null {
  return value instanceof ArrayBuffer ? Buffer.from(value) : null
}

/** Bytes of the value under a name. */
function readBytes(dictionary: Dictionary, name: string): Buffer | null {
  const found = dictionary.get(name)
  return found === undefined || isInnerList(found) ? null : toBytes(found[0])
}

/** RFC 9530. Another digest beside it is not looked at. @throws {ApiError} `signature_refused` */
function requireDigest(request: SignedRequest, content: Uint8Array): void {
  const given = readBytes(readDictionary(request, 'content-digest'), 'sha-256')
  const expected = Buffer.from(hashContent(content), 'hex')
  if (given === null) throw refuse('content-digest: must have sha-256')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refuse('content-digest: is not that of the body')
}

const required = ['@method', '@path', 'content-digest'] as const
const optional = ['content-type'] as const
const knownParameters = ['created', 'expires', 'nonce', 'alg', 'keyid', 'tag']

/** The most that a device's clock may differ from the service's. */
const toleranceMs = 300_000

interface SignatureParameters {
  readonly created: number
  readonly nonce: string
}

/** @throws {ApiError} `signature_refused` */
function readParameters([, given]: InnerList, { key_id, key, now }: ExpectedSignature): SignatureParameters {
  const unknown = [...given.keys()].find(name => !knownParameters.includes(name))
  if (unknown !== undefined) throw refuse(`signature-input: ${unknown.slice(0, 32)} is no parameter that is read`)
  const [created, expires, nonce] = [given.get('created'), given.get('expires'), given.get('nonce')]
  if (given.get('keyid') !== key_id) throw refuse('signature-input: keyid must be the challenge_id that was attested')
  const alg = given.get('alg')
  if (alg !== undefined && (key.kind !== 'es256' || alg !== 'ecdsa-p256-sha256'))
    throw refuse('signature-input: alg must be ecdsa-p256-sha256, and absent for App Attest')
  if (typeof nonce !== 'string' || !/^[A-Za-z0-9_-]{16,64}$/.test(nonce))
    throw refuse('signature-input: nonce must be 16 to 64 characters of A-Z, a-z, 0-9, - and _')
  if (!Number.isInteger(created)) throw refuse('signature-input: created must be a time in seconds')
  if (Math.abs(Number(created) * 1000 - now) > toleranceMs)
    throw refuse('signature-input: created must be within five minutes of server_time')
  if (expires !== undefined && (!Number.isInteger(expires) || Number(expires) * 1000 < now))
    throw refuse('signature-input: expires has passed')
  return { created: Number(created), nonce }
}

/** The names of the covered components, without parameters of their own. @throws {ApiError} `signature_refused` */
function readComponents([items]: InnerList): readonly string[] {
  const names = items.map(([name, parameters]) => (typeof name === 'string' && parameters.size === 0 ? name : ''))
  const isKnown = names.every(name => [...required, ...optional].some(known => known === name))
  const isWhole = required.every(name => names.includes(name)) && new Set(names).size === names.length
  if (!isKnown || !isWhole)
    throw refuse(`signature-input: must cover ${required.join(', ')}, and may cover ${optional.join(', ')}`)
  return names
}

function readComponent({ method, path, header }: SignedRequest, name: string): string {
  if (name === '@method') return method
  if (name === '@path') return path
  return (header(name) ?? '').trim()
}

/** RFC 9421, 2.5. */
function toBase(request: SignedRequest, input: InnerList): string {
  const lines = readComponents(input).map(name => `"${name}": ${readComponent(request, name)}`)
  return [...lines, `"@signature-params": ${serializeInnerList(input)}`].join('\n')
}

/** The two numbers of ECDSA, one after the other (RFC 9421, 3.3.4). */
function isSigned(key: CaptureKey, base: Buffer, signature: Buffer): boolean {
  if (key.kind === 'es256') return verify('sha256', base, { key: key.public_key, dsaEncoding: 'ieee-p1363' }, signature)
  try {
    verifyAssertion(signature, base, key)
    return true
  } catch (error) {
    if (error instanceof AttestationError || error instanceof UnreadableFileError) return false
    throw error
  }
}

export function hasSignature({ header }: SignedRequest): boolean {
  return header('signature') !== null || header('signature-input') !== null
}

/** Verifies the one signature of an upload. Returns its nonce. @throws {ApiError} `signature_refused` */
export function verifyMessage(request: SignedRequest, content: Uint8Array, expected: ExpectedSignature): string {
  const inputs = readDictionary(request, 'signature-input')
  const [[label, input] = [], more] = [...inputs]
  if (label === undefined || input === undefined || more !== undefined || !isInnerList(input))
    throw refuse('signature-input: must be one signature’s')
  const { nonce } = readParameters(input, expected)
  const base = toBase(request, input)
  requireDigest(request, content)
  const signatures = readDictionary(request, 'signature')
  const signature = readBytes(signatures, label)
  if (signature === null || signatures.size !== 1) throw refuse(`signature: must be one, of the label ${label}`)
  if (!isSigned(expected.key, Buffer.from(base), signature)) throw refuse('signature: is wrong')
  return nonce
}
