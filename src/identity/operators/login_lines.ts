import { timingSafeEqual } from 'node:crypto'
import { unavailable } from '../../base/api_error.ts'
import { deriveKey, hmac, type ServiceKeys } from '../../base/encryption.ts'

/** A device is known for so long after its last log-in. */
export const deviceMs = 180 * 24 * 3_600_000

const purpose = 'known_device'

function sign(serviceKeys: ServiceKeys, text: string): Buffer {
  return hmac(deriveKey(serviceKeys.lookup, purpose), text).digest()
}

/** Creates the cookie's value for a device from which an operator has logged in. */
export function createDeviceMark(serviceKeys: ServiceKeys, operator_id: string, until: number): string {
  const text = `${operator_id}.${until}`
  return `${text}.${sign(serviceKeys, text).toString('base64url')}`
}

/** Returns the operator who logged in from the device; null if nobody has, or not lately. */
export function readDeviceMark(serviceKeys: ServiceKeys, mark: string, now: number): string | null {
  const [operator_id = '', until = '', signature = ''] = mark.split('.', 4)
  const given = Buffer.from(signature, 'base64url')
  const expected = sign(serviceKeys, `${operator_id}.${until}`)
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected)
  return isOurs && now < Number(until) ? operator_id : null
}

/** A password costs a third of a CPU second to compare: so many of strangers wait at most. */
const maxWaiting = 40

interface Line {
  last: Promise<unknown>
  waiting: number
}

function createLine(): Line {
  return { last: Promise.resolve(), waiting: 0 }
}

const lines = { known: createLine(), strangers: createLine() } as const

/**
 * Compares the passwords of known devices one after another, and those of all others in a separate line: an attacker
 * who guesses from many addresses delays only other strangers. @throws {ApiError} `unavailable` where too many wait
 */
export async function inLine<T>(name: keyof typeof lines, work: () => Promise<T>): Promise<T> {
  const line = lines[name]
  if (line.waiting >= maxWaiting) throw unavailable('login: too many at once', 10)
  line.waiting++
  const { promise, resolve } = Promise.withResolvers<void>()
  const before = line.last
  line.last = promise
  try {
    await before
    return await work()
  } finally {
    line.waiting--
    resolve()
  }
}
