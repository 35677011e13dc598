import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

/** A sealed thing that doesn't open: another key, another place, or damaged. */
export class DecryptionError extends Error {
  override name = 'DecryptionError'
}

const nonce_bytes = 12
const tag_bytes = 16
const key_bytes = 32

const key_objects = new WeakMap<Uint8Array, KeyObject>()

/** Given bytes, Node makes a key object of them at every call, which takes longer than sealing a small thing. */
const keyObject = (key: Uint8Array): KeyObject => {
  const known = key_objects.get(key) ?? createSecretKey(key)
  key_objects.set(key, known)
  return known
}

/**
 * AES-256-GCM: nonce, tag, ciphertext. `place` is bound to it (NIST SP 800-38D, additional data), so that a sealed
 * column can't be moved to another row and still open.
 */
export const encrypt = (key: Uint8Array, place: string, plain: Uint8Array | string): Buffer => {
  const nonce = randomBytes(nonce_bytes)
  const cipher = createCipheriv('aes-256-gcm', keyObject(key), nonce).setAAD(Buffer.from(place))
  const ciphertext = cipher.update(plain)
  // A stream cipher has nothing left at its end.
  cipher.final()
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/** Opens what `seal` made. @throws {DecryptionError} */
export const decrypt = (key: Uint8Array, place: string, sealed: Uint8Array): Buffer => {
  try {
    const nonce = sealed.subarray(0, nonce_bytes)
    const decipher = createDecipheriv('aes-256-gcm', keyObject(key), nonce, { authTagLength: tag_bytes })
    decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(nonce_bytes, nonce_bytes + tag_bytes))
    const plain = decipher.update(sealed.subarray(nonce_bytes + tag_bytes))
    // A stream cipher has nothing left at its end; this throws where the tag is another.
    decipher.final()
    return plain
  } catch (cause) {
    throw new DecryptionError(`${place} does not open with this key`, { cause })
  }
}

/** `seal` for a value that JSON can hold. */
export const encryptJson = (key: Uint8Array, place: string, value: unknown): Buffer =>
  encrypt(key, place, JSON.stringify(value))

/** `unseal` for what `encryptJson` made; the caller knows its type. */
export const decryptJson = <T>(key: Uint8Array, place: string, sealed: Uint8Array): T =>
  JSON.parse(decrypt(key, place, sealed).toString('utf8')) as T

const derived = new WeakMap<Uint8Array, Map<string, Buffer>>()

/** A key of its own for each purpose (HKDF, RFC 5869), so that no two uses share one. Derived once per master key. */
export const deriveKey = (master: Uint8Array, purpose: string): Buffer => {
  const known = derived.get(master) ?? new Map<string, Buffer>()
  derived.set(master, known)
  const key = known.get(purpose) ?? Buffer.from(hkdfSync('sha256', master, '', `attestor:${purpose}`, key_bytes))
  known.set(purpose, key)
  return key
}

/** A new random data key. */
export const newKey = (): Buffer => randomBytes(key_bytes)
