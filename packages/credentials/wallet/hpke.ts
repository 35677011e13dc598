import { createCipheriv, createDecipheriv, createECDH, createHmac } from 'node:crypto'
import { refuse } from './place.ts'

/**
 * HPKE in its base mode (RFC 9180) with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM, for one message, as
 * annex C of ISO/IEC 18013-7 requires.
 */
const version = Buffer.from('HPKE-v1')
const none = Buffer.alloc(0)
const tagLength = 16
const pointLength = 65

function number(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}

const kem = Buffer.concat([Buffer.from('KEM'), number(0x0010)])
const suite = Buffer.concat([Buffer.from('HPKE'), number(0x0010), number(0x0001), number(0x0001)])

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

function extract(id: Buffer, salt: Buffer, label: string, key: Buffer): Buffer {
  return hmac(salt.length === 0 ? Buffer.alloc(32) : salt, Buffer.concat([version, id, Buffer.from(label), key]))
}

/** One block of HMAC suffices: nothing is longer than 32 bytes. */
function expand(id: Buffer, key: Buffer, label: string, { info, length }: { info: Buffer; length: number }): Buffer {
  const input = Buffer.concat([number(length), version, id, Buffer.from(label), info, Buffer.from([1])])
  return hmac(key, input).subarray(0, length)
}

/** Key and nonce of the one message. `context` is both public keys, the sender's first. */
function schedule(secret: Buffer, context: Buffer, info: Buffer): { key: Buffer; nonce: Buffer } {
  const shared = expand(kem, extract(kem, none, 'eae_prk', secret), 'shared_secret', { info: context, length: 32 })
  const hashes = [extract(suite, none, 'psk_id_hash', none), extract(suite, none, 'info_hash', info)]
  const base = Buffer.concat([Buffer.from([0]), ...hashes])
  const root = extract(suite, shared, 'secret', none)
  return {
    key: expand(suite, root, 'key', { info: base, length: 16 }),
    nonce: expand(suite, root, 'base_nonce', { info: base, length: 12 }),
  }
}

export interface Encrypted {
  /** The sender's public key: an uncompressed point. */
  readonly enc: Buffer
  readonly ciphertext: Buffer
}

/** Decrypts a message to a private key of P-256. @throws {UnreadableFileError} */
export function decryptOnce(place: string, privateKey: Buffer, { enc, ciphertext }: Encrypted, info: Buffer): Buffer {
  if (enc.length !== pointLength || ciphertext.length < tagLength) throw refuse(place, 'must be encrypted for our key')
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  try {
    const { key, nonce } = schedule(ecdh.computeSecret(enc), Buffer.concat([enc, ecdh.getPublicKey()]), info)
    const cipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: tagLength })
    cipher.setAuthTag(ciphertext.subarray(-tagLength))
    return Buffer.concat([cipher.update(ciphertext.subarray(0, -tagLength)), cipher.final()])
  } catch (cause) {
    // OpenSSL throws at a point that is not on the curve, and at a tag of another key's.
    throw refuse(place, 'must be encrypted for our key', cause)
  }
}

/** Encrypts a message for a public key, with a private key that is used once. */
export function encryptOnce(ephemeral: Buffer, recipient: Buffer, message: Buffer, info: Buffer): Encrypted {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(ephemeral)
  const enc = ecdh.getPublicKey()
  const { key, nonce } = schedule(ecdh.computeSecret(recipient), Buffer.concat([enc, recipient]), info)
  const cipher = createCipheriv('aes-128-gcm', key, nonce, { authTagLength: tagLength })
  const ciphertext = Buffer.concat([cipher.update(message), cipher.final(), cipher.getAuthTag()])
  return { enc, ciphertext }
}
