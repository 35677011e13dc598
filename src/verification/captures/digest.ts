import { createHash } from 'node:crypto'
import { forEachPiece, toPieces } from '../../base/bytes.ts'
import { deriveKey, hmac } from '../../base/encryption.ts'
import { sha256 } from '../../base/ids.ts'
import { joinBeside } from './content_thread.ts'

/**
 * Names a capture's content in the journal and in snapshots, which are kept for good: an HMAC of its SHA-256 (hex) under a
 * key derived from the customer's. Erasing destroys that key, so that nobody can search for a known image afterwards.
 */
export function keyedDigest(key: Uint8Array, contentSha256: string): string {
  return `hmac:${hmac(deriveKey(key, 'capture_digest'), contentSha256).digest('hex')}`
}

const known = new WeakMap<Uint8Array, string>()

/** The SHA-256 of a content (hex). Cached, because an upload needs it up to four times. */
export function hashContent(content: Uint8Array): string {
  const digest = known.get(content) ?? sha256(content)
  known.set(content, digest)
  return digest
}

async function digestInTurns(content: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  await forEachPiece(toPieces(content), piece => hash.update(piece))
  return hash.digest('hex')
}

/** Digests a large content in turns of the event loop, for `hashContent` and `keyedDigests` later. */
export async function prepareDigest(content: Uint8Array): Promise<void> {
  if (!known.has(content)) known.set(content, await digestInTurns(content))
}

/** Joins the pieces of an upload, which nobody reads afterwards: those of a large one beside the event loop, with its digest. */
export async function joinUpload(pieces: readonly Buffer[]): Promise<Buffer> {
  const [first = Buffer.alloc(0), ...others] = pieces
  if (others.length === 0) return first
  const { content, digest } = await joinBeside(pieces)
  known.set(content, digest)
  return content
}

/** The two digests of a content: the keyed one for the journal, the SHA-256 for its own row. */
export function keyedDigests(
  key: Uint8Array,
  content: Uint8Array,
): readonly [keyedDigest: string, contentSha256: string] {
  const contentSha256 = hashContent(content)
  return [keyedDigest(key, contentSha256), contentSha256]
}
