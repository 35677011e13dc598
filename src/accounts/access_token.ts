import { DecryptionError, decryptJson, deriveKey, encryptJson } from '../base/encryption.ts'

/** spec, "Request an access token": the only scope there is. */
export const token_scope = 'account-integration-api/account-api-access'

/** spec, "Two credentials": one hour, in seconds. */
export const token_lifetime_s = 3600

/** What an access token says to the service; to its holder it is opaque (RFC 6749 §1.4). */
export interface AccessTokenClaims {
  readonly client_id: string
  readonly scope: string
  /** Epoch milliseconds. */
  readonly expires_at: number
}

const purpose = 'access_token'

/**
 * An access token: its claims, encrypted with a key that every node derives from the master key. Nobody else can read
 * or verify it, and it does not look as if they could; no key has to be kept, published or rotated for it.
 */
export const issueAccessToken = (master: Uint8Array, claims: AccessTokenClaims): string =>
  encryptJson(deriveKey(master, purpose), purpose, claims).toString('base64url')

/** The claims of a token that we issued, expired or not; null for anything else. */
export const readAccessToken = (master: Uint8Array, token: string): AccessTokenClaims | null => {
  const bytes = Buffer.from(token, 'base64url')
  // The decoder passes over what is no base64url, so that several texts would be one token.
  if (bytes.toString('base64url') !== token) return null
  try {
    return decryptJson<AccessTokenClaims>(deriveKey(master, purpose), purpose, bytes)
  } catch (error) {
    if (error instanceof DecryptionError) return null
    throw error
  }
}
