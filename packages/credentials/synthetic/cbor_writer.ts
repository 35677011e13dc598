/** Writes CBOR as RFC 8949 prefers it (4.1): shortest lengths. */

export type CborValue =
  | number
  | bigint
  | string
  | boolean
  | null
  | Uint8Array
  | readonly CborValue[]
  | CborMap
  | CborTag

export type CborMap = ReadonlyMap<CborValue, CborValue>

export interface CborTag {
  readonly tag: number
  readonly value: CborValue
}

function head(major: number, argument: number | bigint): Buffer {
  const value = BigInt(argument)
  if (value < 24n) return Buffer.from([(major << 5) | Number(value)])
  const at = [0x100n, 0x1_0000n, 0x1_0000_0000n].findIndex(limit => value < limit)
  const count = at < 0 ? 8 : 2 ** at
  const digits = value.toString(16).padStart(count * 2, '0')
  return Buffer.concat([Buffer.from([(major << 5) | (24 + Math.log2(count))]), Buffer.from(digits, 'hex')])
}

export function encodeCbor(value: CborValue): Buffer {
  if (typeof value === 'number' || typeof value === 'bigint') {
    const whole = BigInt(value)
    return whole < 0n ? head(1, -1n - whole) : head(0, whole)
  }
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4])
  if (value === null) return Buffer.from([0xf6])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flat().map(one => encodeCbor(one))])
  if ('tag' in value) return Buffer.concat([head(6, value.tag), encodeCbor(value.value)])
  const items = value as readonly CborValue[]
  return Buffer.concat([head(4, items.length), ...items.map(encodeCbor)])
}
