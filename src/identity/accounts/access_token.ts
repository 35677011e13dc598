import { DecryptionError, decryptWithRoot, encryptWithRoot, type ServiceKeys } from '../../base/encryption.ts'

export const tokenScope = 'account-integration-api/account-api-access'

export const tokenLifetimeSeconds = 3600

/** The claims that the service reads in an access token; to its holder it is opaque (RFC 6749 §1.4). */
export interface AccessTokenClaims {
  readonly client_id: string
  readonly scope: string
  /** Epoch milliseconds. */
  readonly expires_at: number
}

const purpose = 'access_token'

/**
 * Encrypts the claims with a key that every node derives from the root key. Nobody else can read or verify such a
 * token, and no key has to be stored, published or rotated for it.
 */
export function issueAccessToken(serviceKeys: ServiceKeys, claims: AccessTokenClaims): string {
  return encryptWithRoot(serviceKeys, purpose, purpose, JSON.stringify(claims)).toString('base64url')
}

/** The claims of a token that this service issued, expired or not; null for anything else. */
export function readAccessToken(serviceKeys: ServiceKeys, token: string): AccessTokenClaims | null {
  const bytes = Buffer.from(token, 'base64url')
  // The decoder skips characters that are not base64url, so several texts would pass for one token.
  if (bytes.toString('base64url') !== token) return null
  try {
    return JSON.parse(decryptWithRoot(serviceKeys, purpose, purpose, bytes).toString('utf8')) as AccessTokenClaims
  } catch (error) {
    if (error instanceof DecryptionError) return null
    throw error
  }
}
