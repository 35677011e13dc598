import { forEachPiece, pieceBytes, toPieces } from '../../base/bytes.ts'
import { startDecryption, startEncryption } from '../../base/encryption.ts'
import { type EncryptedContent, encryptBeside } from './content_thread.ts'

/** `encrypt` for a content: of a large one beside the event loop. */
export async function encryptContent(key: Uint8Array, aad: string, content: Uint8Array): Promise<EncryptedContent> {
  if (content.length > pieceBytes) return encryptBeside(key, aad, content)
  const encryption = startEncryption(key, aad)
  const pieces = [encryption.update(content)]
  return { head: encryption.end(), pieces }
}

/** `decrypt` for a large content. @throws {DecryptionError} */
export async function decryptContent(key: Uint8Array, aad: string, encrypted: Uint8Array): Promise<Buffer> {
  const decryption = startDecryption(key, aad, encrypted)
  const plain = Buffer.allocUnsafeSlow(decryption.encrypted.length)
  let at = 0
  await forEachPiece(toPieces(decryption.encrypted), piece => {
    plain.set(decryption.update(piece), at)
    at += piece.length
  })
  decryption.end()
  return plain
}
