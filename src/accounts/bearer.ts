import { ApiError } from '../base/api_error.ts'
import { sha256 } from '../base/ids.ts'
import { readAccessToken, token_scope } from './access_token.ts'
import { type AccountDeps, findClient } from './accounts.ts'

/** Who calls: spec, "Authentication", rule 6: the account, not a user. */
export interface Caller {
  readonly account_id: string
  readonly client_id: string
}

/** Reads an `Authorization` header. @throws {ApiError} `invalid_token`, `insufficient_scope` */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>

/** A caller whose token was verified, and until when that is believed. */
export interface KnownCaller extends Caller {
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** How long a token's verdict is believed, and so how long a revoked client may still be let in. */
const believed_ms = 60_000
const most_known = 10_000

/** RFC 6750 §3.1. */
export const invalidToken = (message: string): ApiError =>
  new ApiError('invalid_token', message, { 'WWW-Authenticate': 'Bearer error="invalid_token"' })

/** The token of an `Authorization: Bearer` header. @throws {ApiError} `invalid_token` */
export const readBearer = (authorization: string | undefined): string => {
  // RFC 6750 §3.1: who has not tried is not told of an error code; but the spec's clients look for one.
  if (authorization === undefined) throw invalidToken('authorization: a bearer token is required')
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) throw invalidToken('authorization: must be a bearer token')
  return token
}

/** Verifies an access token, whatever is known of it already. @throws {ApiError} as `Authenticate` */
export const createVerify =
  ({ store, clock, master }: AccountDeps): ((token: string) => Promise<KnownCaller>) =>
  async token => {
    const claims = readAccessToken(master, token)
    if (claims === null || claims.expires_at <= clock.now()) throw invalidToken('access token: invalid or expired')
    if (claims.scope !== token_scope)
      throw new ApiError('insufficient_scope', `access token: needs the scope ${token_scope}`, {
        'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${token_scope}"`,
      })
    const client = await findClient(store, claims.client_id)
    if (client === null) throw invalidToken('access token: its client is gone')
    const until = Math.min(clock.now() + believed_ms, claims.expires_at)
    return { account_id: client.account_id, client_id: client.client_id, until }
  }

/** Verifies access tokens (spec, "Authentication"), each once a minute. */
export const createAuthenticate = (deps: AccountDeps): Authenticate => {
  const verify = createVerify(deps)
  const known = new Map<string, { readonly caller: KnownCaller; readonly seen_at: number }>()
  return async authorization => {
    const token = readBearer(authorization)
    const hash = sha256(token)
    const seen_at = deps.clock.monotonic()
    const seen = known.get(hash)
    // Both: a clock that is put back must not let a revoked client in for as long, nor one put forward an expired token.
    if (seen !== undefined && seen_at - seen.seen_at < believed_ms && deps.clock.now() < seen.caller.until)
      return seen.caller
    const caller = await verify(token)
    if (known.size >= most_known) known.clear()
    known.set(hash, { caller, seen_at })
    return caller
  }
}
