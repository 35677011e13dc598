const headerBytes = 4
const name = '$bytes'

function isPlace(value: unknown): value is { readonly [name]: readonly [from: number, length: number] } {
  return typeof value === 'object' && value !== null && name in value
}

/**
 * JSON, followed by the byte arrays in the value as they are; the pieces, in their order. As text they would be four
 * thirds as long, and each copy of that text work for the garbage collector. Nobody may change them until they are sent.
 */
export function encodeJsonWithBytes(value: unknown): readonly Uint8Array[] {
  const arrays: Uint8Array[] = []
  let from = 0
  // Not by a replacer of `JSON.stringify`: before it is called, a Buffer is made into an array of numbers.
  const placeBytes = (one: unknown): unknown => {
    if (typeof one !== 'object' || one === null) return one
    if (Array.isArray(one)) return one.map(placeBytes)
    if (!(one instanceof Uint8Array))
      return Object.fromEntries(Object.entries(one).map(([key, member]) => [key, placeBytes(member)]))
    arrays.push(one)
    const place = { [name]: [from, one.length] }
    from += one.length
    return place
  }
  const json = Buffer.from(JSON.stringify(placeBytes(value)))
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(json.length)
  return [header, json, ...arrays]
}

/** The value; its byte arrays are parts of `content`. @throws {Error} for what is no such content */
export function decodeJsonWithBytes(content: Buffer): unknown {
  const end = headerBytes + content.readUInt32BE()
  if (end > content.length) throw new Error('is shorter than it says')
  return JSON.parse(content.toString('utf8', headerBytes, end), (_, one: unknown) => {
    if (!isPlace(one)) return one
    const [from, length] = one[name]
    const { buffer, byteOffset, byteLength } = content.subarray(end + from, end + from + length)
    if (byteLength !== length) throw new Error('has fewer bytes than it says')
    return new Uint8Array(buffer, byteOffset, byteLength)
  })
}
