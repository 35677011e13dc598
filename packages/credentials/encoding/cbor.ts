import { UnreadableFileError } from '../chip/unreadable_file_error.ts'

/**
 * Reads CBOR as strictly as its signers write it (RFC 8949, 4.2.1): shortest lengths, none of unknown length, no key twice,
 * nothing behind the end. Each item keeps the bytes that it was read from, since signatures are over those.
 */

interface CborValues {
  readonly integer: number | bigint
  readonly bytes: Buffer
  readonly text: string
  readonly array: readonly CborItem[]
  readonly map: readonly (readonly [CborItem, CborItem])[]
  /** The item that is tagged. */
  readonly tag: CborItem
  readonly simple: boolean | null | undefined
  readonly float: number
}

interface Item<T extends keyof CborValues> {
  readonly type: T
  /** The bytes that it was read from. */
  readonly raw: Buffer
  readonly value: CborValues[T]
  /** The number of a tag; null of anything else. */
  readonly tag: number | bigint | null
}

export type CborItem = { [T in keyof CborValues]: Item<T> }[keyof CborValues]

export interface CborOptions {
  readonly max_bytes?: number
  readonly max_items?: number
  readonly max_depth?: number
  /** Whether keys of maps must be sorted as bytes. Many writers in the field do not sort them. */
  readonly ordered?: boolean
  /** Whether lengths and numbers must be in their shortest form. ISO/IEC 18013-5 does not ask for it, and some wallets write longer ones. */
  readonly shortest?: boolean
}

function malformed(what: string): UnreadableFileError {
  return new UnreadableFileError(`CBOR: ${what}`)
}

interface Head {
  readonly major: number
  readonly info: number
  /** The length, the value or the tag. */
  readonly argument: number | bigint
  readonly next: number
}

const argumentBytes: Readonly<Record<number, 1 | 2 | 4 | 8>> = { 24: 1, 25: 2, 26: 4, 27: 8 }

/** The smallest number that needs so many bytes. */
const smallest: Readonly<Record<1 | 2 | 4 | 8, bigint>> = { 1: 24n, 2: 0x100n, 4: 0x1_0000n, 8: 0x1_0000_0000n }

function toNumber(value: bigint): number | bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= -BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}

function readHead(bytes: Buffer, at: number, isShortest: boolean): Head {
  const first = bytes[at]
  if (first === undefined) throw malformed('it ends too early')
  const [major, info] = [first >> 5, first & 0x1f]
  if (info < 24) return { major, info, argument: info, next: at + 1 }
  const count = argumentBytes[info]
  if (count === undefined) throw malformed('a length is unknown or reserved')
  if (at + 1 + count > bytes.length) throw malformed('it ends too early')
  const value = BigInt(`0x${bytes.toString('hex', at + 1, at + 1 + count)}`)
  if (isShortest && major !== 7 && value < smallest[count]) throw malformed('a length is longer than needed')
  return { major, info, argument: toNumber(value), next: at + 1 + count }
}

function readHalf(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff]
  const sign = bits & 0x8000 ? -1 : 1
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

const simpleValues: Readonly<Record<number, boolean | null | undefined>> = {
  20: false,
  21: true,
  22: null,
  23: undefined,
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new UnreadableFileError('CBOR: a text is no UTF-8', { cause })
  }
}

/** An item whose bytes are not known yet. */
type Unplaced = {
  [T in keyof CborValues]: Omit<Item<T>, 'raw' | 'tag'> & Partial<Pick<Item<T>, 'tag'>>
}[keyof CborValues]

/** Returns the same name for keys that are equal, in all their encodings. */
function nameKey(key: CborItem): string {
  return key.type === 'text' || key.type === 'integer' ? `${key.type} ${key.value}` : key.raw.toString('latin1')
}

class Reader {
  readonly #bytes: Buffer
  readonly #options: Required<CborOptions>
  #at = 0
  #items = 0

  constructor(bytes: Buffer, options: Required<CborOptions>) {
    this.#bytes = bytes
    this.#options = options
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  read(depth = 0): CborItem {
    if (depth > this.#options.max_depth) throw malformed('it is nested too deeply')
    if (++this.#items > this.#options.max_items) throw malformed('it has too many items')
    const from = this.#at
    const head = readHead(this.#bytes, from, this.#options.shortest)
    this.#at = head.next
    const rest = this.#readRest(head, depth)
    return { tag: null, ...rest, raw: this.#bytes.subarray(from, this.#at) } as CborItem
  }

  #readRest({ major, info, argument, next }: Head, depth: number): Unplaced {
    if (major === 0) return { type: 'integer', value: argument }
    if (major === 1) return { type: 'integer', value: toNumber(-1n - BigInt(argument)) }
    if (major === 2) return { type: 'bytes', value: this.#take(argument) }
    if (major === 3) return { type: 'text', value: decodeText(this.#take(argument)) }
    if (major === 4) return { type: 'array', value: this.#times(argument, () => this.read(depth + 1)) }
    if (major === 5) return { type: 'map', value: this.#readMap(argument, depth) }
    if (major === 6) return { type: 'tag', tag: argument, value: this.read(depth + 1) }
    return this.#readSimple(info, next)
  }

  #readSimple(info: number, next: number): Unplaced {
    if (info in simpleValues) return { type: 'simple', value: simpleValues[info] }
    const at = next - (argumentBytes[info] ?? 0)
    if (info === 25) return { type: 'float', value: readHalf(this.#bytes.readUInt16BE(at)) }
    if (info === 26) return { type: 'float', value: this.#bytes.readFloatBE(at) }
    if (info === 27) return { type: 'float', value: this.#bytes.readDoubleBE(at) }
    throw malformed('a simple value is not known')
  }

  #take(length: number | bigint): Buffer {
    const from = this.#at
    if (length > this.#bytes.length - from) throw malformed('it ends too early')
    this.#at = from + Number(length)
    return this.#bytes.subarray(from, this.#at)
  }

  /**
   * Each item takes a byte at least, so a larger count can't be true. One that is too large is refused before there is an
   * array for it, whose memory alone would cost more than all else.
   */
  #times<T>(count: number | bigint, read: () => T): T[] {
    if (count > this.#bytes.length - this.#at) throw malformed('it ends too early')
    if (count > this.#options.max_items - this.#items) throw malformed('it has too many items')
    return Array.from({ length: Number(count) }, read)
  }

  #readMap(count: number | bigint, depth: number): readonly (readonly [CborItem, CborItem])[] {
    const seen = new Set<string>()
    let last: Buffer | null = null
    return this.#times(count, () => {
      const key = this.read(depth + 1)
      const name = nameKey(key)
      if (seen.has(name)) throw malformed('a map has a key twice')
      seen.add(name)
      if (this.#options.ordered && last !== null && Buffer.compare(last, key.raw) > 0)
        throw malformed('the keys of a map are not sorted')
      last = key.raw
      return [key, this.read(depth + 1)] as const
    })
  }
}

/** The one item that some bytes are. @throws {UnreadableFileError} */
export function readCbor(
  bytes: Uint8Array,
  { max_bytes = 64 * 1024, max_items = 4000, max_depth = 16, ordered = false, shortest = true }: CborOptions = {},
): CborItem {
  if (bytes.byteLength > max_bytes) throw malformed('it is too large')
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const reader = new Reader(view, { max_bytes, max_items, max_depth, ordered, shortest })
  const item = reader.read()
  if (!reader.isAtEnd) throw malformed('something follows it')
  return item
}

/**
 * Returns the value that a map has for a key; null if it has none. @throws {UnreadableFileError} for an item that is no
 * map
 */
export function findMember(item: CborItem, key: string | number | bigint): CborItem | null {
  if (item.type !== 'map') throw malformed('a map is expected')
  const found = item.value.find(([one]) => (one.type === 'text' || one.type === 'integer') && one.value === key)
  return found?.[1] ?? null
}

/** The value of an item that must be of a type. @throws {UnreadableFileError} */
export function requireType<T extends keyof CborValues>(item: CborItem | null, type: T): CborValues[T] {
  if (item?.type !== type) throw malformed(`${type} is expected`)
  return item.value as CborValues[T]
}
