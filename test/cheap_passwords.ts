import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** The one password that is hashed at the service's own cost. */
export const dearPassword = 'hashed at its full cost'

/**
 * A password's hash takes 0.2 s of CPU on purpose, and a run of the tests takes some 250: here scrypt does a thousandth of
 * the work, in the test's own process.
 */
export function makePasswordsCheap(): void {
  const { scrypt } = crypto
  const cheap = (
    password: string,
    salt: Buffer,
    bytes: number,
    options: ScryptOptions,
    done: (error: Error | null, key: Buffer) => void,
  ): void => scrypt(password, salt, bytes, password === dearPassword ? options : { N: 16, r: 8, p: 1 }, done)
  crypto.scrypt = cheap as typeof scrypt
  syncBuiltinESMExports()
}
