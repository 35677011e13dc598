import type { Clock } from './clock.ts'
import { AttestorError } from './errors.ts'
import type { Send } from './retries.ts'

export interface Credentials {
  /** Address below which `POST {authUrl}/oauth2/token` is. */
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

const scope = 'account-integration-api/account-api-access'
/** A token is renewed before it expires, so that no call arrives with one that just did. */
const renewalMarginMs = 60_000

interface HeldToken {
  readonly token: string
  readonly renew_at: number
}

type TokenResponse = Readonly<Record<'access_token' | 'error' | 'error_description', string>> & { expires_in: number }

async function requestToken(send: Send, clock: Clock, credentials: Credentials): Promise<HeldToken> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    scope,
  })
  const requestedAt = clock.now()
  const response = await send(new Request(`${credentials.authUrl}/oauth2/token`, { method: 'POST', body }))
  const content = (await response.json().catch(() => ({}))) as Partial<TokenResponse>
  if (!response.ok || content.access_token === undefined) {
    const message = content.error_description ?? content.error ?? `the token endpoint returned ${response.status}`
    throw new AttestorError(message, {
      status: response.status,
      code: content.error ?? null,
      request_id: response.headers.get('X-Request-Id'),
    })
  }
  const lifetimeMs = (content.expires_in ?? 0) * 1000
  const marginMs = Math.min(renewalMarginMs, lifetimeMs / 2)
  return { token: content.access_token, renew_at: requestedAt + lifetimeMs - marginMs }
}

/** Adds an access token to each request: requested once for all, renewed before it expires, and once after a 401. */
export function withAccessToken(send: Send, sendForToken: Send, clock: Clock, credentials: Credentials): Send {
  let held: HeldToken | null = null
  let requesting: Promise<HeldToken> | null = null
  const renew = (): Promise<HeldToken> => {
    requesting ??= requestToken(sendForToken, clock, credentials)
      .then(token => {
        held = token
        return token
      })
      .finally(() => {
        requesting = null
      })
    return requesting
  }
  const current = async (): Promise<string> =>
    (held !== null && clock.now() < held.renew_at ? held : await renew()).token
  const sendWith = (request: Request, token: string): Promise<Response> => {
    const authorized = request.clone()
    authorized.headers.set('Authorization', `Bearer ${token}`)
    return send(authorized)
  }
  return async request => {
    const token = await current()
    const response = await sendWith(request, token)
    if (response.status !== 401) return response
    await response.body?.cancel()
    // Another call may have renewed it meanwhile.
    if (held?.token === token) held = null
    return sendWith(request, await current())
  }
}
