import { createPublicKey, type JsonWebKeyInput, type KeyObject, verify } from 'node:crypto'
import { refuse } from './place.ts'

/** A signature of two numbers in a row, as COSE and JOSE have them (RFC 9053, 2.1; RFC 7518, 3.4). */
export interface EcdsaAlgorithm {
  readonly digest: 'sha256' | 'sha384' | 'sha512'
  /** OpenSSL's names of curves; empty: any accepted one, as COSE's older identifiers leave it open. */
  readonly curves: readonly string[]
}

const brainpool = ['brainpoolP256r1', 'brainpoolP320r1', 'brainpoolP384r1', 'brainpoolP512r1']
const accepted: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1', ...brainpool])

/** RFC 9053, table 1, and the fully specified ones of RFC 9864; EdDSA is not among them, as ISO/IEC 18013-5 has few users of it. */
const ofCose: Readonly<Record<number, EcdsaAlgorithm>> = {
  [-7]: { digest: 'sha256', curves: [] },
  [-35]: { digest: 'sha384', curves: [] },
  [-36]: { digest: 'sha512', curves: [] },
  [-9]: { digest: 'sha256', curves: ['prime256v1'] },
  [-51]: { digest: 'sha384', curves: ['secp384r1'] },
  [-52]: { digest: 'sha512', curves: ['secp521r1'] },
  [-265]: { digest: 'sha256', curves: ['brainpoolP256r1'] },
  [-266]: { digest: 'sha384', curves: ['brainpoolP320r1'] },
  [-267]: { digest: 'sha384', curves: ['brainpoolP384r1'] },
  [-268]: { digest: 'sha512', curves: ['brainpoolP512r1'] },
}

const ofJose: Readonly<Record<string, EcdsaAlgorithm>> = {
  ES256: { digest: 'sha256', curves: ['prime256v1'] },
  ES384: { digest: 'sha384', curves: ['secp384r1'] },
  ES512: { digest: 'sha512', curves: ['secp521r1'] },
  ESB256: { digest: 'sha256', curves: ['brainpoolP256r1'] },
  ESB384: { digest: 'sha384', curves: ['brainpoolP384r1'] },
  ESB512: { digest: 'sha512', curves: ['brainpoolP512r1'] },
}

/** An algorithm by its identifier in COSE or its name in JOSE; null for one that we do not accept. */
export function findAlgorithm(id: number | string): EcdsaAlgorithm | null {
  if (typeof id === 'number') return ofCose[id] ?? null
  return Object.hasOwn(ofJose, id) ? (ofJose[id] ?? null) : null
}

export interface RawSignature {
  readonly algorithm: EcdsaAlgorithm
  readonly data: Uint8Array
  readonly signature: Uint8Array
}

/** Whether a key signed some bytes; null: the key is none that this algorithm is used with. */
export function isSignedWith(key: KeyObject, { algorithm, data, signature }: RawSignature): boolean | null {
  const curve = key.asymmetricKeyDetails?.namedCurve ?? ''
  const fits = algorithm.curves.length === 0 ? accepted.has(curve) : algorithm.curves.includes(curve)
  if (key.asymmetricKeyType !== 'ec' || !fits) return null
  return verify(algorithm.digest, data, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

/** The public key of a JWK or of a certificate's SubjectPublicKeyInfo. @throws {UnreadableFileError} */
export function readKey(place: string, input: JsonWebKeyInput | Uint8Array): KeyObject {
  try {
    return input instanceof Uint8Array
      ? createPublicKey({ key: Buffer.from(input), format: 'der', type: 'spki' })
      : createPublicKey(input)
  } catch (cause) {
    // OpenSSL reads no key in it: the bytes are a stranger's.
    throw refuse(place, 'must be a public key', cause)
  }
}
