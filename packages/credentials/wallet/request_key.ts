import { createECDH, createHash } from 'node:crypto'

/** A private key of P-256 as a JWK (RFC 7518, 6.2). */
export interface PrivateJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
}

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** A key from random bytes, with 64 more bits than the order has (FIPS 186-5, A.2.1): none of them is out of range. */
export function drawKey(random: (bytes: number) => Buffer): PrivateJwk {
  const number = (BigInt(`0x${random(40).toString('hex')}`) % (order - 1n)) + 1n
  const secret = Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(secret)
  const point = ecdh.getPublicKey()
  return {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: secret.toString('base64url'),
  }
}

/** RFC 7638, of the public half. */
export function thumbprint({ crv, kty, x, y }: Omit<PrivateJwk, 'd'>): Buffer {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest()
}
