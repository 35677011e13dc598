import { issueAccessToken, token_lifetime_s, token_scope } from './access_token.ts'
import { type AccountDeps, type Client, findClient, isClientSecret } from './accounts.ts'

/** The codes of RFC 6749 §5.2 that this endpoint can answer. */
export type OAuthErrorCode = 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unsupported_grant_type'

/** RFC 6749 §5.2. */
export interface OAuthError {
  readonly error: OAuthErrorCode
  readonly error_description: string
}

/** RFC 6749 §5.1: the scope that was asked for is the one that was given. */
export interface AccessToken {
  readonly access_token: string
  /** Seconds. */
  readonly expires_in: number
  readonly token_type: 'Bearer'
}

/** What the endpoint answers: a token or an `OAuthError`. */
export interface TokenAnswer {
  readonly status: number
  readonly body: AccessToken | OAuthError
  /** The error's code, for `X-Error-Code`; null with a token. */
  readonly error_code: OAuthErrorCode | null
  /** The client that was named, whether or not its secret was right; null where there is none of that id. */
  readonly client_id: string | null
}

/** The parts of a call that matter: its `Authorization` header and its form, undecoded. */
export interface TokenRequest {
  readonly authorization: string | undefined
  readonly form: Uint8Array
}

/** Answers one call of `POST /oauth2/token`. */
export type TokenEndpoint = (call: TokenRequest) => Promise<TokenAnswer>

/** How clients may say who they are (RFC 6749 §2.3.1), by the names of RFC 8414. */
export const client_authentication_methods = ['client_secret_basic', 'client_secret_post'] as const

/** The only grant (RFC 6749 §4.4). */
export const grant_type = 'client_credentials'

/** A refusal on the way; it becomes the answer. */
class OAuthRefusal extends Error {
  override name = 'OAuthRefusal'
  readonly code: OAuthErrorCode
  readonly client_id: string | null

  constructor(code: OAuthErrorCode, message: string, client_id: string | null = null) {
    super(message)
    this.code = code
    this.client_id = client_id
  }
}

/** RFC 6749 §3.2: no parameter twice, and one without a value counts as left out; unknown ones are passed over. */
const parametersOf = (form: Uint8Array): ReadonlyMap<string, string> => {
  const given = [...new URLSearchParams(Buffer.from(form).toString('utf8'))]
  const names = given.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new OAuthRefusal('invalid_request', `${twice.slice(0, 64)}: given more than once`)
  return new Map(given.filter(([, value]) => value !== ''))
}

interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined. Null for anything else. */
const basicCredentials = (authorization: string): Credentials | null => {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1]
  const [, id, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  if (id === undefined || secret === undefined) return null
  try {
    return { client_id: formDecoded(id), client_secret: formDecoded(secret) }
  } catch {
    return null // A per cent sign that encodes nothing.
  }
}

const credentialsOf = (
  authorization: string | undefined,
  parameters: ReadonlyMap<string, string>,
): Credentials | null => {
  const [client_id, client_secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (authorization === undefined)
    return client_id === undefined || client_secret === undefined ? null : { client_id, client_secret }
  if (client_secret !== undefined)
    throw new OAuthRefusal('invalid_request', 'client_secret: give it in the form or by Basic authentication, not both')
  const basic = basicCredentials(authorization)
  if (basic !== null && client_id !== undefined && client_id !== basic.client_id)
    throw new OAuthRefusal('invalid_request', 'client_id: is not that of the Basic authentication')
  return basic
}

/** An unknown client, a wrong secret and none at all are one answer: nobody learns which ids there are. */
const authenticated = async ({ store, master }: AccountDeps, credentials: Credentials | null): Promise<Client> => {
  const client = credentials === null ? null : await findClient(store, credentials.client_id)
  if (client === null || credentials === null || !isClientSecret(master, credentials.client_secret, client.secret_hmac))
    throw new OAuthRefusal('invalid_client', 'client authentication failed', client?.client_id ?? null)
  return client
}

const requireScope = (scope: string | undefined, client_id: string): void => {
  const only = `the only scope is ${token_scope}`
  if (scope === undefined) throw new OAuthRefusal('invalid_scope', `scope: is required; ${only}`, client_id)
  if (scope !== token_scope) throw new OAuthRefusal('invalid_scope', `scope: ${only}`, client_id)
}

/** RFC 6749 §4.4, in the order in which a client can put it right. @throws {OAuthRefusal} */
const grant = async (deps: AccountDeps, { authorization, form }: TokenRequest): Promise<TokenAnswer> => {
  const parameters = parametersOf(form)
  const asked = parameters.get('grant_type')
  if (asked === undefined) throw new OAuthRefusal('invalid_request', 'grant_type: is required')
  if (asked !== grant_type) throw new OAuthRefusal('unsupported_grant_type', `grant_type: must be ${grant_type}`)
  const { client_id } = await authenticated(deps, credentialsOf(authorization, parameters))
  requireScope(parameters.get('scope'), client_id)
  const claims = { client_id, scope: token_scope, expires_at: deps.clock.now() + token_lifetime_s * 1000 }
  const access_token = issueAccessToken(deps.master, claims)
  const body = { access_token, expires_in: token_lifetime_s, token_type: 'Bearer' } as const
  return { status: 200, body, error_code: null, client_id }
}

/** `POST /oauth2/token` (spec, "Request an access token"). A database that is away is a `ApiError`, not an OAuth error. */
export const createTokenEndpoint =
  (deps: AccountDeps): TokenEndpoint =>
  async call => {
    try {
      return await grant(deps, call)
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error
      const { code, message: error_description, client_id } = error
      const status = code === 'invalid_client' ? 401 : 400
      return { status, body: { error: code, error_description }, error_code: code, client_id }
    }
  }

/** Authorization server metadata (RFC 8414 §2) of the service at `base_url`: for clients that configure themselves. */
export const serverMetadata = (base_url: string): object => ({
  issuer: base_url,
  token_endpoint: `${base_url}/oauth2/token`,
  token_endpoint_auth_methods_supported: client_authentication_methods,
  grant_types_supported: [grant_type],
  // Of the authorization endpoint, which is not here: no client of ours acts for a user.
  response_types_supported: [],
  scopes_supported: [token_scope],
  service_documentation: `${base_url}/docs`,
})
