import { deserialize, serialize } from 'node:v8'

/** Bytes of this size are sent as they are. Smaller ones are serialised with the rest, which copies them. */
const largeBytes = 64 * 1024

/** Large bytes of a value: where they belong in it. */
interface LargeBytes {
  readonly path: readonly string[]
  readonly length: number
  readonly isBuffer: boolean
}

interface Head {
  /** The value without its large bytes. */
  readonly value: unknown
  readonly large: readonly LargeBytes[]
}

const headerBytes = 4

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && (Array.isArray(value) || value.constructor === Object)
}

/**
 * A value as a structured clone, followed by its large byte arrays as they are: images of ten megabytes are neither
 * converted into text nor copied. Nobody may change them until they are sent.
 */
export function encodeRequest(request: unknown): readonly Uint8Array[] {
  const arrays: Uint8Array[] = []
  const large: LargeBytes[] = []
  const withoutLarge = (value: unknown, path: readonly string[]): unknown => {
    if (value instanceof Uint8Array && value.length >= largeBytes) {
      large.push({ path, length: value.length, isBuffer: Buffer.isBuffer(value) })
      arrays.push(value)
      return null
    }
    if (!isPlain(value)) return value
    const entries = Object.entries(value).map(([name, one]) => [name, withoutLarge(one, [...path, name])] as const)
    return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
  }
  const head = serialize({ value: withoutLarge(request, []), large } satisfies Head)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(head.length)
  return [header, head, ...arrays]
}

/** The value; its large byte arrays are parts of `content`. */
export function decodeRequest(content: Buffer): unknown {
  let at = headerBytes + content.readUInt32BE()
  const head = deserialize(content.subarray(headerBytes, at)) as Head
  const root = { value: head.value }
  for (const { path, length, isBuffer } of head.large) {
    const buffer = content.subarray(at, at + length)
    at += length
    const names = ['value', ...path]
    const owner = names.slice(0, -1).reduce<object>((one, name) => Reflect.get(one, name) as object, root)
    const bytes = isBuffer ? buffer : new Uint8Array(buffer.buffer, buffer.byteOffset, length)
    Reflect.set(owner, names.at(-1) ?? '', bytes)
  }
  return root.value
}
