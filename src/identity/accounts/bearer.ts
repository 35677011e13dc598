import { ApiError } from '../../base/api_error.ts'
import { createRecent } from '../../base/collections.ts'
import { sha256 } from '../../base/ids.ts'
import { readAccessToken, tokenScope } from './access_token.ts'
import { type AccountDeps, findClient } from './accounts.ts'

/** A call acts for the whole account; an account has no users. */
export interface AuthenticatedClient {
  readonly account_id: string
  readonly client_id: string
}

/** Reads an `Authorization` header. @throws {ApiError} `invalid_token`, `insufficient_scope` */
export type Authenticator = (authorization: string | undefined) => Promise<AuthenticatedClient>

/** A client whose token was verified, and the time until which the token is valid. */
interface VerifiedClient extends AuthenticatedClient {
  /** Epoch milliseconds. */
  readonly until: number
}

/** A verified token is trusted for so long, and so a revoked client may still be let in for so long. */
const trustMs = 60_000
const maxTrustedTokens = 10_000

/** RFC 6750 §3.1. */
export function createInvalidTokenError(message: string): ApiError {
  return new ApiError('invalid_token', message, { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
}

/** The token of an `Authorization: Bearer` header. @throws {ApiError} `invalid_token` */
export function readBearer(authorization: string | undefined): string {
  // RFC 6750 §3.1 would give no error code to a call without a token; but clients of the API look for one.
  if (authorization === undefined) throw createInvalidTokenError('authorization: a bearer token is required')
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) throw createInvalidTokenError('authorization: must be a bearer token')
  return token
}

/** Verifies an access token each time. @throws {ApiError} as `Authenticator` */
function createTokenVerifier({ store, clock, serviceKeys }: AccountDeps): (token: string) => Promise<VerifiedClient> {
  return async token => {
    const claims = readAccessToken(serviceKeys, token)
    if (claims === null || claims.expires_at <= clock.now())
      throw createInvalidTokenError('access token: invalid or expired')
    if (claims.scope !== tokenScope)
      throw new ApiError('insufficient_scope', `access token: needs the scope ${tokenScope}`, {
        'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${tokenScope}"`,
      })
    const client = await findClient(store, claims.client_id)
    if (client === null) throw createInvalidTokenError('access token: its client is gone')
    const until = Math.min(clock.now() + trustMs, claims.expires_at)
    return { account_id: client.account_id, client_id: client.client_id, until }
  }
}

/** Verifies access tokens, each at most once a minute. */
export function createAuthenticator(deps: AccountDeps): Authenticator {
  const verify = createTokenVerifier(deps)
  const trusted = createRecent<{ client: VerifiedClient; verifiedAt: number }>(maxTrustedTokens)
  return async authorization => {
    const token = readBearer(authorization)
    const hash = sha256(token)
    const monotonic = deps.clock.monotonic()
    const known = trusted.get(hash)
    // Two clocks: when the wall clock is set back, a revoked client must not stay trusted for longer, nor an expired token.
    if (known !== undefined && monotonic - known.verifiedAt < trustMs && deps.clock.now() < known.client.until)
      return known.client
    const client = await verify(token)
    trusted.set(hash, { client, verifiedAt: monotonic })
    return client
  }
}
