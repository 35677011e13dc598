/** The bytes of a field in pieces: the weights of a network are copied once, when all are joined. */
export type Field = readonly Uint8Array[]

function encodeVarint(value: number): readonly number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return [...bytes, Number(rest)]
}

export function writeInteger(field: number, value: number): Field {
  return [Uint8Array.from([...encodeVarint(field << 3), ...encodeVarint(value)])]
}

export function writeFloat(field: number, value: number): Field {
  return [Uint8Array.from(encodeVarint((field << 3) | 5)), new Uint8Array(Float32Array.of(value).buffer)]
}

export function writeMessage(field: number, fields: readonly Field[]): Field {
  const pieces = fields.flat()
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return [Uint8Array.from([...encodeVarint((field << 3) | 2), ...encodeVarint(length)]), ...pieces]
}

export function writeBytes(field: number, bytes: Uint8Array): Field {
  return writeMessage(field, [[bytes]])
}

export function writeText(field: number, text: string): Field {
  return writeBytes(field, Buffer.from(text))
}

/** A field as it was read: its number, and its integer, or the bytes of anything else. */
export interface ReadField {
  readonly field: number
  readonly integer: number
  readonly bytes: Uint8Array | null
}

/**
 * Reads the fields of a message in their order.
 * @throws {Error} for a field of fixed size, which no part of a network that we read has
 */
export function readFields(message: Uint8Array): readonly ReadField[] {
  const fields: ReadField[] = []
  let at = 0
  const readVarint = (): number => {
    let value = 0
    for (let times = 1; ; times *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 127) * times
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const key = readVarint()
    const [field, wire] = [key >> 3, key & 7]
    if (wire !== 0 && wire !== 2) throw new Error(`field ${field} has the wire type ${wire}`)
    const value = readVarint()
    if (wire === 2) at += value
    fields.push({ field, integer: value, bytes: wire === 2 ? message.subarray(at - value, at) : null })
  }
  return fields
}
