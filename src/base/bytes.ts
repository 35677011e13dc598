/** Hashing, encrypting, copying or storing so many bytes takes milliseconds: the event loop stands still for no longer. */
export const pieceBytes = 2 ** 20

export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Divides bytes without copying them. */
export function toPieces(content: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(content.length / pieceBytes) }, (_, n) =>
    content.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  )
}

/** Calls `work` for each piece, and yields to the event loop between two of them. */
export async function forEachPiece(pieces: readonly Uint8Array[], work: (piece: Uint8Array) => void): Promise<void> {
  for (const [n, piece] of pieces.entries()) {
    if (n > 0) await nextTurn()
    work(piece)
  }
}

/** `Buffer.concat`, into memory of its own, of chunks that nobody reads afterwards: their memory is freed. */
function mergeChunks(chunks: readonly Uint8Array[]): Buffer {
  const merged = Buffer.allocUnsafeSlow(chunks.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const chunk of chunks) {
    merged.set(chunk, at)
    at += chunk.length
    releaseBuffer(chunk)
  }
  return merged
}

/**
 * Gathers the chunks of a stream into pieces, and frees them: the stream's next chunks get the same memory, and the
 * garbage collector has nothing to come for.
 */
export function gatherPieces() {
  const pieces: Buffer[] = []
  let chunks: Uint8Array[] = []
  let size = 0
  const merge = (): void => {
    pieces.push(mergeChunks(chunks))
    chunks = []
    size = 0
  }
  return {
    add(chunk: Uint8Array): void {
      chunks.push(chunk)
      size += chunk.length
      if (size >= pieceBytes) merge()
    },
    /** Returns the pieces, each of which has memory of its own and is not much longer than `pieceBytes`. */
    end(): readonly Buffer[] {
      if (size > 0) merge()
      return pieces
    },
  }
}

/** Joins pieces that nobody reads afterwards, and yields to the event loop between two of them. */
export async function joinPieces(pieces: readonly Buffer[]): Promise<Buffer> {
  const [first, ...others] = pieces
  if (first !== undefined && others.length === 0) return first
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((size, { length }) => size + length, 0))
  let at = 0
  await forEachPiece(pieces, piece => {
    joined.set(piece, at)
    at += piece.length
    releaseBuffer(piece)
  })
  return joined
}

/**
 * Frees the memory of pixels and other large bytes at once; nobody may read them afterwards. The garbage collector does
 * so late, because this memory is outside of its heap. A view of a shared buffer is left alone, and what is freed.
 */
export function releaseBuffer(data: Uint8Array): void {
  const { buffer, length } = data
  if (buffer instanceof ArrayBuffer && !buffer.detached && length === buffer.byteLength) buffer.transfer(0)
}
