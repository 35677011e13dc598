import { nextTurn } from '../base/bytes.ts'

/** A face as it is searched: its numbers, each in a byte. Their scale does not matter to a cosine. */
export function quantise(values: readonly number[]): Int8Array<ArrayBuffer> {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1
  return Int8Array.from(values, value => Math.round((value / largest) * 127))
}

interface NearFace {
  readonly customer_id: string
  readonly distance: number
}

/** Faces of one length, in memory. */
export interface FaceIndex {
  size(): number
  bytes(): number
  /** Adds a customer who is not there yet. */
  add(customer_id: string, vector: Int8Array): void
  remove(customer_id: string): void
  /** The nearest faces of other customers, the nearest first: those up to `limit`, and the nearest in any case. */
  search(vector: Int8Array, own_id: string, limit: number): Promise<readonly NearFace[]>
}

/** Vectors are kept in blocks, so that a growing index is never copied. */
const blockFaces = 4096
const idBytes = 16
/** A search gives up the event loop after so many faces: some milliseconds. */
const facesPerTurn = 16_384
const maxFound = 100

interface Block {
  readonly vectors: Int8Array
  readonly norms: Float32Array
  /** Norm of each vector's second half. */
  readonly rests: Float32Array
  readonly ids: Buffer
}

function toIdBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

function toId(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A range of numbers of each vector. */
type Part = readonly [from: number, to: number]

/** Whole numbers of 32 bits take V8 a quarter of the time that its numbers do. */
function multiply(block: Int8Array, at: number, vector: Int8Array, [from, to]: Part): number {
  let sum = 0
  for (let i = from; i < to; i++) sum = (sum + Math.imul(block[at + i] as number, vector[i] as number)) | 0
  return sum
}

function measureNorm(vector: Int8Array, from = 0): number {
  return Math.sqrt(multiply(vector, 0, vector, [from, vector.length])) || 1
}

/** A face by its place in an index. */
interface Hit {
  readonly n: number
  readonly distance: number
}

interface Search {
  readonly limit: number
  readonly found: Hit[]
}

/**
 * The distances, 1 − cosine, of the first faces of a block. Those beyond `most` may be given as infinite: half of their
 * numbers mostly show it, as the other half adds no more than the product of its norms (Cauchy and Schwarz).
 */
function measureBlock({ vectors, norms, rests }: Block, count: number, vector: Int8Array, most: number): Float64Array {
  const { length } = vector
  const half = length >> 1
  const norm = measureNorm(vector)
  const rest = measureNorm(vector, half)
  const distances = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  for (let n = 0; n < count; n++) {
    const at = n * length
    const size = norm * (norms[n] as number)
    const first = multiply(vectors, at, vector, [0, half])
    if (first + rest * (rests[n] as number) < (1 - most) * size) continue
    distances[n] = 1 - (first + multiply(vectors, at, vector, [half, length])) / size
  }
  return distances
}

/** Returns the memory that an index of so many faces takes, in bytes. */
export function measureIndexBytes(faces: number, length: number): number {
  return Math.ceil(faces / blockFaces) * blockFaces * (length + idBytes + 2 * Float32Array.BYTES_PER_ELEMENT)
}

export function createFaceIndex(length: number): FaceIndex {
  const blocks: Block[] = []
  let size = 0
  const slot = (n: number): { readonly block: Block; readonly at: number } => ({
    block: blocks[Math.floor(n / blockFaces)] as Block,
    at: n % blockFaces,
  })
  const set = (n: number, id: Uint8Array, vector: Int8Array): void => {
    const { block, at } = slot(n)
    block.ids.set(id, at * idBytes)
    block.vectors.set(vector, at * length)
    block.norms[at] = measureNorm(vector)
    block.rests[at] = measureNorm(vector, length >> 1)
  }
  const readId = (n: number): Buffer => {
    const { block, at } = slot(n)
    return block.ids.subarray(at * idBytes, (at + 1) * idBytes)
  }
  const find = (id: Buffer): number | null => {
    for (const [n, { ids }] of blocks.entries())
      for (let at = ids.indexOf(id); at >= 0; at = ids.indexOf(id, at + 1)) {
        const found = n * blockFaces + at / idBytes
        if (at % idBytes === 0 && found < size) return found
      }
    return null
  }
  /** Adds the faces of a block of distances to those found so far. */
  const collect = (distances: Float64Array, from: number, own: Buffer, { limit, found }: Search, best: Hit): Hit => {
    let nearest = best
    for (let at = 0; at < distances.length; at++) {
      const hit = { n: from + at, distance: distances[at] as number }
      const isNear = hit.distance <= limit
      if ((!isNear && hit.distance >= nearest.distance) || readId(hit.n).equals(own)) continue
      if (hit.distance < nearest.distance) nearest = hit
      if (isNear) found.push(hit)
    }
    return nearest
  }
  return {
    size: () => size,
    bytes: () => measureIndexBytes(size, length),
    add(customer_id, vector) {
      if (size === blocks.length * blockFaces)
        blocks.push({
          vectors: new Int8Array(blockFaces * length),
          norms: new Float32Array(blockFaces),
          rests: new Float32Array(blockFaces),
          ids: Buffer.alloc(blockFaces * idBytes),
        })
      set(size++, toIdBytes(customer_id), vector)
    },
    remove(customer_id) {
      const n = find(toIdBytes(customer_id))
      if (n === null) return
      const last = slot(size - 1)
      const vector = last.block.vectors.subarray(last.at * length, (last.at + 1) * length)
      set(n, readId(size - 1), vector)
      // Nothing of a face stays in memory.
      set(--size, Buffer.alloc(idBytes), new Int8Array(length))
      if (size % blockFaces === 0) blocks.length = size / blockFaces
    },
    async search(vector, own_id, limit) {
      const own = toIdBytes(own_id)
      const found: Hit[] = []
      let nearest: Hit = { n: -1, distance: Number.POSITIVE_INFINITY }
      for (let from = 0; from < size; from += blockFaces) {
        if (from > 0 && from % facesPerTurn === 0) await nextTurn()
        const most = Math.max(limit, nearest.distance)
        const distances = measureBlock(slot(from).block, Math.min(blockFaces, size - from), vector, most)
        nearest = collect(distances, from, own, { limit, found }, nearest)
      }
      const near = found.length > 0 || nearest.n < 0 ? found : [nearest]
      return near
        .sort((one, other) => one.distance - other.distance)
        .slice(0, maxFound)
        .map(({ n, distance }) => ({ customer_id: toId(readId(n)), distance: Math.max(0, distance) }))
    },
  }
}
