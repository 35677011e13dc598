import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'

const periodS = 30

/** RFC 6238 as every authenticator app reads it. */
function createTotp(name: string, secret: Secret): TOTP {
  return new TOTP({ issuer: 'Attestor', label: name, algorithm: 'SHA1', digits: 6, period: periodS, secret })
}

/** 160 bits, which RFC 4226 §4 recommends. */
export function newTotpSecret(): Buffer {
  return Buffer.from(new Secret({ size: 20 }).bytes)
}

/** The data that an authenticator app is set up with. */
export interface TotpSetup {
  readonly secret: string
  readonly uri: string
  /** The URI as a QR code: rows of modules, true is dark. */
  readonly qr: readonly (readonly boolean[])[]
}

function toSecret(bytes: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer })
}

export function describeTotp(name: string, secret: Uint8Array): TotpSetup {
  const totp = createTotp(name, toSecret(secret))
  const uri = totp.toString()
  return { secret: totp.secret.base32, uri, qr: encode(uri, { border: 0 }).data }
}

/** The time step of a code: the current one, the one before or the one after; null for any other code. */
export function findTotpStep(name: string, secret: Uint8Array, code: string, now: number): number | null {
  const drift = createTotp(name, toSecret(secret)).validate({ token: code, timestamp: now, window: 1 })
  return drift === null ? null : Math.floor(now / 1000 / periodS) + drift
}
