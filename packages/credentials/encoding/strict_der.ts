import { UnreadableFileError } from '../chip/unreadable_file_error.ts'

/** An object of DER. Its class is 0 universal, 1 application, 2 context, 3 private. */
export interface DerObject {
  readonly tag_class: number
  readonly is_constructed: boolean
  readonly tag: number
  readonly value: Buffer
}

function malformed(what: string): UnreadableFileError {
  return new UnreadableFileError(`DER: ${what}`)
}

/** A tag above 30 takes more bytes, seven bits each, without leading zeros (X.690, 8.1.2.4). */
function readLongTag(bytes: Buffer, from: number): { tag: number; next: number } {
  let tag = 0
  for (let at = from; at < from + 4; at++) {
    const byte = bytes[at]
    if (byte === undefined || (at === from && byte === 0x80)) break
    tag = tag * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      if (tag < 31) break
      return { tag, next: at + 1 }
    }
  }
  throw malformed('a tag is malformed')
}

/** X.690, 10.1: the shortest form, and never an unknown length. */
function readLength(bytes: Buffer, at: number): { length: number; next: number } {
  const first = bytes[at]
  if (first === undefined || first === 0x80 || first > 0x84) throw malformed('a length is malformed')
  if (first < 0x80) return { length: first, next: at + 1 }
  const count = first - 0x80
  if (at + 1 + count > bytes.length) throw malformed('a length is cut off')
  const length = bytes.readUIntBE(at + 1, count)
  if (length < 0x80 || length < 256 ** (count - 1)) throw malformed('a length is longer than needed')
  return { length, next: at + 1 + count }
}

const maxObjects = 400

/** The objects that follow each other in some bytes, which they fill. @throws {UnreadableFileError} */
export function readDer(bytes: Buffer): readonly DerObject[] {
  const found: DerObject[] = []
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    const short = first & 0x1f
    const { tag, next } = short === 0x1f ? readLongTag(bytes, at + 1) : { tag: short, next: at + 1 }
    const { length, next: from } = readLength(bytes, next)
    if (from + length > bytes.length) throw malformed('an object is cut off')
    found.push({
      tag_class: first >> 6,
      is_constructed: (first & 0x20) !== 0,
      tag,
      value: bytes.subarray(from, from + length),
    })
    if (found.length > maxObjects) throw malformed('it has too many objects')
    at = from + length
  }
  return found
}

const universal = {
  BOOLEAN: 1,
  INTEGER: 2,
  BIT_STRING: 3,
  OCTET_STRING: 4,
  NULL: 5,
  OBJECT_IDENTIFIER: 6,
  ENUMERATED: 10,
  SEQUENCE: 16,
  SET: 17,
} as const

type UniversalType = keyof typeof universal

/** The value of an object that must be of a universal type. @throws {UnreadableFileError} */
export function requireDer(object: DerObject | undefined, type: UniversalType): Buffer {
  const isConstructed = type === 'SEQUENCE' || type === 'SET'
  if (
    object === undefined ||
    object.tag_class !== 0 ||
    object.tag !== universal[type] ||
    object.is_constructed !== isConstructed
  )
    throw malformed(`${type} is expected`)
  return object.value
}

/** The one object that some bytes are. @throws {UnreadableFileError} */
export function readOneDer(bytes: Buffer): DerObject {
  const [one, more] = readDer(bytes)
  if (one === undefined || more !== undefined) throw malformed('one object is expected')
  return one
}

/** The parts of a sequence or a set. @throws {UnreadableFileError} */
export function listDer(object: DerObject | undefined, type: 'SEQUENCE' | 'SET'): readonly DerObject[] {
  return readDer(requireDer(object, type))
}

/** X.690, 8.3.2: the first nine bits are not all alike. Negative numbers are none here. @throws {UnreadableFileError} */
export function requireInteger(object: DerObject | undefined, type: 'INTEGER' | 'ENUMERATED' = 'INTEGER'): bigint {
  const value = requireDer(object, type)
  const [first = 0xff, second = 0x80] = value
  if (value.length === 0 || first >= 0x80) throw malformed('a number is malformed or negative')
  if (value.length > 1 && first === 0 && second < 0x80) throw malformed('a number is longer than needed')
  return BigInt(`0x${value.toString('hex')}`)
}

/** X.690, 11.1: true is FF. @throws {UnreadableFileError} */
export function requireBoolean(object: DerObject | undefined): boolean {
  const value = requireDer(object, 'BOOLEAN')
  if (value.length !== 1 || (value[0] !== 0 && value[0] !== 0xff)) throw malformed('a truth value is malformed')
  return value[0] === 0xff
}
