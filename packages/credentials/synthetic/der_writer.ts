/** Writes DER, as states and chips do (ITU-T X.690). */

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes])
}

/** An object with a tag of one or two bytes. */
export function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts)
  const tagBytes = tag > 0xff ? Buffer.from([tag >> 8, tag & 0xff]) : Buffer.from([tag])
  return Buffer.concat([tagBytes, lengthOf(value.length), value])
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x30, ...parts)
}

/** DER sorts the elements of a set. */
export function setOf(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x31, ...[...parts].sort(Buffer.compare))
}

export function integer(value: number | bigint): Buffer {
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return tlv(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

export function octets(bytes: Uint8Array): Buffer {
  return tlv(0x04, bytes)
}

export function bits(bytes: Uint8Array, unused = 0): Buffer {
  return tlv(0x03, Buffer.from([unused]), bytes)
}

export const nothing = tlv(0x05)

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

export function text(tag: 0x0c | 0x13, value: string): Buffer {
  return tlv(tag, Buffer.from(value, 'utf8'))
}

/** UTCTime up to 2049, then GeneralizedTime (RFC 5280, 4.1.2.5). */
export function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')
  return digits < '2050' ? tlv(0x17, Buffer.from(digits.slice(2))) : tlv(0x18, Buffer.from(digits))
}
