import { compactDecrypt, decodeProtectedHeader } from 'jose'
import { readInner, requireItem, requireMember } from './cose.ts'
import { listKinds, type WalletFormat } from './credential_kinds.ts'
import { describeEncryption } from './device_request.ts'
import { decryptOnce } from './hpke.ts'
import {
  isObject,
  type JsonObject,
  memberOf,
  readBase64url,
  readJson,
  refuse,
  requireObject,
  requireText,
} from './place.ts'
import type { WalletRequest } from './request_types.ts'
import { transcriptOfAnnexC } from './session_transcript.ts'

const walletProtocols = [
  'openid4vp-v1-signed',
  'openid4vp-v1-unsigned',
  'org-iso-mdoc',
  'direct_post',
  'direct_post.jwt',
] as const

/**
 * The ways on which an answer can come: by the browser, or posted by the wallet as a form, whose members are the data.
 */
export type WalletProtocol = (typeof walletProtocols)[number]

export interface SentAnswer {
  readonly protocol: WalletProtocol
  readonly data: unknown
}

export interface WalletPresentation {
  readonly kind: 'PRESENTATION'
  readonly protocol: WalletProtocol
  readonly format: WalletFormat
  /** The kind of credential that it is an answer for; null: annex C does not say. */
  readonly credential: string | null
  /** A DeviceResponse in base64url, or an SD-JWT with its key binding. */
  readonly presentation: string
  /** Epoch milliseconds. */
  readonly received_at: number
}

/** An answer, decrypted: JSON. A wallet also answers that it does not answer. */
type WalletAnswer = WalletPresentation | { readonly kind: 'REFUSED'; readonly error: string }

const maxBytes = 2 * 1024 * 1024

async function decrypt(request: WalletRequest, text: string): Promise<JsonObject> {
  try {
    // A compressed answer would be larger than its limit.
    if ('zip' in decodeProtectedHeader(text)) throw refuse('response', 'must not be compressed')
    const { plaintext } = await compactDecrypt(
      text,
      { ...request.key, alg: 'ECDH-ES' },
      { keyManagementAlgorithms: ['ECDH-ES'], contentEncryptionAlgorithms: ['A128GCM', 'A256GCM'] },
    )
    return requireObject('response', readJson('response', plaintext))
  } catch (cause) {
    // Whatever the library throws at a stranger's bytes means that they are not encrypted for us.
    throw refuse('response', 'must be a JWE for the key of the request', cause)
  }
}

/** The parameters of an answer of OpenID4VP: `vp_token`, or `error`. */
async function readParameters(request: WalletRequest, { data }: SentAnswer): Promise<JsonObject> {
  const sent = requireObject('data', data)
  // A wallet may say in the clear that it can't answer.
  if (memberOf(sent, 'error') !== undefined) return sent
  if (!request.is_encrypted) return sent
  const response = memberOf(sent, 'response')
  if (response === undefined) throw refuse('response', 'is missing: the answer must be encrypted')
  return decrypt(request, requireText('response', response, maxBytes))
}

/** In a form the token is JSON in a text. */
function readToken(parameters: JsonObject, isForm: boolean): JsonObject {
  const token = memberOf(parameters, 'vp_token')
  const value = isForm ? readJson('vp_token', Buffer.from(requireText('vp_token', token, maxBytes))) : token
  return requireObject('vp_token', value)
}

async function openOpenid(request: WalletRequest, sent: SentAnswer, now: number): Promise<WalletAnswer> {
  const parameters = await readParameters(request, sent)
  const error = memberOf(parameters, 'error')
  if (error !== undefined) return { kind: 'REFUSED', error: requireText('error', error, 100) }
  const token = readToken(parameters, sent.protocol === 'direct_post')
  const [entry, ...more] = Object.entries(token)
  if (entry === undefined || more.length > 0) throw refuse('vp_token', 'must answer one query')
  const [id, presentations] = entry
  const kind = listKinds(request.query).find(one => one.id === id)
  if (kind === undefined) throw refuse('vp_token', 'must answer a query of the request')
  if (!Array.isArray(presentations) || presentations.length !== 1)
    throw refuse(`vp_token.${id}`, 'must be an array of one presentation')
  const presentation = requireText(`vp_token.${id}[0]`, presentations[0], maxBytes)
  return {
    kind: 'PRESENTATION',
    protocol: sent.protocol,
    format: kind.format,
    credential: id,
    presentation,
    received_at: now,
  }
}

/** ISO/IEC 18013-7, annex C: a DeviceResponse encrypted for the key of the request. */
function openAnnexC(request: WalletRequest, { data, protocol }: SentAnswer, now: number): WalletAnswer {
  const sent = requireObject('data', data)
  const text = requireText('response', memberOf(sent, 'response'), maxBytes)
  const item = readInner('response', readBase64url('response', text), { max_bytes: maxBytes })
  const [name, encrypted, ...more] = requireItem('response', item, 'array')
  if (requireItem('response[0]', name ?? null, 'text') !== 'dcapi' || encrypted === undefined || more.length > 0)
    throw refuse('response', 'must be ["dcapi", …]')
  const transcript = transcriptOfAnnexC(describeEncryption(request), request.origin)
  const parts = {
    enc: requireMember('response[1]', encrypted, 'enc', 'bytes'),
    ciphertext: requireMember('response[1]', encrypted, 'cipherText', 'bytes'),
  }
  const opened = decryptOnce('response', Buffer.from(request.key.d, 'base64url'), parts, transcript)
  return {
    kind: 'PRESENTATION',
    protocol,
    format: 'MDOC',
    credential: null,
    presentation: opened.toString('base64url'),
    received_at: now,
  }
}

/** A protocol that the request did not offer answers another one. */
function isOffered({ client_id, is_encrypted }: WalletRequest, protocol: WalletProtocol): boolean {
  if (protocol === 'openid4vp-v1-signed') return !client_id.startsWith('redirect_uri:')
  if (protocol === 'direct_post') return !is_encrypted
  return protocol === 'direct_post.jwt' ? is_encrypted : true
}

/**
 * Opens the answer of a page or a wallet: decrypts it, and finds the presentation. Nothing is verified yet. @throws
 * {UnreadableFileError} that names the place
 */
export async function openWalletAnswer(request: WalletRequest, sent: SentAnswer, now: number): Promise<WalletAnswer> {
  const isRefusal = isObject(sent.data) && Object.hasOwn(sent.data, 'error')
  if (!isOffered(request, sent.protocol) && !isRefusal) throw refuse('protocol', 'must be one that the request offered')
  return sent.protocol === 'org-iso-mdoc' ? openAnnexC(request, sent, now) : openOpenid(request, sent, now)
}
