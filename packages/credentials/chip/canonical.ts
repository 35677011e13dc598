import { UnreadableFileError } from './unreadable_file_error.ts'

/**
 * Writes BER as DER (ITU-T X.690, 10 and 11.6): lengths that are definite and short, strings in one piece, sets in order.
 * CMS lets its parts be BER, and signs the DER of attributes (RFC 5652, 5.4).
 */

interface Parsed {
  readonly der: Buffer
  readonly next: number
}

const maxDepth = 32

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes])
}

function malformed(): UnreadableFileError {
  return new UnreadableFileError('an object is malformed')
}

/** Returns the position after a tag: after its first byte, or after the first byte below 128 that follows. */
function endOfTag(bytes: Buffer, at: number): number {
  if (((bytes[at] ?? 0) & 0x1f) !== 0x1f) return at + 1
  const more = bytes.subarray(at + 1).findIndex(byte => byte < 0x80)
  if (more === -1 || more > 4) throw malformed()
  return at + 2 + more
}

/** Reads a length; null if it is indefinite, until two zeros. */
function readLength(bytes: Buffer, at: number): { length: number | null; next: number } {
  const first = bytes[at]
  if (first === undefined || first > 0x84) throw malformed()
  if (first === 0x80) return { length: null, next: at + 1 }
  if (first < 0x80) return { length: first, next: at + 1 }
  const count = first - 0x80
  if (at + 1 + count > bytes.length) throw malformed()
  return { length: bytes.readUIntBE(at + 1, count), next: at + 1 + count }
}

function isEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1] === 0
}

function readParts(bytes: Buffer, from: number, end: number | null, depth: number): { parts: Buffer[]; next: number } {
  const parts: Buffer[] = []
  let at = from
  while (end === null ? !isEnd(bytes, at) : at < end) {
    const part = read(bytes, at, depth + 1)
    parts.push(part.der)
    at = part.next
  }
  if (end !== null && at !== end) throw malformed()
  return { parts, next: end === null ? at + 2 : at }
}

/** The content of a DER object. */
function contentOf(der: Buffer): Buffer {
  const { next } = readLength(der, endOfTag(der, 0))
  return der.subarray(next)
}

const constructed = 0x20
const set = 0x31
/** Strings may be in pieces: OCTET STRING, and those of characters. */
function isPieces(tag: number): boolean {
  return [0x24, 0x2c, 0x33, 0x34, 0x36, 0x3e].includes(tag)
}

function read(bytes: Buffer, at: number, depth: number): Parsed {
  const tagEnd = endOfTag(bytes, at)
  const tag = bytes.subarray(at, tagEnd)
  const { length, next: from } = readLength(bytes, tagEnd)
  const end = length === null ? null : from + length
  const first = tag[0]
  if (first === undefined || depth > maxDepth || (end !== null && end > bytes.length)) throw malformed()
  if ((first & constructed) === 0) {
    if (end === null) throw malformed()
    const value = bytes.subarray(from, end)
    return { der: Buffer.concat([tag, lengthOf(value.length), value]), next: end }
  }
  const { parts, next } = readParts(bytes, from, end, depth)
  const ordered = first === set ? parts.sort(Buffer.compare) : parts
  const value = Buffer.concat(isPieces(first) ? parts.map(contentOf) : ordered)
  const written = isPieces(first) ? Buffer.from([first & ~constructed]) : tag
  return { der: Buffer.concat([written, lengthOf(value.length), value]), next }
}

/** DER of the first object of some bytes. Throws `UnreadableFileError`. */
export function toDer(bytes: Uint8Array): Buffer {
  return read(Buffer.from(bytes), 0, 0).der
}
