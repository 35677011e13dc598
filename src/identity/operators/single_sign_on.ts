import { readFirst, run, runAll, type Unit } from 'durable-xstate-sql'
import * as openid from 'openid-client'
import { ApiError } from '../../base/api_error.ts'
import { sha256 } from '../../base/ids.ts'
import { computeRowMac, deriveRowKey } from '../../database/row_mac.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import { type Role, roles } from '../../database/words.ts'
import { computeOperatorMac } from '../row_macs.ts'
import { appendAudit } from './audit.ts'
import type { LoggedIn, LoginDeps } from './login.ts'
import { createOperator, toOperatorName } from './operators.ts'
import { maxSessionMs, type OperatorCaller, prepareSession, removeOverSessions } from './sessions.ts'

/** The company's own identity provider, which speaks OpenID Connect. */
export interface IdentityProvider {
  readonly issuer: URL
  readonly client_id: string
  readonly client_secret: string
  /** The claim that states a person's role: a text or a list. */
  readonly roles_claim: string
  /** The claim's value for each role. */
  readonly role_names: Readonly<Record<Role, string>>
}

/** A person whom the provider knows. */
export interface ProvidedIdentity {
  /** A digest of the issuer and its own id of the person. */
  readonly id: string
  readonly name: string
  /** Null where the claim names no role. */
  readonly role: Role | null
}

/** The facts that the browser keeps from the beginning of a sign-in to its end. */
interface Kept {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface SignOn {
  /** The address to which the browser is sent, and the cookie that it keeps until it comes back. */
  begin(): Promise<{ readonly url: string; readonly kept: string }>
  /**
   * Returns the person who came back at `url`. @throws {ApiError} `invalid_client` for an answer that is not the
   * provider's
   */
  finish(url: URL, kept: string): Promise<ProvidedIdentity>
}

function readRole(claim: unknown, { role_names }: IdentityProvider): Role | null {
  const given: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return roles.toReversed().find(role => given.includes(role_names[role])) ?? null
}

function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? ''
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function refused(cause: unknown): ApiError {
  const error = new ApiError('invalid_client', 'login: the identity provider’s answer is not valid', {
    'WWW-Authenticate': 'Cookie',
  })
  error.cause = cause
  return error
}

/** The provider's configuration is read when somebody signs in for the first time, and again after a failure. */
export function openSignOn(provider: IdentityProvider, redirect_uri: string): SignOn {
  let discovered: Promise<openid.Configuration> | null = null
  const discover = (): Promise<openid.Configuration> => {
    const { issuer, client_id, client_secret } = provider
    const execute = isLoopback(issuer) ? [openid.allowInsecureRequests] : []
    discovered ??= openid.discovery(issuer, client_id, client_secret, undefined, { execute, timeout: 10 })
    discovered.catch(() => {
      discovered = null
    })
    return discovered.catch(cause => {
      const error = new ApiError('unavailable', 'login: the identity provider cannot be reached')
      error.cause = cause
      throw error
    })
  }
  return {
    async begin() {
      const configuration = await discover()
      const kept: Kept = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      }
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri,
        scope: 'openid profile email',
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, kept: Buffer.from(JSON.stringify(kept)).toString('base64url') }
    },
    async finish(url, kept) {
      const configuration = await discover()
      try {
        const { state, nonce, verifier } = JSON.parse(Buffer.from(kept, 'base64url').toString()) as Kept
        const tokens = await openid.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const own = tokens.claims()
        if (own === undefined) throw new Error('there is no id token')
        const isComplete = own[provider.roles_claim] !== undefined
        const more = isComplete ? {} : await openid.fetchUserInfo(configuration, tokens.access_token, own.sub)
        const claims: Readonly<Record<string, unknown>> = { ...more, ...own }
        return {
          id: sha256(JSON.stringify([own.iss, own.sub])),
          name: firstText(claims.preferred_username, claims.email, own.sub),
          role: readRole(claims[provider.roles_claim], provider),
        }
      } catch (cause) {
        throw refused(cause)
      }
    },
  }
}

const identityColumns = columnsOf('operator_identities', 'id', 'operator_id', 'mac')
const operatorColumns = columnsOf('operators', 'id', 'name', 'role', 'password', 'disabled_at', 'mac')

function computeIdentityMac(rowKey: Uint8Array, id: string, operator_id: string): string {
  return computeRowMac(rowKey, 'operator_identities', [id, operator_id])
}

/** Returns the operator of an identity; creates one at its first sign-in. */
async function findOperator(deps: LoginDeps, { id, name }: ProvidedIdentity, role: Role, address: string) {
  const { store, serviceKeys } = deps
  const rowKey = deriveRowKey(serviceKeys)
  const query = {
    sql: 'SELECT id, operator_id, mac FROM operator_identities WHERE id = ?',
    values: [id],
    columns: identityColumns,
  }
  const known = await readFirst(store, query)
  if (known !== null) return known.mac === computeIdentityMac(rowKey, id, known.operator_id) ? known.operator_id : null
  const by = { operator_id: null, address }
  // Its password is never shown, so it only signs in by the provider until it is reset.
  const { operator_id } = await createOperator(deps, { name: toOperatorName(name), role }, by, operator_id =>
    insert('operator_identities', { id, operator_id, mac: computeIdentityMac(rowKey, id, operator_id) }),
  )
  return operator_id
}

/**
 * Opens a session for a person whom the provider knows, in the role that its claim names. Null if it names none, or the
 * operator is disabled. @throws {ApiError} `conflict` where another operator has the name
 */
export async function logInByProvider(
  deps: LoginDeps,
  identity: ProvidedIdentity,
  from: { readonly address: string; readonly user_agent: string },
): Promise<LoggedIn | null> {
  const { store, clock, serviceKeys, refusals } = deps
  const { role } = identity
  const refuse = async (operator_id: string | null): Promise<null> => {
    await refusals.record({ operator_id, address: from.address }, 'login_refused')
    return null
  }
  if (role === null) return refuse(null)
  const operator_id = await findOperator(deps, identity, role, from.address)
  const query = {
    sql: 'SELECT id, name, role, password, disabled_at, mac FROM operators WHERE id = ?',
    values: [operator_id ?? ''],
    columns: operatorColumns,
  }
  const operator = await readFirst(store, query)
  const rowKey = deriveRowKey(serviceKeys)
  if (operator === null || operator.disabled_at !== null || operator.mac !== computeOperatorMac(rowKey, operator))
    return refuse(operator?.id ?? null)
  const now = clock.now()
  const { session_id, token, insertion } = prepareSession(operator.id, now, from)
  const caller: OperatorCaller = {
    operator_id: operator.id,
    name: operator.name,
    role,
    session_id,
    expires_at: now + maxSessionMs,
    address: from.address,
  }
  const isOpen = await store.commit(function* (): Unit<boolean> {
    const mac = computeOperatorMac(rowKey, { ...operator, role })
    const sql =
      'UPDATE operators SET role = ?, mac = ?, last_login_at = ? WHERE id = ? AND disabled_at IS NULL AND mac = ?'
    const { changed } = yield* run({ sql, values: [role, mac, now, operator.id, operator.mac] })
    if (changed === 0) return false
    yield* runAll([removeOverSessions(now), insertion])
    const details = { by: 'identity_provider', role }
    yield* appendAudit(store, now, caller, { action: 'login', subject: { type: 'session', id: session_id }, details })
    return true
  })
  return isOpen ? { token, caller } : refuse(operator.id)
}
