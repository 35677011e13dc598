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

/** `Buffer.concat` of many small chunks, which yields to the event loop after each piece. */
export async function joinChunks(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(chunks.reduce((size, { length }) => size + length, 0))
  let at = 0
  let untilTurn = pieceBytes
  for (const chunk of chunks) {
    if (at >= untilTurn) {
      await nextTurn()
      untilTurn = at + pieceBytes
    }
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}

/**
 * Joins chunks that nobody reads afterwards, and frees them: left to the garbage collector, those of one large body would
 * have it come.
 */
export async function mergeChunks(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const joined = await joinChunks(chunks)
  chunks.forEach(releaseBuffer)
  return joined
}

/**
 * Frees the memory of pixels and other large bytes at once; nobody may read them afterwards. The garbage collector does so late, because this
 * memory is outside of its heap. A view of a shared buffer is left alone.
 */
export function releaseBuffer(data: Uint8Array): void {
  if (data.buffer instanceof ArrayBuffer && data.length === data.buffer.byteLength) data.buffer.transfer(0)
}
