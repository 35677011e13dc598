import { constants, createHash, type KeyObject, publicDecrypt, verify } from 'node:crypto'
import { toPublicKey } from './signatures.ts'

/** Length of a challenge (ICAO 9303 part 11). */
export const challengeBytes = 8

/** Digests by the trailer of ISO/IEC 9796-2; without a trailer it is SHA-1, and the message ends in BC. */
const trailers: Readonly<Record<number, string>> = {
  51: 'sha1',
  56: 'sha224',
  52: 'sha256',
  54: 'sha384',
  53: 'sha512',
}

function trailerOf(message: Buffer): { digest: string; length: number } | null {
  if (message.at(-1) === 0xbc) return { digest: 'sha1', length: 1 }
  const digest = trailers[message.at(-2) ?? 0]
  return message.at(-1) === 0xcc && digest !== undefined ? { digest, length: 2 } : null
}

/** The message that a signature recovers. */
function recover(key: KeyObject, response: Buffer): Buffer | null {
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  const length = Math.ceil(modulusLength / 8)
  if (response.length > length) return null
  const padded = Buffer.concat([Buffer.alloc(length - response.length), response])
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, padded)
  } catch {
    // OpenSSL refuses a number that is not below the modulus.
    return null
  }
}

/** ISO/IEC 9796-2, scheme 1, with partial recovery: `6A`, a nonce of the chip's, a digest of nonce and challenge, a trailer. */
function isRsaResponse(key: KeyObject, challenge: Buffer, response: Buffer): boolean {
  const message = recover(key, response)
  const trailer = message === null ? null : trailerOf(message)
  if (message === null || trailer === null || message[0] !== 0x6a) return false
  const end = message.length - trailer.length
  const nonceEnd = end - createHash(trailer.digest).digest().length
  if (nonceEnd < 1) return false
  const digest = createHash(trailer.digest).update(message.subarray(1, nonceEnd)).update(challenge).digest()
  return digest.equals(message.subarray(nonceEnd, end))
}

/** DG14 names the digest, but some chips lack it: the challenge is ours, so any of the accepted ones will do. */
const ecdsaDigests = ['sha256', 'sha1', 'sha384', 'sha512', 'sha224']

/** Verifies a signature as in BSI TR-03111, with one number after the other, or in DER, as some chips answer. */
function isEcdsaResponse(key: KeyObject, challenge: Buffer, response: Buffer): boolean {
  if (response.length > 200) return false
  return ecdsaDigests.some(digest =>
    (['ieee-p1363', 'der'] as const).some(dsaEncoding => verify(digest, challenge, { key, dsaEncoding }, response)),
  )
}

/** Whether the chip's own key answered our challenge; null if we don't verify with such a key. */
export function isChallengeAnswered(spki: Buffer, challenge: Buffer, response: Buffer): boolean | null {
  const key = toPublicKey(spki)
  if (key === null || challenge.length !== challengeBytes) return null
  return key.asymmetricKeyType === 'ec'
    ? isEcdsaResponse(key, challenge, response)
    : isRsaResponse(key, challenge, response)
}
