import { createHash } from 'node:crypto'
import { readStrictCertificate } from './certificate_profile.ts'
import { listKinds } from './credential_kinds.ts'
import { describeEncryption, writeDeviceRequest } from './device_request.ts'
import { signJws } from './jws.ts'
import { drawKey, type PrivateJwk, thumbprint } from './request_key.ts'
import type { WalletParty, WalletRequest } from './request_types.ts'
import { toDcql } from './wallet_query.ts'

export interface RequestOptions extends Pick<WalletRequest, 'query' | 'origin' | 'response_uri'> {
  /** Null: the operator has no certificate, and requests are not signed. */
  readonly party: WalletParty | null
  /** A wallet knows the party by this: the hash of its certificate, or a name of a host in it. */
  readonly client?: 'x509_hash' | 'x509_san_dns'
  readonly is_encrypted?: boolean
  readonly random: (bytes: number) => Buffer
  readonly now: number
}

function toClientId({ party, client = 'x509_hash', response_uri }: RequestOptions): string {
  const own = party?.certificates[0]
  if (own === undefined) return `redirect_uri:${response_uri}`
  if (client === 'x509_san_dns') return `x509_san_dns:${new URL(response_uri).hostname}`
  return `x509_hash:${createHash('sha256').update(own).digest('base64url')}`
}

/** A new request, with a nonce and a key of its own. It is for one answer. */
export function createWalletRequest(options: RequestOptions): WalletRequest {
  const { query, origin, response_uri, is_encrypted = true, random, now } = options
  if (listKinds(query).length === 0) throw new TypeError('query: must be one that a credential can answer')
  if (query.age_over !== null && query.claims.length > 0) throw new TypeError('query: must ask an age or claims')
  for (const der of options.party?.certificates ?? []) readStrictCertificate('party.certificates', der)
  return {
    created_at: now,
    nonce: random(24).toString('base64url'),
    key: drawKey(random),
    query,
    origin,
    response_uri,
    client_id: toClientId(options),
    is_encrypted,
  }
}

function publicHalf({ kty, crv, x, y }: PrivateJwk): Omit<PrivateJwk, 'd'> {
  return { kty, crv, x, y }
}

const signatures = ['ES256', 'ES384', 'ES512']
/** RFC 9053 and RFC 9864; the last of devices is a MAC by ECDH with P-256 (OpenID4VP 1.0, B.2.2). */
const coseSignatures = [-7, -9, -35, -51, -36, -52]

function describeClient({ key, query, is_encrypted }: WalletRequest): object {
  const formats = new Set(listKinds(query).map(({ format }) => format))
  const jwk = { ...publicHalf(key), use: 'enc', alg: 'ECDH-ES', kid: thumbprint(key).toString('base64url') }
  return {
    vp_formats_supported: {
      ...(formats.has('SD_JWT_VC')
        ? { 'dc+sd-jwt': { 'sd-jwt_alg_values': signatures, 'kb-jwt_alg_values': signatures } }
        : {}),
      ...(formats.has('MDOC')
        ? { mso_mdoc: { issuerauth_alg_values: coseSignatures, deviceauth_alg_values: [...coseSignatures, -65537] } }
        : {}),
    },
    ...(is_encrypted ? { jwks: { keys: [jwk] }, encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'] } : {}),
  }
}

function describeRequest(request: WalletRequest, mode: 'dc_api' | 'direct_post'): Readonly<Record<string, unknown>> {
  return {
    response_type: 'vp_token',
    response_mode: request.is_encrypted ? `${mode}.jwt` : mode,
    nonce: request.nonce,
    dcql_query: toDcql(request.query),
    client_metadata: describeClient(request),
  }
}

/** Audience of a request without discovery (OpenID4VP 1.0, 5.8). */
const anyWallet = 'https://self-issued.me/v2'

function signRequest(party: WalletParty, claims: Readonly<Record<string, unknown>>): string {
  const header = { typ: 'oauth-authz-req+jwt', x5c: party.certificates.map(der => der.toString('base64')) }
  const info = party.verifier_info.length === 0 ? {} : { verifier_info: party.verifier_info }
  return signJws(header, { aud: anyWallet, ...claims, ...info }, party.key)
}

export interface DigitalRequest {
  readonly protocol: 'openid4vp-v1-signed' | 'openid4vp-v1-unsigned' | 'org-iso-mdoc'
  readonly data: object
}

/**
 * Lists the requests for `navigator.credentials.get({ digital: { requests } })`; the protocol that identifies us best
 * is first.
 */
export function listDigitalRequests(request: WalletRequest, party: WalletParty | null): readonly DigitalRequest[] {
  const asked = describeRequest(request, 'dc_api')
  const signed = { client_id: request.client_id, expected_origins: [request.origin], ...asked }
  const hasMdocs = listKinds(request.query).some(({ format }) => format === 'MDOC')
  return [
    ...(party === null
      ? []
      : [{ protocol: 'openid4vp-v1-signed', data: { request: signRequest(party, signed) } } as const]),
    { protocol: 'openid4vp-v1-unsigned', data: asked },
    ...(hasMdocs
      ? [
          {
            protocol: 'org-iso-mdoc',
            data: {
              deviceRequest: writeDeviceRequest(request, party).toString('base64url'),
              encryptionInfo: describeEncryption(request),
            },
          } as const,
        ]
      : []),
  ]
}

function listLinkClaims(request: WalletRequest): Readonly<Record<string, unknown>> {
  const { client_id, response_uri } = request
  return { client_id, response_uri, ...describeRequest(request, 'direct_post') }
}

/**
 * Signs the request object that a wallet fetches. `walletNonce` is the nonce that it posted (OpenID4VP 1.0, 5.10);
 * null: none.
 */
export function signRequestObject(request: WalletRequest, party: WalletParty, walletNonce: string | null): string {
  return signRequest(party, {
    ...listLinkClaims(request),
    ...(walletNonce === null ? {} : { wallet_nonce: walletNonce }),
  })
}

/**
 * The link that opens a wallet, also as a QR code. With an address the wallet fetches the signed request there; without one
 * the link is the request.
 */
export function describeWalletLink(request: WalletRequest, requestUri: string | null, scheme = 'openid4vp'): string {
  const claims =
    requestUri === null
      ? listLinkClaims(request)
      : { client_id: request.client_id, request_uri: requestUri, request_uri_method: 'post' }
  const parameters = Object.entries(claims).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${name}=${encodeURIComponent(text)}`
  })
  return `${scheme}://?${parameters.join('&')}`
}
