import { createHash } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import { readCertificate } from '../chip/certificates.ts'
import { readCbor } from '../encoding/cbor.ts'
import { type CborValue, writeCbor } from '../encoding/cbor_writer.ts'
import { requireItem, requireMember } from '../wallet/cose.ts'
import { encryptOnce } from '../wallet/hpke.ts'
import { isJwsSigned, readCertificateChain, readJws } from '../wallet/jws.ts'
import { thumbprint } from '../wallet/request_key.ts'
import { transcriptOfAnnexC, transcriptOfBrowser, transcriptOfLink } from '../wallet/session_transcript.ts'
import { readKey } from '../wallet/signature_algorithms.ts'
import { generateKeys } from './keys.ts'
import type { SyntheticCredential, SyntheticMdoc } from './wallet_credential.ts'
import { walletAlgorithm } from './wallet_issuer.ts'
import { type HolderOptions, presentMdoc, presentSdJwt } from './wallet_presentation.ts'

interface PublicJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly kid?: string
}

/** The part of a request that a wallet reads. */
interface Asked {
  readonly id: string
  readonly names: readonly string[]
  readonly nonce: string
  /** The key for which the answer is encrypted; null: it is not. */
  readonly key: PublicJwk | null
}

interface Parameters {
  readonly client_id?: string
  readonly response_uri?: string
  readonly nonce: string
  readonly response_mode: string
  readonly client_metadata: { readonly jwks?: { readonly keys: readonly PublicJwk[] } }
  readonly dcql_query: {
    readonly credentials: readonly {
      readonly id: string
      readonly format: string
      readonly meta: { readonly doctype_value?: string; readonly vct_values?: readonly string[] }
      readonly claims: readonly { readonly id: string; readonly path: readonly string[] }[]
      readonly claim_sets?: readonly (readonly string[])[]
    }[]
  }
}

function hasClaim(credential: SyntheticCredential, path: readonly string[]): boolean {
  return credential.format === 'MDOC'
    ? credential.items.has(path.at(-1) ?? '')
    : credential.disclosures.has(path.join('.'))
}

/** Selects by OpenID4VP 1.0, 6.4: the first set of claims that the credential has whole. */
function select(
  credential: SyntheticCredential,
  { dcql_query, nonce, response_mode, client_metadata }: Parameters,
): Asked {
  const query = dcql_query.credentials.find(({ format, meta }) =>
    credential.format === 'MDOC'
      ? format === 'mso_mdoc' && meta.doctype_value === credential.kind.type
      : format === 'dc+sd-jwt' && meta.vct_values?.includes(credential.kind.type) === true,
  )
  if (query === undefined) throw new Error('the wallet has no such credential')
  const sets = query.claim_sets ?? [query.claims.map(({ id }) => id)]
  const chosen = sets
    .map(set => query.claims.filter(({ id }) => set.includes(id)))
    .find(claims => claims.every(({ path }) => hasClaim(credential, path)))
  if (chosen === undefined) throw new Error('the wallet has no such claims')
  const isEncrypted = response_mode.endsWith('.jwt')
  return {
    id: query.id,
    names: chosen.map(({ path }) => (credential.format === 'MDOC' ? (path.at(-1) ?? '') : path.join('.'))),
    nonce,
    key: isEncrypted ? (client_metadata.jwks?.keys[0] ?? null) : null,
  }
}

interface Session {
  readonly audience: string
  readonly transcript: (nonce: string, thumbprint: Buffer | null) => Buffer
}

function present(credential: SyntheticCredential, asked: Asked, session: Session, options: HolderOptions): string {
  const nonce = options.nonce ?? asked.nonce
  const names = options.disclose ?? asked.names
  const tamper = options.tamper ?? ((text: string) => text)
  if (credential.format === 'SD_JWT_VC')
    return tamper(presentSdJwt(credential, names, { nonce, audience: session.audience }, options))
  const transcript = session.transcript(nonce, asked.key === null ? null : thumbprint(asked.key))
  return tamper(presentMdoc(credential, names, transcript, { reader: asked.key, options }).toString('base64url'))
}

/** Answers the parameters of a request: with the token in the clear, or encrypted. */
async function respond(
  credential: SyntheticCredential,
  parameters: Parameters,
  session: Session,
  options: HolderOptions,
): Promise<{ vp_token: Readonly<Record<string, readonly string[]>> } | { response: string }> {
  const asked = select(credential, parameters)
  const answer = { vp_token: { [asked.id]: [present(credential, asked, session, options)] } }
  if (asked.key === null) return answer
  const header = { alg: 'ECDH-ES', enc: 'A128GCM', ...(asked.key.kid === undefined ? {} : { kid: asked.key.kid }) }
  const encrypted = new CompactEncrypt(Buffer.from(JSON.stringify(answer))).setProtectedHeader(header)
  return { response: await encrypted.encrypt({ ...asked.key, alg: 'ECDH-ES' }) }
}

/** Reads a signed request as a wallet must: type, signature, and that the certificate is the one that the client names. */
export function readRequestObject(
  text: string,
): Parameters & { readonly wallet_nonce?: string; readonly expected_origins?: readonly string[] } {
  const jws = readJws('request', text, 'oauth-authz-req+jwt')
  const [own] = readCertificateChain(jws)
  if (own === undefined || isJwsSigned(jws, readKey('request', readCertificate(own).spki)) !== true)
    throw new Error('the request is not signed')
  const parameters = jws.payload as unknown as Parameters
  const client = parameters.client_id ?? ''
  const isHash = client === `x509_hash:${createHash('sha256').update(own).digest('base64url')}`
  const isHost = client.startsWith('x509_san_dns:') && own.includes(Buffer.from(client.slice('x509_san_dns:'.length)))
  if (!isHash && !isHost) throw new Error('the certificate is another one than the client names')
  return parameters
}

interface AnnexC {
  readonly deviceRequest: string
  readonly encryptionInfo: string
}

function answerAnnexC(
  credential: SyntheticMdoc,
  { deviceRequest, encryptionInfo }: AnnexC,
  origin: string,
  options: HolderOptions,
): { response: string } {
  const documents = requireMember('request', readCbor(Buffer.from(deviceRequest, 'base64url')), 'docRequests', 'array')
  const requests = documents.map(one => {
    const embedded = requireItem('items', requireMember('request', one, 'itemsRequest', 'tag'), 'bytes')
    return readCbor(embedded)
  })
  const items = requests.find(one => requireMember('items', one, 'docType', 'text') === credential.kind.type)
  if (items === undefined) throw new Error('the wallet has no such credential')
  const names = requireMember('items', items, 'nameSpaces', 'map').flatMap(([, elements]) =>
    requireItem('items', elements, 'map').map(([name]) => requireItem('items', name, 'text')),
  )
  const info = requireItem('info', readCbor(Buffer.from(encryptionInfo, 'base64url')), 'array')[1]
  if (info === undefined) throw new Error('the request has no key')
  const point = requireMember('info', info, 'recipientPublicKey', 'map')
  const coordinate = (label: number): Buffer => {
    const found = point.find(([key]) => key.type === 'integer' && key.value === label)?.[1]
    return requireItem('key', found ?? null, 'bytes')
  }
  const [x, y] = [coordinate(-2), coordinate(-3)]
  const transcript = transcriptOfAnnexC(encryptionInfo, origin)
  const reader = { x: x.toString('base64url'), y: y.toString('base64url') }
  const response = presentMdoc(credential, options.disclose ?? names, transcript, { reader, options }).toString(
    'base64url',
  )
  const message = Buffer.from((options.tamper ?? (text => text))(response), 'base64url')
  const ephemeral = Buffer.from(
    generateKeys(walletAlgorithm).private_key.export({ format: 'jwk' }).d ?? '',
    'base64url',
  )
  const { enc, ciphertext } = encryptOnce(
    ephemeral,
    Buffer.concat([Buffer.from([4]), x, y]),
    message,
    transcriptOfAnnexC(encryptionInfo, origin),
  )
  const encrypted = new Map<string, CborValue>([
    ['enc', enc],
    ['cipherText', ciphertext],
  ])
  return { response: writeCbor(['dcapi', encrypted]).toString('base64url') }
}

/** Answers the request that a page sent through the browser, which adds the origin of the page. */
export async function answerDigital(
  credential: SyntheticCredential,
  request: { readonly protocol: string; readonly data: object },
  origin: string,
  options: HolderOptions,
): Promise<object> {
  const from = options.origin ?? origin
  if (request.protocol === 'org-iso-mdoc') {
    if (credential.format !== 'MDOC') throw new Error('the wallet has no mdoc')
    return answerAnnexC(credential, request.data as AnnexC, from, options)
  }
  const parameters =
    request.protocol === 'openid4vp-v1-signed'
      ? readRequestObject((request.data as { readonly request: string }).request)
      : (request.data as Parameters)
  const session: Session = {
    audience: `origin:${from}`,
    transcript: (nonce, print) => transcriptOfBrowser({ origin: from, nonce, thumbprint: print }),
  }
  return respond(credential, parameters, session, options)
}

/** A wallet's answer to a request object, or to a link that is the request: the form, and where it is posted. */
export async function answerLink(
  credential: SyntheticCredential,
  request: string,
  options: HolderOptions,
): Promise<{ readonly response_uri: string; readonly form: Readonly<Record<string, string>> }> {
  const parameters = request.includes('://?') ? readLink(request) : readRequestObject(request)
  const { response_uri = '' } = parameters
  const client_id = options.client_id ?? parameters.client_id ?? ''
  const session: Session = {
    audience: client_id,
    transcript: (nonce, print) => transcriptOfLink({ client_id, nonce, thumbprint: print, response_uri }),
  }
  const sent = await respond(credential, parameters, session, options)
  return { response_uri, form: 'response' in sent ? sent : { vp_token: JSON.stringify(sent.vp_token) } }
}

/** The parameters of a link that is the request. */
function readLink(link: string): Parameters {
  const entries = [...new URL(link).searchParams].map(([name, value]) => [
    name,
    value.startsWith('{') ? JSON.parse(value) : value,
  ])
  return Object.fromEntries(entries) as Parameters
}
