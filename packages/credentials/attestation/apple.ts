import { createHash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { findMember, readCbor, requireType } from '../encoding/cbor.ts'
import { type DerObject, listDer, readDer, readOneDer, requireDer } from '../encoding/strict_der.ts'
import { type DeviceCertificate, isP256, readDeviceCertificate } from './certificates.ts'
import { AttestationError } from './error.ts'
import type { AttestationRoots } from './roots.ts'

/**
 * The facts that an App Attest attestation proves: a genuine device of Apple's, with a genuine app. It does not detect
 * a jailbreak.
 */
export interface AppleAttestation {
  readonly environment: 'production' | 'development'
  /** SHA-256 of the app's id, `TEAM.bundle`, in hex. */
  readonly app_id_sha256: string
  /** The id itself; null where the certificate does not name it. */
  readonly app_id: string | null
  /** `17.2.1`; null where the certificate does not say it. */
  readonly os_version: string | null
  /** SubjectPublicKeyInfo of the attested key, which signs assertions alone. */
  readonly spki: Buffer
}

const nonceId = '2a864886f763640802'
const keyDescriptionId = '2a864886f763640805'
const systemId = '2a864886f763640807'

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const environments: Readonly<Record<string, AppleAttestation['environment']>> = {
  [Buffer.from('appattest\0\0\0\0\0\0\0').toString('hex')]: 'production',
  [Buffer.from('appattestdevelop').toString('hex')]: 'development',
}

/** Requires the leaf, its issuer and the root, which a device does not send. */
function requireChain(chain: readonly DeviceCertificate[], roots: AttestationRoots, now: number): DeviceCertificate {
  const [leaf, issuer, more] = chain
  if (leaf === undefined || issuer === undefined || more !== undefined)
    throw new AttestationError('must have two certificates')
  if (!issuer.is_authority || leaf.is_authority)
    throw new AttestationError('one of its certificates may not issue others')
  if (!leaf.isIssuedBy(issuer)) throw new AttestationError('its chain is broken')
  if (!roots.apple.some(root => issuer.isIssuedBy(root))) throw new AttestationError('its root is not Apple’s')
  for (const { not_before, not_after } of chain)
    if (now < not_before || now > not_after) throw new AttestationError('one of its certificates is out of its time')
  return leaf
}

/** SEQUENCE { [1] { OCTET STRING } } */
function readNonce(extension: Buffer | undefined): Buffer | null {
  if (extension === undefined) return null
  const [tagged, more] = listDer(readOneDer(extension), 'SEQUENCE')
  if (tagged?.tag_class !== 2 || tagged.tag !== 1 || more !== undefined) return null
  return requireDer(readOneDer(tagged.value), 'OCTET_STRING')
}

/** Reads extensions that Apple does not document, to show them: `SEQUENCE { [n] { OCTET STRING } … }`. */
function readShown(extension: Buffer | undefined, tag: number): string | null {
  if (extension === undefined) return null
  const found = readDer(requireDer(readOneDer(extension), 'SEQUENCE')).find(
    one => one.tag_class === 2 && one.tag === tag,
  )
  const value = found === undefined ? undefined : readDer(found.value)[0]
  return isText(value) ? value.value.toString('latin1') : null
}

function isText(object: DerObject | undefined): object is DerObject {
  return object?.tag_class === 0 && object.tag === 4 && /^[\x20-\x7e]{1,200}$/.test(object.value.toString('latin1'))
}

interface AuthenticatorData {
  readonly app_id_sha256: Buffer
  readonly counter: number
  /** The rest: of an attestation the environment and the key, of an assertion mostly nothing. */
  readonly rest: Buffer
}

/** WebAuthn's layout: SHA-256 of the app's id, flags, counter. */
function readAuthenticatorData(bytes: Buffer): AuthenticatorData {
  if (bytes.length < 37) throw new AttestationError('its authenticator data is too short')
  return { app_id_sha256: bytes.subarray(0, 32), counter: bytes.readUInt32BE(33), rest: bytes.subarray(37) }
}

/** Returns the SHA-256 of the uncompressed point, which Apple calls the key's identifier. */
function toKeyId(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return sha256(Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url'))
}

function requireSame(given: Uint8Array | null, expected: Uint8Array, what: string): void {
  if (given === null || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new AttestationError(what)
}

/** The parts of WebAuthn's attested credential data: AAGUID, length, id and the key in COSE. */
function requireCredential(rest: Buffer, key: KeyObject): AppleAttestation['environment'] {
  if (rest.length < 18) throw new AttestationError('its authenticator data is too short')
  const environment = environments[rest.toString('hex', 0, 16)]
  if (environment === undefined) throw new AttestationError('its environment is not one of Apple’s')
  const length = rest.readUInt16BE(16)
  const id = rest.subarray(18, 18 + length)
  requireSame(id, toKeyId(key), 'its key is another than its certificate’s')
  const cose = readCbor(rest.subarray(18 + length))
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  for (const [name, part] of [
    [-2, x],
    [-3, y],
  ] as const)
    requireSame(
      requireType(findMember(cose, name), 'bytes'),
      Buffer.from(part, 'base64url'),
      'its key is another than its certificate’s',
    )
  return environment
}

/**
 * Verifies an attestation object over the SHA-256 of a challenge, as Apple's "Validating apps that connect to your
 * server" asks. @throws {AttestationError} @throws {UnreadableFileError} for bytes that are no CBOR, or no certificate
 */
export function verifyApple(
  object: Uint8Array,
  { key_id, challenge }: { readonly key_id: Uint8Array; readonly challenge: Uint8Array },
  { roots, now }: { readonly roots: AttestationRoots; readonly now: number },
): AppleAttestation {
  const read = readCbor(object)
  if (requireType(findMember(read, 'fmt'), 'text') !== 'apple-appattest')
    throw new AttestationError('is none of App Attest')
  const statement = findMember(read, 'attStmt')
  const data = requireType(findMember(read, 'authData'), 'bytes')
  if (statement === null) throw new AttestationError('has no statement')
  requireType(findMember(statement, 'receipt'), 'bytes')
  const chain = requireType(findMember(statement, 'x5c'), 'array').map(one => requireType(one, 'bytes'))
  const leaf = requireChain(chain.slice(0, 3).map(readDeviceCertificate), roots, now)
  const nonce = sha256(data, sha256(challenge))
  requireSame(readNonce(leaf.extensions.get(nonceId)), nonce, 'is of another challenge')
  if (!isP256(leaf.public_key)) throw new AttestationError('its key is not on P-256')
  requireSame(key_id, toKeyId(leaf.public_key), 'its key is not that of key_id')
  const { app_id_sha256, counter, rest } = readAuthenticatorData(data)
  if (counter !== 0) throw new AttestationError('its key was used before')
  const environment = requireCredential(rest, leaf.public_key)
  const named = readShown(leaf.extensions.get(keyDescriptionId), 1204)
  const app_id = named !== null && sha256(Buffer.from(named)).equals(app_id_sha256) ? named : null
  return {
    environment,
    app_id_sha256: app_id_sha256.toString('hex'),
    app_id,
    os_version: readShown(leaf.extensions.get(systemId), 1400),
    spki: leaf.spki,
  }
}

/** The key that an attestation proved, and the app that it belongs to. */
export interface AssertedKey {
  readonly public_key: KeyObject
  readonly app_id_sha256: string
}

/**
 * Verifies an assertion over the SHA-256 of some data. @returns its counter, which each assertion of a key raises, from
 * 1 @throws {AttestationError} @throws {UnreadableFileError} for bytes that are no CBOR
 */
export function verifyAssertion(
  assertion: Uint8Array,
  data: Uint8Array,
  { public_key, app_id_sha256 }: AssertedKey,
): number {
  const read = readCbor(assertion, { max_bytes: 4096 })
  const signature = requireType(findMember(read, 'signature'), 'bytes')
  const authenticator = requireType(findMember(read, 'authenticatorData'), 'bytes')
  if (requireType(read, 'map').length !== 2) throw new AttestationError('an assertion has two members')
  const found = readAuthenticatorData(authenticator)
  requireSame(found.app_id_sha256, Buffer.from(app_id_sha256, 'hex'), 'is another app’s')
  if (found.counter === 0) throw new AttestationError('its counter must be at least 1')
  // Apple hashes the nonce again: ES256 over it.
  if (!verify('sha256', sha256(authenticator, sha256(data)), public_key, signature))
    throw new AttestationError('its signature is wrong')
  return found.counter
}
