import { startEncryption } from '../base/encryption.ts'

/** Hashing or encrypting a piece takes a millisecond or two. */
const pieceBytes = 2 ** 20

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Divides bytes without copying them. */
export const toPieces = (content: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(content.length / pieceBytes) }, (_, n) =>
    content.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  )

/** Calls `work` for each piece, and yields to the event loop between two of them. */
export const forEachPiece = async (pieces: readonly Uint8Array[], work: (piece: Uint8Array) => void): Promise<void> => {
  for (const [n, piece] of pieces.entries()) {
    if (n > 0) await nextTurn()
    work(piece)
  }
}

/** `encrypt` for a large content. The pieces together are the input of `decrypt`. */
export const encryptContent = async (key: Uint8Array, aad: string, content: Uint8Array): Promise<readonly Buffer[]> => {
  const encryption = startEncryption(key, aad)
  const encrypted: Buffer[] = []
  await forEachPiece(toPieces(content), piece => encrypted.push(encryption.update(piece)))
  return [encryption.end(), ...encrypted]
}
