import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { newId } from '../../base/ids.ts'
import { drawBytes } from '../../base/random.ts'
import { tokenScope } from '../../identity/accounts/access_token.ts'
import type { NewAccount } from '../../identity/accounts/accounts.ts'

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly token?: string
  readonly body?: object | Buffer | string
}

type Json = Readonly<Record<string, unknown>>

/** Makes calls to one node, over connections that are kept. */
export interface Client {
  call(call: Call): Promise<Json>
  close(): void
}

const toBody = (body: Call['body']): [type: string, content: string | Buffer] => {
  if (typeof body === 'string') return ['application/x-www-form-urlencoded', body]
  return Buffer.isBuffer(body) ? ['image/jpeg', body] : ['application/json', JSON.stringify(body)]
}

export const createClient = (url: string): Client => {
  const agent = new Agent({ keepAlive: true })
  return {
    async call({ method, path, token, body }) {
      const [type, content] = body === undefined ? ['', ''] : toBody(body)
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(content) }),
      }
      const sent = request(`${url}${path}`, { method, agent, headers }).end(content)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const answer = await text(response)
      // Every call of a bench succeeds, or its figures are worthless.
      if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`)
      return answer === '' ? {} : JSON.parse(answer)
    },
    close: () => agent.destroy(),
  }
}

const api = '/api/account/integration/kyc'
const session = '/api/sdk/v1/session'

export const authenticate = async ({ call }: Client, { client_id, client_secret }: NewAccount): Promise<string> => {
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope: tokenScope }
  const body = new URLSearchParams(form).toString()
  return String((await call({ method: 'POST', path: '/oauth2/token', body })).access_token)
}

const signals = {
  device: { sdk_platform: 'android', sdk_version: '1.0', os_version: '16', device_model: 'bench', is_emulator: false },
  network: { ip_type: 'residential', vpn_detected: false, connection_type: 'wifi' },
  geolocation: { latitude: 40.4, longitude: -3.7, source: 'gps', is_mock_location: false },
}

/** A transaction whose session has started. */
export interface Started {
  readonly path: string
  readonly sdk_token: string
}

/** A new customer's transaction up to INITIATED, of which `webhook` is notified. */
export const startTransaction = async ({ call }: Client, token: string, webhook?: string): Promise<Started> => {
  const customer = { external_customer_id: `bench-${newId()}` }
  const { customer_id } = await call({ method: 'POST', path: `${api}/customer`, token, body: customer })
  const config = webhook === undefined ? {} : { webhook: { url: webhook } }
  const body = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config }
  const opened = await call({ method: 'POST', path: `${api}/transaction`, token, body })
  const sdk_token = String(opened.sdk_token)
  const start = { ...signals, document_type: 'PASSPORT', location_permission: 'granted', consent: true }
  await call({ method: 'POST', path: `${session}/start`, token: sdk_token, body: start })
  return { path: `${api}/transaction/${opened.transaction_id}`, sdk_token }
}

const folder = new URL('./pictures/', import.meta.url)

/**
 * A passport and a person that do not exist, with each action of a challenge: `npm run sample-photos -- --seed 7`,
 * compressed.
 */
const readPicture = (name: string): Buffer => readFileSync(new URL(`${name.toLowerCase()}.jpg`, folder))

/** No image is accepted twice: bytes after the end of a JPEG make it another image. */
const takePhoto = (name: string): Buffer => Buffer.concat([readPicture(name), drawBytes(16)])

/** Takes a transaction to its end as a phone does; resolves with the bytes of its images. */
export const finishTransaction = async ({ call }: Client, token: string, started: Started): Promise<number> => {
  const { path: transaction, sdk_token } = started
  let bytes = 0
  const upload = async (path: string, name: string): Promise<void> => {
    const body = takePhoto(name)
    bytes += body.length
    await call({ method: 'PUT', path: `${session}${path}`, token: sdk_token, body })
  }
  await upload('/document/front', 'passport')
  await upload('/selfie', 'selfie')
  const challenge = await call({ method: 'POST', path: `${session}/liveness/challenge`, token: sdk_token })
  for (const [index, action] of (challenge.actions as readonly string[]).entries())
    await upload(`/liveness/${challenge.challenge_id}/${index}`, action)
  await call({ method: 'POST', path: `${session}/complete`, token: sdk_token })
  let status: unknown = 'COMPLETED'
  while (status === 'COMPLETED' || status === 'PROCESSING') {
    await call({ method: 'GET', path: `${session}/result?wait=20`, token: sdk_token })
    status = (await call({ method: 'GET', path: transaction, token })).status
  }
  if (status !== 'FINISHED') throw new Error(`a transaction ended in ${String(status)}`)
  return bytes
}
