const headerBytes = 4
const name = '$bytes'

function isPlace(value: unknown): value is { readonly [name]: readonly [from: number, length: number] } {
  return typeof value === 'object' && value !== null && name in value
}

/**
 * Returns JSON, and after it the byte arrays of the value without a change, as pieces in their order. As text the
 * arrays would be four thirds as long, and each copy of that text work for the garbage collector. They must not be
 * changed until they are sent.
 */
export function encodeJsonWithBytes(value: unknown): readonly Uint8Array[] {
  const arrays: Uint8Array[] = []
  let from = 0
  // A replacer of `JSON.stringify` would come too late: before it is called, a Buffer is made into an array of numbers.
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

/**
 * Returns the value; its byte arrays are parts of `content`.
 * @throws {Error} for any other content
 */
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
