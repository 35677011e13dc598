import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { RsaSaPssParams } from '@peculiar/asn1-rsa'
import { AsnConvert } from '@peculiar/asn1-schema'
import { type AlgorithmIdentifier, SubjectPublicKeyInfo } from '@peculiar/asn1-x509'
import { parseDer } from './der.ts'

/** RFC 5754 and RFC 3279. */
const digests: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** Signature algorithms that name their digest (RFC 4055, RFC 5758). */
const named: Readonly<Record<string, readonly ['rsa' | 'ecdsa', string]>> = {
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

/** Those of keys, which states write where the signature's belong: the digest is then named apart. */
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

export type SignatureScheme =
  | { readonly type: 'rsa' | 'ecdsa'; readonly digest: string }
  | {
      readonly type: 'pss'
      readonly digest: string
      readonly salt_length: number
      readonly algorithm: AlgorithmIdentifier
    }

/** How a signature was made; null for what we do not accept. `digest` is the one that a CMS names beside it. */
export function toScheme(algorithm: AlgorithmIdentifier, digest: string | null = null): SignatureScheme | null {
  const known = named[algorithm.algorithm]
  if (known !== undefined) return { type: known[0], digest: known[1] }
  const type = ofKeys[algorithm.algorithm]
  if (type !== undefined) return digest === null ? null : { type, digest }
  if (algorithm.algorithm !== pss) return null
  const parameters =
    algorithm.parameters == null
      ? new RsaSaPssParams()
      : parseDer('the parameters of RSASSA-PSS', algorithm.parameters, RsaSaPssParams)
  const hash = toDigest(parameters.hashAlgorithm.algorithm)
  if (hash === null || parameters.saltLength < 0 || parameters.saltLength > 512) return null
  return { type: 'pss', digest: hash, salt_length: parameters.saltLength, algorithm }
}

/**
 * A public key that we verify with: RSA of 1024 to 8192 bits with a short exponent, or a point on a known curve. OpenSSL
 * names the curve of explicit parameters only where all of them, the generator included, are that curve's. Null for others.
 */
export function toPublicKey(spki: Uint8Array): KeyObject | null {
  if (spki.byteLength > 4096) return null
  let key: KeyObject
  try {
    key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch {
    // OpenSSL reads no key in it: the bytes are a stranger's.
    return null
  }
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec') return curves.has(namedCurve) ? key : null
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'rsa-pss') return null
  const isSized = modulusLength >= 1024 && modulusLength <= 8192
  return isSized && publicExponent >= 3n && publicExponent < 2n ** 64n ? key : null
}

/** The key with the signature's own parameters: how OpenSSL learns of a mask that has a digest of its own. */
function withParameters(spki: Uint8Array, algorithm: AlgorithmIdentifier): Uint8Array | null {
  const { subjectPublicKey } = parseDer('a public key', spki, SubjectPublicKeyInfo)
  if (algorithm.parameters == null) return spki
  return new Uint8Array(AsnConvert.serialize(new SubjectPublicKeyInfo({ algorithm, subjectPublicKey })))
}

export interface Signed {
  readonly data: Uint8Array
  readonly signature: Uint8Array
  readonly scheme: SignatureScheme
  /** SubjectPublicKeyInfo of who should have signed. */
  readonly spki: Uint8Array
}

/** Whether the owner of a key signed some bytes; null where the key is none that we verify with. */
export function verifySignature({ data, signature, scheme, spki }: Signed): boolean | null {
  if (signature.byteLength > 1024) return false
  const key = toPublicKey(spki)
  if (key === null) return null
  const isEllipticCurve = key.asymmetricKeyType === 'ec'
  if (isEllipticCurve !== (scheme.type === 'ecdsa')) return false
  if (scheme.type !== 'pss') return verifyWith(scheme.digest, data, key, signature)
  const restricted = withParameters(spki, scheme.algorithm)
  const pssKey = restricted === null ? null : toPublicKey(restricted)
  if (pssKey === null) return null
  const options = { key: pssKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.salt_length }
  return verifyWith(scheme.digest, data, options, signature)
}

function verifyWith(
  digest: string,
  data: Uint8Array,
  key: KeyObject | { key: KeyObject; padding: number; saltLength: number },
  signature: Uint8Array,
): boolean {
  try {
    return verify(digest, data, key, signature)
  } catch {
    // OpenSSL throws at parameters that contradict the key's: such a signature is not this key's.
    return false
  }
}
