import { createHmac } from 'node:crypto'
import { deriveKey } from '../base/encryption.ts'
import { sha256 } from '../base/ids.ts'

/**
 * What the journal and snapshots name a capture's content by, for good: an HMAC of its SHA-256 (hex) under a key derived
 * from the customer's, which erasing destroys. Whoever has the very same image can't find it there afterwards.
 */
export const keyedDigest = (key: Uint8Array, content_sha256: string): string =>
  `hmac:${createHmac('sha256', deriveKey(key, 'capture_digest')).update(content_sha256).digest('hex')}`

const known = new WeakMap<Uint8Array, string>()

/** An upload's is asked for up to three times. */
const sha256Of = (content: Uint8Array): string => {
  const content_sha256 = known.get(content) ?? sha256(content)
  known.set(content, content_sha256)
  return content_sha256
}

/** All that a content may be named by: entries from before there was a key in it have the SHA-256 itself. */
export const keyedDigests = (
  key: Uint8Array,
  content: Uint8Array,
): readonly [digest: string, content_sha256: string] => {
  const content_sha256 = sha256Of(content)
  return [keyedDigest(key, content_sha256), content_sha256]
}
