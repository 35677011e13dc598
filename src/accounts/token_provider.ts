import type { Adapter, Configuration, JWK, KoaContextWithOIDC, ResourceServer } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import type { SigningKeyRow } from '../store/signing_keys.ts'
import { type AccountRoom, findClient, isClientSecret } from './accounts.ts'
import { token_algorithm } from './token_keys.ts'

/** spec, "Request an access token": the only scope there is. */
export const token_scope = 'account-integration-api/account-api-access'

/** spec, "Two credentials": one hour, in seconds. */
export const token_lifetime_s = 3600

/** The resource that access tokens are for: their `aud`. */
export const audienceOf = (issuer: string): string => `${issuer}/api/account/integration`

const clientAdapter = ({ store }: AccountRoom): Adapter => {
  const unsupported = async (): Promise<never> => {
    throw new Error('only clients are kept')
  }
  return {
    find: async id => {
      const client = await findClient(store, id)
      if (client === null) return undefined
      return {
        client_id: client.client_id,
        // Its HMAC stands in for the secret, which nobody keeps: `compareClientSecret` knows.
        client_secret: client.secret_hmac,
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        token_endpoint_auth_method: 'client_secret_basic',
      }
    },
    upsert: unsupported,
    findByUid: unsupported,
    findByUserCode: unsupported,
    consume: unsupported,
    destroy: unsupported,
    revokeByGrantId: unsupported,
  }
}

const resourceServer = (ctx: KoaContextWithOIDC, resource: string, audience: string): ResourceServer => {
  if (resource !== audience) throw new errors.InvalidTarget('unknown resource')
  const asked = ctx.oidc.params?.scope
  // Without this the library answers 200 with a token that has no scope.
  if (typeof asked !== 'string' || asked === '') throw new errors.InvalidScope('scope is required', '')
  if (asked !== token_scope) throw new errors.InvalidScope(`the only scope is ${token_scope}`, asked)
  return { scope: token_scope, audience, accessTokenTTL: token_lifetime_s, accessTokenFormat: 'jwt' }
}

const configuration = (room: AccountRoom, audience: string, keys: readonly SigningKeyRow[]): Configuration => ({
  adapter: () => clientAdapter(room),
  jwks: { keys: keys.map(({ private_jwk }) => private_jwk as unknown as JWK) },
  clientDefaults: { id_token_signed_response_alg: token_algorithm },
  enabledJWA: { idTokenSigningAlgValues: [token_algorithm] },
  scopes: [],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
  routes: { token: '/oauth2/token' },
  cookies: { keys: ['unused: no session exists here'] },
  ttl: { ClientCredentials: token_lifetime_s },
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: async (ctx, resource) => resourceServer(ctx, resource, audience),
    },
  },
  formats: {
    customizers: {
      jwt: async (_ctx, _token, jwt) => {
        // The library asks the machine for the hour; ours comes from the clock that will also judge the expiry.
        const iat = Math.floor(room.clock.now() / 1000)
        Object.assign(jwt.payload, { iat, exp: iat + token_lifetime_s })
      },
    },
  },
  renderError: async (ctx, out) => {
    ctx.body = out
  },
})

/** The OAuth 2.0 server behind `POST /oauth2/token`; nothing else of it is routed. */
export const createTokenProvider = (room: AccountRoom, issuer: string, keys: readonly SigningKeyRow[]): Provider => {
  const provider = new Provider(issuer, configuration(room, audienceOf(issuer), keys))
  provider.Client.prototype.compareClientSecret = function (secret: string): boolean {
    return isClientSecret(room.master, secret, this.clientSecret ?? '')
  }
  return provider
}
