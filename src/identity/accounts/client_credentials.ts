import { ApiError } from '../../base/api_error.ts'
import { tokenScope } from './access_token.ts'
import { type AccountDeps, type Client, findClient, isClientSecret } from './accounts.ts'

/** The ways in which clients may authenticate (RFC 6749 §2.3.1), by the names of RFC 8414. */
export const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post'] as const

/** The only grant (RFC 6749 §4.4). */
export const grantType = 'client_credentials'

/** Parameters of a token request; one without a value counts as absent. */
export type TokenParameters = ReadonlyMap<string, string>

/** RFC 6749 §3.2: no parameter twice; unknown ones are ignored. @throws {ApiError} `invalid_request` */
export function readTokenParameters(form: string): TokenParameters {
  const given = [...new URLSearchParams(form)]
  const names = new Set<string>()
  // A set: with a list the cost would be quadratic.
  const repeated = given.find(([name]) => names.size === names.add(name).size)?.[0]
  if (repeated !== undefined) throw new ApiError('invalid_request', `${repeated.slice(0, 64)}: given more than once`)
  return new Map(given.filter(([, value]) => value !== ''))
}

/** RFC 6749 §4.4.2. @throws {ApiError} `invalid_request`, `unsupported_grant_type` */
export function requireGrantType(parameters: TokenParameters): void {
  const given = parameters.get('grant_type')
  if (given === undefined) throw new ApiError('invalid_request', 'grant_type: is required')
  if (given !== grantType) throw new ApiError('unsupported_grant_type', `grant_type: must be ${grantType}`)
}

/** RFC 6749 §3.3. @throws {ApiError} `invalid_scope` */
export function requireScope(parameters: TokenParameters): void {
  const given = parameters.get('scope')
  const onlyScope = `the only scope is ${tokenScope}`
  if (given === undefined) throw new ApiError('invalid_scope', `scope: is required; ${onlyScope}`)
  if (given !== tokenScope) throw new ApiError('invalid_scope', `scope: ${onlyScope}`)
}

export interface ClientCredentials {
  readonly client_id: string
  readonly client_secret: string
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined. Null for anything else. */
function readBasic(authorization: string): ClientCredentials | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1]
  const [, id, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  if (id === undefined || secret === undefined) return null
  try {
    return { client_id: decodeForm(id), client_secret: decodeForm(secret) }
  } catch {
    return null // A per cent sign that encodes nothing.
  }
}

/** RFC 6749 §2.3: in the header or in the form, not both. Null where there are none. @throws {ApiError} `invalid_request` */
export function readClientCredentials(
  authorization: string | undefined,
  parameters: TokenParameters,
): ClientCredentials | null {
  const client_id = parameters.get('client_id')
  const client_secret = parameters.get('client_secret')
  if (authorization === undefined)
    return client_id === undefined || client_secret === undefined ? null : { client_id, client_secret }
  if (client_secret !== undefined)
    throw new ApiError('invalid_request', 'client_secret: give it in the form or by Basic authentication, not both')
  const basic = readBasic(authorization)
  if (basic !== null && client_id !== undefined && client_id !== basic.client_id)
    throw new ApiError('invalid_request', 'client_id: is not that of the Basic authentication')
  return basic
}

/**
 * RFC 6749 §3.2.1. An unknown client, a wrong secret and a missing secret give the same error, so that nobody learns
 * which ids exist. `onFailure` gets the id of a client that exists, and may throw another error.
 * @throws {ApiError} `invalid_client`
 */
export async function authenticateClient(
  { store, serviceKeys }: AccountDeps,
  credentials: ClientCredentials | null,
  onFailure: (clientId: string | null) => Promise<void>,
): Promise<Client> {
  const client = credentials === null ? null : await findClient(store, credentials.client_id)
  if (
    client !== null &&
    credentials !== null &&
    isClientSecret(serviceKeys, credentials.client_secret, client.secret_hmac)
  )
    return client
  await onFailure(client?.client_id ?? null)
  // RFC 6749 §5.2 asks for the header where the client used one, RFC 9110 §15.5.2 on every 401.
  const challenge = { 'WWW-Authenticate': 'Basic realm="attestor"' }
  throw new ApiError('invalid_client', 'client authentication failed', challenge)
}
