import { createHash, randomBytes, randomUUID } from 'node:crypto'
import sharp from 'sharp'
import type { Answer, Call } from '../calls.ts'

export const kyc = '/api/account/integration/kyc'
export const sdk = '/api/sdk/v1/session'
export const handoff = '/api/sdk/v1/handoff'
export const scope = 'account-integration-api/account-api-access'

/** Returns a picture of nothing; no other number gives the same. */
export async function picture(number: number): Promise<Buffer> {
  const background = { r: number & 255, g: (number >> 8) & 255, b: 99 }
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .jpeg()
    .toBuffer()
  // JPEG rounds colours: neighbours would be the same bytes.
  return Buffer.concat([image, Buffer.from(String(number))])
}

/**
 * Returns the same picture in other bytes, as no frame may be uploaded twice: bytes after a JPEG's end are no part of
 * it.
 */
export function anotherTake(image: Uint8Array): Buffer {
  return Buffer.concat([image, randomBytes(16)])
}

export function digestOf(image: Uint8Array): string {
  return createHash('sha256').update(image).digest('hex')
}

/** The report of a clean phone in Berlin at the start. */
export const startCall = {
  device: {
    sdk_platform: 'ios',
    sdk_version: '1.2.3',
    os_version: '19.1',
    device_model: 'Phone 9',
    is_emulator: false,
    root_detected: false,
    jailbreak_detected: false,
    developer_mode_enabled: false,
    debugger_attached: false,
    is_virtual_camera: false,
  },
  location_permission: 'granted',
  consent: true,
  document_type: 'PASSPORT',
}

export const signalsCall = {
  network: { vpn_detected: false, proxy_detected: false, tor_detected: false, connection_type: 'wifi' },
  geolocation: { latitude: 52.52, longitude: 13.405, source: 'gps', is_mock_location: false },
}

/** A phone with the token of its one transaction. */
export interface Phone {
  session(query?: string): Promise<Answer>
  start(json?: object): Promise<Answer>
  signals(json?: object): Promise<Answer>
  upload(path: string, image?: Uint8Array, headers?: Readonly<Record<string, string>>): Promise<Answer>
  challenge(): Promise<Answer>
  chipChallenge(): Promise<Answer>
  chip(json: object): Promise<Answer>
  askWallet(): Promise<Answer>
  answerWallet(request_id: string, json: object): Promise<Answer>
  attestationChallenge(): Promise<Answer>
  attest(json: object): Promise<Answer>
  drop(kind: string): Promise<Answer>
  changeDocument(document_type: string): Promise<Answer>
  offerHandoff(): Promise<Answer>
  takeBackHandoff(): Promise<Answer>
  complete(): Promise<Answer>
  cancel(final?: boolean): Promise<Answer>
  result(wait?: string): Promise<Answer>
  /** Sends every frame of a new challenge. */
  liveness(): Promise<string>
  /** Takes every required step except the last call; the document if the type wants one. */
  capture(type?: string): Promise<void>
}

function succeeded(answer: Answer): Answer {
  if (answer.status < 300) return answer
  throw new Error(`answered ${answer.status}: ${answer.text}`)
}

/** The credentials of an integrator's client. */
export interface Client {
  readonly client_id: string
  readonly client_secret: string
}

/** The form by which a client asks for a token. */
export function tokenForm({ client_id, client_secret }: Client) {
  return { grant_type: 'client_credentials', client_id, client_secret, scope }
}

export async function requestToken(call: Call, client: Client): Promise<string> {
  return String(succeeded(await call('POST', '/oauth2/token', { form: tokenForm(client) })).body.access_token)
}

/** Registers a customer, by default a new one, and returns its id. */
export async function registerCustomer(
  call: Call,
  token: string,
  json: object = { external_customer_id: randomUUID() },
): Promise<string> {
  return String(succeeded(await call('POST', `${kyc}/customer`, { token, json })).body.customer_id)
}

export interface NewTransaction {
  readonly customer_id?: string
  readonly transaction_type?: string
  readonly config?: object
}

/** Opens a transaction, of a new customer where none is named. */
export async function openTransaction(call: Call, token: string, body: NewTransaction = {}) {
  const customer_id = body.customer_id ?? (await registerCustomer(call, token))
  const json = { transaction_type: 'DOCUMENT_AND_BIOMETRIC', ...body, customer_id }
  const opened = succeeded(await call('POST', `${kyc}/transaction`, { token, json })).body
  return { customer_id, ...(opened as Readonly<Record<'transaction_id' | 'sdk_token' | 'verify_url', string>>) }
}

export function phoneOf(call: Call, token: string): Phone {
  const picked = picture(7)
  const phone: Phone = {
    session: (query = '') => call('GET', `${sdk}${query}`, { token }),
    start: (json = startCall) => call('POST', `${sdk}/start`, { token, json }),
    signals: (json = signalsCall) => call('PUT', `${sdk}/signals`, { token, json }),
    upload: async (path, image, headers = {}) => {
      const picture = image ?? (path.startsWith('liveness/') ? anotherTake(await picked) : await picked)
      return call('PUT', `${sdk}/${path}`, { token, image: picture, headers })
    },
    challenge: () => call('POST', `${sdk}/liveness/challenge`, { token }),
    chipChallenge: () => call('POST', `${sdk}/document/chip/challenge`, { token }),
    attestationChallenge: () => call('POST', `${sdk}/attestation/challenge`, { token }),
    attest: json => call('PUT', `${sdk}/attestation`, { token, json }),
    chip: json => call('PUT', `${sdk}/document/chip`, { token, json }),
    askWallet: () => call('POST', `${sdk}/document/wallet`, { token, json: {} }),
    answerWallet: (request_id, json) => call('PUT', `${sdk}/document/wallet/${request_id}`, { token, json }),
    drop: kind => call('DELETE', `${sdk}/captures/${kind}`, { token }),
    changeDocument: document_type => call('PUT', `${sdk}/document`, { token, json: { document_type } }),
    offerHandoff: () => call('POST', `${sdk}/handoff`, { token }),
    takeBackHandoff: () => call('DELETE', `${sdk}/handoff`, { token }),
    complete: () => call('POST', `${sdk}/complete`, { token }),
    cancel: (final = true) => call('POST', `${sdk}/cancel`, { token, json: { final } }),
    result: (wait = '0') => call('GET', `${sdk}/result?wait=${wait}`, { token }),
    async liveness() {
      const { body } = succeeded(await phone.challenge())
      for (const n of (body.actions as unknown[]).keys())
        succeeded(await phone.upload(`liveness/${body.challenge_id}/${n}`))
      return String(body.challenge_id)
    },
    async capture(type = 'DOCUMENT_AND_BIOMETRIC') {
      succeeded(await phone.start())
      succeeded(await phone.signals())
      if (type === 'DOCUMENT_AND_BIOMETRIC') succeeded(await phone.upload('document/front'))
      succeeded(await phone.upload('selfie'))
      await phone.liveness()
    },
  }
  return phone
}
