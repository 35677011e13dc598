import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { integer, nothing, oid, sequence, tlv } from './der_writer.ts'

export type Digest = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512'

/** The algorithm with which a state signs. `mask`: the digest of the mask, if it differs from the signature's. */
export type Algorithm =
  | { readonly type: 'rsa'; readonly digest: Digest; readonly bits?: number }
  | {
      readonly type: 'pss'
      readonly digest: Digest
      readonly mask?: Digest
      readonly salt?: number
      readonly bits?: number
    }
  | { readonly type: 'ecdsa'; readonly digest: Digest; readonly curve: string; readonly explicit?: boolean }

export interface KeyPair {
  readonly algorithm: Algorithm
  readonly spki: Buffer
  readonly private_key: KeyObject
}

const digestIds: Readonly<Record<Digest, string>> = {
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
}

const rsaIds: Readonly<Record<Digest, string>> = {
  sha1: '1.2.840.113549.1.1.5',
  sha224: '1.2.840.113549.1.1.14',
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
}

const ecdsaIds: Readonly<Record<Digest, string>> = {
  sha1: '1.2.840.10045.4.1',
  sha224: '1.2.840.10045.4.3.1',
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
  sha512: '1.2.840.10045.4.3.4',
}

/** Encodes a digest's identifier with NULL for parameters, or without them: both are right (RFC 5754, 2). */
export function digestAlgorithm(digest: Digest, withoutNull = false): Buffer {
  return sequence(oid(digestIds[digest]), ...(withoutNull ? [] : [nothing]))
}

const saltLengths: Readonly<Record<Digest, number>> = { sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 }

/** The AlgorithmIdentifier of a signature. */
export function signatureAlgorithm(algorithm: Algorithm): Buffer {
  const { digest } = algorithm
  if (algorithm.type === 'rsa') return sequence(oid(rsaIds[digest]), nothing)
  if (algorithm.type === 'ecdsa') return sequence(oid(ecdsaIds[digest]))
  const mask = sequence(oid('1.2.840.113549.1.1.8'), digestAlgorithm(algorithm.mask ?? digest))
  const salt = integer(algorithm.salt ?? saltLengths[digest])
  const parameters = sequence(tlv(0xa0, digestAlgorithm(digest)), tlv(0xa1, mask), tlv(0xa2, salt))
  return sequence(oid('1.2.840.113549.1.1.10'), parameters)
}

/** A key of the system's generator: keys are the one thing here that no seed draws. */
export function generateKeys(algorithm: Algorithm): KeyPair {
  const pair = generatePair(algorithm)
  return {
    algorithm,
    spki: pair.publicKey.export({ format: 'der', type: 'spki' }),
    private_key: pair.privateKey,
  }
}

function generatePair(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm.type === 'ecdsa')
    return generateKeyPairSync('ec', {
      namedCurve: algorithm.curve,
      paramEncoding: algorithm.explicit === true ? 'explicit' : 'named',
    })
  const modulusLength = algorithm.bits ?? 2048
  if (algorithm.type === 'rsa' || algorithm.mask === undefined) return generateKeyPairSync('rsa', { modulusLength })
  return generateKeyPairSync('rsa-pss', {
    modulusLength,
    hashAlgorithm: algorithm.digest,
    mgf1HashAlgorithm: algorithm.mask,
  })
}

export function signWith({ algorithm, private_key }: KeyPair, data: Uint8Array): Buffer {
  if (algorithm.type !== 'pss') return sign(algorithm.digest, data, private_key)
  return sign(algorithm.digest, data, {
    key: private_key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: algorithm.salt ?? saltLengths[algorithm.digest],
  })
}
