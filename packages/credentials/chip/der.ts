import { AsnParser } from '@peculiar/asn1-schema'
import { type AsnType, fromBER } from 'asn1js'
import { UnreadableFileError } from './unreadable_file_error.ts'

/** Largest file of a chip, except lists: a real EF.SOD is about 2 KiB. */
const maxBytes = 64 * 1024
const maxNodes = 2000

export interface DerLimits {
  readonly max_bytes?: number
  readonly max_nodes?: number
}

/** Parses bytes as blocks of BER. Throws `UnreadableFileError`. */
export function parseBlocks(
  what: string,
  bytes: Uint8Array | ArrayBuffer,
  { max_bytes = maxBytes, max_nodes = maxNodes }: DerLimits = {},
): AsnType {
  if (bytes.byteLength > max_bytes) throw new UnreadableFileError(`${what} is too large`)
  const { offset, result } = readOrThrow(what, () => fromBER(bytes, { maxNodes: max_nodes, maxDepth: 32 }))
  if (offset === -1) throw new UnreadableFileError(`${what} cannot be read`)
  return result
}

/** Converts blocks to one type of the standards. */
export function convertBlock<T>(what: string, block: AsnType, type: new () => T): T {
  return readOrThrow(what, () => AsnParser.fromASN(block, type))
}

/** Parses bytes from outside as one type of the standards. */
export function parseDer<T>(
  what: string,
  bytes: Uint8Array | ArrayBuffer,
  type: new () => T,
  limits: DerLimits = {},
): T {
  return convertBlock(what, parseBlocks(what, bytes, limits), type)
}

/** Any error of the libraries means that the bytes from outside are malformed. */
function readOrThrow<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new UnreadableFileError(`${what} cannot be read`, { cause })
  }
}

export interface Tlv {
  readonly tag: number
  readonly value: Buffer
}

function readTag(bytes: Buffer, at: number): { tag: number; next: number } {
  const first = bytes[at] ?? 0
  if ((first & 0x1f) !== 0x1f) return { tag: first, next: at + 1 }
  const second = bytes[at + 1]
  // ICAO 9303 part 10 uses tags of one and two bytes.
  if (second === undefined || second >= 0x80) throw new UnreadableFileError('a tag is malformed')
  return { tag: first * 256 + second, next: at + 2 }
}

function readLength(bytes: Buffer, at: number): { length: number; next: number } {
  const first = bytes[at]
  if (first === undefined || first === 0x80 || first > 0x84) throw new UnreadableFileError('a length is malformed')
  if (first < 0x80) return { length: first, next: at + 1 }
  const count = first - 0x80
  if (at + 1 + count > bytes.length) throw new UnreadableFileError('a length is malformed')
  return { length: bytes.readUIntBE(at + 1, count), next: at + 1 + count }
}

/** The objects that follow each other in some bytes. Trailing zeros, which chips fill files with, are none. */
export function readTlvs(bytes: Buffer): Tlv[] {
  const found: Tlv[] = []
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const { tag, next } = readTag(bytes, at)
    const { length, next: from } = readLength(bytes, next)
    if (from + length > bytes.length) throw new UnreadableFileError('an object is cut off')
    found.push({ tag, value: bytes.subarray(from, from + length) })
    at = from + length
  }
  return found
}

/** The value of a file's outer object, which must have this tag. */
export function unwrapFile(what: string, bytes: Buffer, tag: number): Buffer {
  const [outer] = readTlvs(bytes)
  if (outer?.tag !== tag) throw new UnreadableFileError(`${what} has another tag`)
  return outer.value
}

/** The value of the first object with this tag; null where there is none. */
export function findTlv(bytes: Buffer, tag: number): Buffer | null {
  return readTlvs(bytes).find(tlv => tlv.tag === tag)?.value ?? null
}
