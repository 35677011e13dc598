import { scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ApiError } from '../../base/api_error.ts'
import { drawBytes } from '../../base/random.ts'

/** OWASP's Password Storage Cheat Sheet: as costly as N = 2^17 with p = 1, in an eighth of the memory (16 MiB). */
const cost = { N: 2 ** 14, r: 8, p: 5 } as const
const hashBytes = 32
const saltBytes = 16

const derive = promisify((password: string, salt: Buffer, done: (error: Error | null, key: Buffer) => void): void =>
  scrypt(password.normalize('NFKC'), salt, hashBytes, { ...cost, maxmem: 64 * 2 ** 20 }, done),
)

/** NFKC: another machine may compose the characters of a typed password differently. */
export async function hashPassword(password: string): Promise<string> {
  const salt = drawBytes(saltBytes)
  const hash = await derive(password, salt)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** A hash of nobody's password: comparing with it takes as long as with anybody's. */
export const nobodysHash = ['scrypt', cost.N, cost.r, cost.p, 'A'.repeat(22), 'A'.repeat(43)].join('$')

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, , , , salt = '', hash = ''] = stored.split('$')
  const expected = Buffer.from(hash, 'base64url')
  const given = await derive(password, Buffer.from(salt, 'base64url'))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const minLength = 12
const maxLength = 256

/** Requires a long password: length makes it strong (NIST SP 800-63B §5.1.1.2). @throws {ApiError} `invalid_field` */
export function requireStrongPassword(password: string): void {
  const length = [...password].length
  if (length < minLength || length > maxLength || !password.isWellFormed())
    throw new ApiError('invalid_field', `password: must be a string of ${minLength} to ${maxLength} characters`)
}

/** 120 random bits, in groups that people can read. */
export function generatePassword(): string {
  // Crockford's Base32 has no letters that look alike.
  return Array.from(drawBytes(24), byte => '0123456789abcdefghjkmnpqrstvwxyz'[byte % 32])
    .join('')
    .replaceAll(/(.{6})(?=.)/g, '$1-')
}
