import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type Hmac,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { releaseBuffer } from './bytes.ts'
import { drawBytes, drawNonce } from './random.ts'

/** The ciphertext does not decrypt: it was encrypted with another key or another AAD, or it is damaged. */
export class DecryptionError extends Error {
  override name = 'DecryptionError'
}

const nonceBytes = 12
const tagBytes = 16
export const keyBytes = 32
/** An image is encrypted in pieces that fit into the processor's cache, so that no second copy of it is made. */
const pieceBytes = 64 * 1024

const keyObjects = new WeakMap<Uint8Array, KeyObject>()

/** Keeps key objects: making one of bytes at every call takes longer than encrypting a short text. */
function keyObject(key: Uint8Array): KeyObject {
  const known = keyObjects.get(key)
  if (known !== undefined) return known
  const made = createSecretKey(key)
  keyObjects.set(key, made)
  return made
}

/** The ciphertext is longer than the plain text by so many bytes. */
export const encryptionOverhead = nonceBytes + tagBytes

/** An encryption under way. `end` returns the bytes that belong before the pieces. */
export interface Encryption {
  update(piece: Uint8Array): Buffer
  end(): Buffer
}

/** `encrypt` piece by piece. */
export function startEncryption(key: Uint8Array, aad: string): Encryption {
  const nonce = drawNonce(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyObject(key), nonce).setAAD(Buffer.from(aad))
  return {
    update: piece => cipher.update(piece),
    end() {
      // A stream cipher has nothing left at its end.
      cipher.final()
      return Buffer.concat([nonce, cipher.getAuthTag()])
    },
  }
}

/**
 * AES-256-GCM: nonce, tag, ciphertext. It is bound to `aad` (additional authenticated data, NIST SP 800-38D), so that an
 * encrypted column can't be moved to another row and still decrypt.
 */
export function encrypt(key: Uint8Array, aad: string, plain: Uint8Array | string): Buffer {
  return encryptAll(key, aad, [typeof plain === 'string' ? Buffer.from(plain) : plain])
}

/** `encrypt` for bytes that follow each other. */
export function encryptAll(key: Uint8Array, aad: string, plain: readonly Uint8Array[]): Buffer {
  const nonce = drawNonce(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyObject(key), nonce).setAAD(Buffer.from(aad))
  let end = nonceBytes + tagBytes
  const encrypted = Buffer.allocUnsafe(plain.reduce((size, { length }) => size + length, end))
  for (const bytes of plain)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = cipher.update(bytes.subarray(at, at + pieceBytes))
      encrypted.set(piece, end)
      end += piece.length
      releaseBuffer(piece)
    }
  // A stream cipher has nothing left at its end.
  cipher.final()
  encrypted.set(nonce)
  encrypted.set(cipher.getAuthTag(), nonceBytes)
  return encrypted
}

/** A decryption under way. What `update` returned is not to be used before `end`. */
export interface Decryption {
  /** The ciphertext, without the nonce before it. */
  readonly encrypted: Uint8Array
  update(piece: Uint8Array): Buffer
  /** @throws {DecryptionError} */
  end(): void
}

/** `decrypt` piece by piece. @throws {DecryptionError} */
export function startDecryption(key: Uint8Array, aad: string, encrypted: Uint8Array): Decryption {
  const orError = <T>(work: () => T): T => {
    try {
      return work()
    } catch (cause) {
      throw new DecryptionError(`${aad} does not decrypt with this key`, { cause })
    }
  }
  const nonce = encrypted.subarray(0, nonceBytes)
  const tag = encrypted.subarray(nonceBytes, encryptionOverhead)
  const decipher = orError(() =>
    createDecipheriv('aes-256-gcm', keyObject(key), nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(aad))
      .setAuthTag(tag),
  )
  return {
    encrypted: encrypted.subarray(encryptionOverhead),
    update: piece => decipher.update(piece),
    end() {
      // A stream cipher has nothing left at its end; this throws where the tag is another.
      orError(() => decipher.final())
    },
  }
}

/** Decrypts bytes of `encrypt`. @throws {DecryptionError} */
export function decrypt(key: Uint8Array, aad: string, encrypted: Uint8Array): Buffer {
  const decryption = startDecryption(key, aad, encrypted)
  const plain = decryption.update(decryption.encrypted)
  decryption.end()
  return plain
}

/** `encrypt` for a value that JSON can hold. */
export function encryptJson(key: Uint8Array, aad: string, value: unknown): Buffer {
  return encrypt(key, aad, JSON.stringify(value))
}

/** Returns the JSON that `encryptJson` encrypted, as it was written. */
export function decryptText(key: Uint8Array, aad: string, encrypted: Uint8Array): string {
  return decrypt(key, aad, encrypted).toString('utf8')
}

/** Decrypts a value of `encryptJson`; the caller knows its type. */
export function decryptJson<T>(key: Uint8Array, aad: string, encrypted: Uint8Array): T {
  return JSON.parse(decryptText(key, aad, encrypted)) as T
}

const derived = new WeakMap<Uint8Array, Map<string, Buffer>>()

/** Derives a key for each purpose (HKDF, RFC 5869), so that no two uses share one. Each is derived once. */
export function deriveKey(rootKey: Uint8Array, purpose: string): Buffer {
  const known = derived.get(rootKey) ?? new Map<string, Buffer>()
  derived.set(rootKey, known)
  const key = known.get(purpose) ?? Buffer.from(hkdfSync('sha256', rootKey, '', `attestor:${purpose}`, keyBytes))
  known.set(purpose, key)
  return key
}

/** HMAC-SHA-256 (RFC 2104): only a holder of the key can compute it, and so find rows under it. */
export function hmac(key: Uint8Array, data: string): Hmac {
  return createHmac('sha256', keyObject(key)).update(data)
}

/** A new random data key. */
export function newKey(): Buffer {
  return drawBytes(keyBytes)
}

/** The keys of the service. The operator's master key opens them. */
export interface ServiceKeys {
  /** Root keys. The first one encrypts, each decrypts: there are two while one replaces the other. */
  readonly roots: readonly Uint8Array[]
  /** Makes the HMACs by which rows are found. It encrypts nothing, so it stays when the root key is replaced. */
  readonly lookup: Uint8Array
}

/** Encrypts with the root key. Ciphertext for a column goes through `encryptColumn`, so that it is encrypted again. */
export function encryptWithRoot(
  { roots: [root] }: ServiceKeys,
  purpose: string,
  aad: string,
  plain: Uint8Array | string,
): Buffer {
  if (root === undefined) throw new TypeError('there is no root key')
  return encrypt(deriveKey(root, purpose), aad, plain)
}

/** Decrypts bytes of `encryptWithRoot`. @throws {DecryptionError} */
export function decryptWithRoot({ roots }: ServiceKeys, purpose: string, aad: string, encrypted: Uint8Array): Buffer {
  let failure = new DecryptionError(`${aad} does not decrypt: there is no root key`)
  for (const root of roots)
    try {
      return decrypt(deriveKey(root, purpose), aad, encrypted)
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
      failure = error
    }
  throw failure
}
