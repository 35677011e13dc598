/** A tag of CBOR before a value (RFC 8949, 3.4). */
export interface Tagged {
  readonly tag: number
  readonly value: CborValue
}

/** Bytes that are CBOR already. */
interface Written {
  readonly written: Buffer
}

export type CborValue =
  | number
  | string
  | boolean
  | null
  | Buffer
  | readonly CborValue[]
  | ReadonlyMap<string | number | Buffer, CborValue>
  | Tagged
  | Written

const [unsigned, negative, bytes, text, array, map, tag] = [0, 1, 2, 3, 4, 5, 6]

/** The shortest form of a number or a length. */
function head(major: number, argument: number): Buffer {
  const first = major << 5
  if (argument < 24) return Buffer.from([first | argument])
  if (argument < 0x100) return Buffer.from([first | 24, argument])
  if (argument < 0x1_0000) return Buffer.from([first | 25, argument >> 8, argument & 0xff])
  const wide = Buffer.alloc(argument < 0x1_0000_0000 ? 5 : 9, first | (argument < 0x1_0000_0000 ? 26 : 27))
  if (wide.length === 5) wide.writeUInt32BE(argument, 1)
  else wide.writeBigUInt64BE(BigInt(argument), 1)
  return wide
}

/** Writes CBOR with lengths that are known and short. Keys of maps stay in their order. */
export function writeCbor(value: CborValue): Buffer {
  if (value === null) return Buffer.from([0xf6])
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4])
  if (typeof value === 'number') return value < 0 ? head(negative, -1 - value) : head(unsigned, value)
  if (typeof value === 'string') return Buffer.concat([head(text, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(bytes, value.length), value])
  if (value instanceof Map)
    return Buffer.concat([
      head(map, value.size),
      ...[...value].flatMap(([key, one]) => [writeCbor(key), writeCbor(one)]),
    ])
  if (isList(value)) return Buffer.concat([head(array, value.length), ...value.map(writeCbor)])
  if ('written' in value) return value.written
  if ('tag' in value) return Buffer.concat([head(tag, value.tag), writeCbor(value.value)])
  throw new TypeError('no value of CBOR')
}

function isList(value: object): value is readonly CborValue[] {
  return Array.isArray(value)
}

/** Wraps CBOR inside of CBOR (tag 24), as mdocs carry signed data. */
export function embed(value: CborValue): Tagged {
  return { tag: 24, value: writeCbor(value) }
}
