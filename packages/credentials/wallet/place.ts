import { UnreadableFileError } from '../chip/unreadable_file_error.ts'

/** Makes the error that names the place in a wallet's answer, and then the rule that it breaks. */
export function refuse(place: string, rule: string, cause?: unknown): UnreadableFileError {
  return new UnreadableFileError(`${place}: ${rule}`, cause === undefined ? {} : { cause })
}

/** Bytes of text in base64url, written in the one way that RFC 4648 has: no padding, no other letters, no bits left over. */
export function readBase64url(place: string, text: unknown): Buffer {
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]*$/.test(text)) throw refuse(place, 'must be base64url')
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw refuse(place, 'must be base64url')
  return bytes
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** JSON of some bytes. @throws {UnreadableFileError} */
export function readJson(place: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw refuse(place, 'must be JSON', cause)
  }
}

export function requireObject(place: string, value: unknown): JsonObject {
  if (!isObject(value)) throw refuse(place, 'must be an object')
  return value
}

/** A string of up to a length. @throws {UnreadableFileError} */
export function requireText(place: string, value: unknown, max = 2000): string {
  if (typeof value !== 'string' || value.length === 0 || value.length > max)
    throw refuse(place, `must be a string of 1 to ${max} characters`)
  return value
}

/** Returns an object's own member; `__proto__` and the like are none. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
