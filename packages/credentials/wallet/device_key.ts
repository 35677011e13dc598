import { createHash, createPrivateKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto'
import { writeCbor } from '../encoding/cbor_writer.ts'
import type { PrivateJwk } from './request_key.ts'

/**
 * The key of the device's MAC (ISO/IEC 18013-5, 9.1.3.5): of the device's key and the one of our request. Null: the keys are
 * of different curves.
 */
export function deriveMacKey(device: KeyObject, request: PrivateJwk, transcript: Buffer): Buffer | null {
  const own = createPrivateKey({ key: { ...request }, format: 'jwk' })
  if (device.asymmetricKeyDetails?.namedCurve !== own.asymmetricKeyDetails?.namedCurve) return null
  return macKeyOf(diffieHellman({ privateKey: own, publicKey: device }), transcript)
}

/** The MAC's key of a shared secret, in 32 bytes. */
export function macKeyOf(secret: Buffer, transcript: Buffer): Buffer {
  const salt = createHash('sha256')
    .update(writeCbor({ tag: 24, value: transcript }))
    .digest()
  return Buffer.from(hkdfSync('sha256', secret, salt, 'EMacKey', 32))
}
