import {
  constants,
  createHash,
  createPublicKey,
  type KeyObject,
  publicDecrypt,
  type VerifyKeyObjectInput,
  verify,
} from 'node:crypto'
import { RsaSaPssParams } from '@peculiar/asn1-rsa'
import { AsnConvert } from '@peculiar/asn1-schema'
import { type AlgorithmIdentifier, SubjectPublicKeyInfo } from '@peculiar/asn1-x509'
import { fromBER, Integer, ObjectIdentifier, OctetString, Sequence } from 'asn1js'
import { parseDer } from './der.ts'

/** RFC 5754 and RFC 3279. */
const digests: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** Signature algorithms that name their digest (RFC 4055, RFC 5758; BSI TR-03111, 5.2.1 for those of one number after another). */
const named: Readonly<Record<string, readonly ['rsa' | 'ecdsa', string]>> = {
  '1.3.14.3.2.29': ['rsa', 'sha1'],
  '0.4.0.127.0.7.1.1.4.1.1': ['ecdsa', 'sha1'],
  '0.4.0.127.0.7.1.1.4.1.2': ['ecdsa', 'sha224'],
  '0.4.0.127.0.7.1.1.4.1.3': ['ecdsa', 'sha256'],
  '0.4.0.127.0.7.1.1.4.1.4': ['ecdsa', 'sha384'],
  '0.4.0.127.0.7.1.1.4.1.5': ['ecdsa', 'sha512'],
  '1.2.840.113549.1.1.5': ['rsa', 'sha1'],
  '1.2.840.113549.1.1.14': ['rsa', 'sha224'],
  '1.2.840.113549.1.1.11': ['rsa', 'sha256'],
  '1.2.840.113549.1.1.12': ['rsa', 'sha384'],
  '1.2.840.113549.1.1.13': ['rsa', 'sha512'],
  '1.2.840.10045.4.1': ['ecdsa', 'sha1'],
  '1.2.840.10045.4.3.1': ['ecdsa', 'sha224'],
  '1.2.840.10045.4.3.2': ['ecdsa', 'sha256'],
  '1.2.840.10045.4.3.3': ['ecdsa', 'sha384'],
  '1.2.840.10045.4.3.4': ['ecdsa', 'sha512'],
}

/** Identifiers of keys, which states write instead of the signature's: the digest is then named apart. */
const ofKeys: Readonly<Record<string, 'rsa' | 'ecdsa'>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.10045.2.1': 'ecdsa',
}

const pss = '1.2.840.113549.1.1.10'

const curves: ReadonlySet<string> = new Set([
  ...['prime192v1', 'secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'],
  ...[160, 192, 224, 256, 320, 384, 512].flatMap(bits => [`brainpoolP${bits}r1`, `brainpoolP${bits}t1`]),
])

/** The name of a digest for `node:crypto`; null for one that we do not accept. */
export function toDigest(oid: string): string | null {
  return digests[oid] ?? null
}

const digestLengths: Readonly<Record<string, number>> = { sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 }

/** The accepted digests of a length in bytes. */
export function listDigests(length: number): readonly string[] {
  return Object.keys(digestLengths).filter(name => digestLengths[name] === length)
}

export type SignatureScheme =
  /** RSASSA-PSS without parameters, which RFC 4055, 3.1 has and some states leave out: any of these digests may be meant. */
  | { readonly type: 'pss_unsaid'; readonly digests: readonly string[] }
  | { readonly type: 'rsa'; readonly digest: string }
  | { readonly type: 'ecdsa'; readonly digest: string }
  | {
      readonly type: 'pss'
      readonly digest: string
      readonly salt_length: number
      readonly algorithm: AlgorithmIdentifier
    }

/** Absent, or NULL. */
function isAbsent(parameters: ArrayBuffer | null | undefined): parameters is null | undefined {
  return parameters == null || Buffer.from(parameters).equals(Buffer.from([5, 0]))
}

/**
 * Returns how a signature was made; null for a scheme that we do not accept. `digest` is the one that a CMS names
 * beside it.
 */
export function toScheme(algorithm: AlgorithmIdentifier, digest: string | null = null): SignatureScheme | null {
  const known = named[algorithm.algorithm]
  if (known !== undefined)
    return known[0] === 'rsa' ? { type: 'rsa', digest: known[1] } : { type: 'ecdsa', digest: known[1] }
  const type = ofKeys[algorithm.algorithm]
  if (type !== undefined) return digest === null ? null : { type, digest }
  if (algorithm.algorithm !== pss) return null
  if (isAbsent(algorithm.parameters))
    return { type: 'pss_unsaid', digests: digest === null ? Object.keys(digestLengths) : [digest, 'sha1'] }
  const parameters = parseDer('the parameters of RSASSA-PSS', algorithm.parameters, RsaSaPssParams)
  const hash = toDigest(parameters.hashAlgorithm.algorithm)
  if (hash === null || parameters.saltLength < 0 || parameters.saltLength > 512) return null
  return { type: 'pss', digest: hash, salt_length: parameters.saltLength, algorithm }
}

/**
 * Returns a public key that we verify with: RSA of 1024 to 8192 bits with a short exponent, or a point on a known
 * curve. OpenSSL names the curve of explicit parameters only if all of them, the generator included, are that curve's.
 * Null for others.
 */
export function toPublicKey(spki: Uint8Array): KeyObject | null {
  if (spki.byteLength > 4096) return null
  let key: KeyObject
  try {
    key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch {
    // OpenSSL reads no key in it: the bytes come from a stranger.
    return null
  }
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec') return curves.has(namedCurve) ? key : null
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'rsa-pss') return null
  const isSized = modulusLength >= 1024 && modulusLength <= 8192
  return isSized && publicExponent >= 3n && publicExponent < 2n ** 64n ? key : null
}

/** Returns the key with the signature's own parameters, from which OpenSSL learns a mask's own digest. */
function withParameters(spki: Uint8Array, algorithm: AlgorithmIdentifier): Uint8Array {
  const { subjectPublicKey } = parseDer('a public key', spki, SubjectPublicKeyInfo)
  return new Uint8Array(AsnConvert.serialize(new SubjectPublicKeyInfo({ algorithm, subjectPublicKey })))
}

export interface Signed {
  readonly data: Uint8Array
  readonly signature: Uint8Array
  readonly scheme: SignatureScheme
  /** SubjectPublicKeyInfo of the expected signer. */
  readonly spki: Uint8Array
}

/** Whether the owner of a key signed some bytes; null if we don't verify with such a key. */
export function verifySignature({ data, signature, scheme, spki }: Signed): boolean | null {
  if (signature.byteLength > 1024) return false
  const key = toPublicKey(spki)
  if (key === null) return null
  const isEllipticCurve = key.asymmetricKeyType === 'ec'
  if (isEllipticCurve !== (scheme.type === 'ecdsa')) return false
  if (scheme.type === 'ecdsa') return isSignedByCurve(scheme.digest, data, key, signature)
  const padded = padSignature(signature, key)
  if (scheme.type === 'rsa')
    return verifyWith(scheme.digest, data, key, padded) || isSignedWithoutNull(scheme.digest, data, key, padded)
  if (scheme.type === 'pss_unsaid') {
    const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
    return scheme.digests.some(digest => verifyWith(digest, data, options, padded)) ? true : null
  }
  const pssKey = toPublicKey(withParameters(spki, scheme.algorithm))
  if (pssKey === null) return null
  const options = { key: pssKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.salt_length }
  return verifyWith(scheme.digest, data, options, padded)
}

/** A number whose leading zeros were left out is as long as the modulus again (RFC 8017, 8.2.2). */
function padSignature(signature: Uint8Array, key: KeyObject): Uint8Array {
  const length = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
  return signature.length >= length ? signature : Buffer.concat([Buffer.alloc(length - signature.length), signature])
}

/** RFC 8017, A.2.4: the digest's parameters may be absent, where OpenSSL knows NULL alone. */
function isSignedWithoutNull(digest: string, data: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  const oid = Object.keys(digests).find(one => digests[one] === digest)
  if (oid === undefined || key.asymmetricKeyType !== 'rsa') return false
  const algorithm = Buffer.from(new Sequence({ value: [new ObjectIdentifier({ value: oid })] }).toBER())
  const value = Buffer.from(new OctetString({ valueHex: createHash(digest).update(data).digest() }).toBER())
  const info = Buffer.concat([Buffer.from([0x30, algorithm.length + value.length]), algorithm, value])
  try {
    return publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature).equals(info)
  } catch {
    // The padding is none of this key's.
    return false
  }
}

/** Returns both numbers of a signature in BER, each as long as the curve; null if it is no signature. */
function toPlain(signature: Uint8Array, length: number): Buffer | null {
  const { offset, result } = fromBER(signature)
  const numbers = offset !== -1 && result instanceof Sequence ? result.valueBlock.value : []
  const plain = numbers.map(number => {
    const bytes = number instanceof Integer ? Buffer.from(number.valueBlock.valueHexView) : Buffer.alloc(0)
    const from = bytes.findIndex(byte => byte !== 0)
    return from === -1 ? bytes.subarray(0, 0) : bytes.subarray(from)
  })
  if (plain.length !== 2 || plain.some(number => number.length > length)) return null
  // A curve of this length gives two numbers so much shorter once in 2^128 signatures: this one is of a shorter curve.
  if (plain.every(number => number.length < length - 8)) return null
  return Buffer.concat(plain.flatMap(number => [Buffer.alloc(length - number.length), number]))
}

/**
 * ECDSA: in DER (RFC 3279, 2.2.3); also one number after the other (BSI TR-03111), and numbers with more or fewer zeros
 * than DER has, which OpenSSL refuses.
 */
function isSignedByCurve(digest: string, data: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  const bits = Number(/\d{3}/.exec(key.asymmetricKeyDetails?.namedCurve ?? '')?.[0] ?? 0)
  const length = Math.ceil(bits / 8)
  // Each try costs milliseconds on most curves, and a stranger's signature takes them all.
  const read = toPlain(signature, length)
  const plain = signature.length === 2 * length ? [read, Buffer.from(signature)] : [read]
  return plain.some(one => one !== null && verifyWith(digest, data, { key, dsaEncoding: 'ieee-p1363' }, one))
}

function verifyWith(
  digest: string,
  data: Uint8Array,
  key: KeyObject | VerifyKeyObjectInput,
  signature: Uint8Array,
): boolean {
  try {
    return verify(digest, data, key, signature)
  } catch {
    // OpenSSL throws at parameters that contradict the key's: such a signature is not this key's.
    return false
  }
}
