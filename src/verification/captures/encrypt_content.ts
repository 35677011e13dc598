import { forEachPiece, toPieces } from '../../base/bytes.ts'
import { startDecryption, startEncryption } from '../../base/encryption.ts'
import { type EncryptedContent, encryptHeld } from './content_thread.ts'

/** `encrypt` for a large content: beside the event loop where it came from a device, else in turns of it. */
export async function encryptContent(key: Uint8Array, aad: string, content: Uint8Array): Promise<EncryptedContent> {
  const beside = await encryptHeld(key, aad, content)
  if (beside !== null) return beside
  const encryption = startEncryption(key, aad)
  const pieces: Buffer[] = []
  await forEachPiece(toPieces(content), piece => pieces.push(encryption.update(piece)))
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
