import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { Refusal } from '../base/refusal.ts'
import type { SigningKeyRow } from '../store/signing_keys.ts'
import type { AccountRoom } from './accounts.ts'
import { createTokenProvider } from './token_provider.ts'

/** RFC 6749 §5.2. */
export interface OAuthError {
  readonly error: string
  readonly error_description: string
}

/** What the endpoint answers: a token or an `OAuthError`. Headers are on the response already. */
export interface TokenAnswer {
  readonly status: number
  readonly body: unknown
  /** The error's code, for `X-Error-Code`; null with a token. */
  readonly error_code: string | null
  /** The client that was named, whether or not its secret was right; null where there is none of that id. */
  readonly client_id: string | null
}

/** A request whose form was read already, and the response that takes the headers. */
export interface TokenRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly form: Uint8Array
}

/** Answers one call of `POST /oauth2/token`. */
export type TokenEndpoint = (call: TokenRequest) => Promise<TokenAnswer>

/** The library wants to read its own request: it gets one that holds the form which the front door has read and bounded. */
const replay = ({ request, form }: TokenRequest): IncomingMessage => {
  const again = new IncomingMessage(request.socket)
  const { 'transfer-encoding': _chunked, ...headers } = request.headers
  Object.assign(again, { method: 'POST', url: '/oauth2/token', httpVersion: request.httpVersion })
  // An incomplete message takes its socket with it when it is thrown away.
  again.complete = true
  Object.assign(again.headers, headers, { 'content-length': String(form.length), accept: 'application/json' })
  again.push(form)
  again.push(null)
  return again
}

type Handler = (context: ReturnType<Provider['createContext']>) => Promise<void>

/** The library's middleware without Koa's own answering: that is the front door's. Koa has `compose` as an option. */
const handlerOf = (provider: Provider): Handler => {
  const { compose, middleware } = provider as unknown as { compose: (chain: unknown) => Handler; middleware: unknown }
  return compose(middleware)
}

const described: Readonly<Record<string, string>> = {
  invalid_client: 'client authentication failed',
  invalid_request: 'the request is malformed',
}

const oauthError = (body: unknown): OAuthError => {
  const told = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const error = typeof told.error === 'string' ? told.error : 'invalid_request'
  const description = typeof told.error_description === 'string' ? told.error_description : described[error]
  return { error, error_description: description ?? error }
}

/** spec, "Request an access token": these three. The scope that was asked for is the one that was given. */
const grantOf = (body: unknown): unknown => {
  const { access_token, expires_in, token_type } = body as Record<string, unknown>
  return { access_token, expires_in, token_type }
}

/** The library keeps a client in its context as soon as it is named; only `invalid_client` says that it was not let in. */
const clientOf = (context: unknown): string | null => {
  const { oidc } = context as { oidc?: { client?: { clientId?: string } } }
  return oidc?.client?.clientId ?? null
}

/** `POST /oauth2/token` (spec, "Request an access token"). A database that is away is a `Refusal`, not an OAuth error. */
export const createTokenEndpoint = (
  room: AccountRoom,
  issuer: string,
  keys: readonly SigningKeyRow[],
): TokenEndpoint => {
  const provider = createTokenProvider(room, issuer, keys)
  const handle = handlerOf(provider)
  const faults = new WeakMap<object, unknown>()
  provider.on('server_error', (context, error) => faults.set(context, error))
  return async call => {
    const context = provider.createContext(replay(call), call.response)
    await handle(context)
    if (faults.has(context)) throw faults.get(context)
    const client_id = clientOf(context)
    if (context.status === 200) return { status: 200, body: grantOf(context.body), error_code: null, client_id }
    if (context.status >= 500 || context.status === 404)
      throw new Refusal('malformed_request', 'the request is malformed')
    const body = oauthError(context.body)
    return { status: context.status === 401 ? 401 : 400, body, error_code: body.error, client_id }
  }
}
