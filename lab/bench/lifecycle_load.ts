import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'

/** A program under load: how many calls at once, and the integrator's access token. */
export interface Load {
  readonly url: string
  readonly access_token: string
  readonly photo: Buffer
  /** Address that the transactions' webhooks are sent to. */
  readonly webhook?: string
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly token: string
  readonly body?: object | Buffer
}

/** The function with which a client makes its calls. */
export type Calls = (call: Call) => Promise<Record<string, unknown>>

/** Ends a round; unfinished lifecycles count by their calls. */
class RoundOver extends Error {}

/** One call that must succeed; resolves with its JSON. */
export async function send(pool: Pool, { method, path, token, body }: Call): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = Buffer.isBuffer(body) ? 'image/jpeg' : 'application/json'
  const sent = body === undefined || Buffer.isBuffer(body) ? (body ?? null) : JSON.stringify(body)
  const answer = await pool.request({ method, path, headers, body: sent })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

const api = '/api/account/integration/kyc'
const session = '/api/sdk/v1/session'

const signals = {
  device: { sdk_platform: 'android', sdk_version: '1.0', os_version: '16', device_model: 'bench', is_emulator: false },
  network: { ip_type: 'residential', vpn_detected: false, connection_type: 'wifi' },
  geolocation: { latitude: 40.4, longitude: -3.7, source: 'gps', is_mock_location: false },
}

/** A backend's part: a new customer and a transaction of it. */
export async function openTransaction(call: Calls, { access_token: token, webhook }: Load) {
  const external_customer_id = `bench-${crypto.randomUUID()}`
  const customer = await call({ method: 'POST', path: `${api}/customer`, token, body: { external_customer_id } })
  const config = webhook === undefined ? {} : { webhook: { url: webhook } }
  const body = { customer_id: customer.customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config }
  const opened = await call({ method: 'POST', path: `${api}/transaction`, token, body })
  return { path: `${api}/transaction/${opened.transaction_id}`, sdk_token: String(opened.sdk_token) }
}

/** Calls of one verification. */
export const callsEach = 12

/** A whole verification as backend and phone drive it: 4 photos, FINISHED seen by both. */
export async function lifecycle(call: Calls, load: Load): Promise<string> {
  const { path: transaction, sdk_token: token } = await openTransaction(call, load)
  const put = (path: string, body: object | Buffer) => call({ method: 'PUT', path: `${session}${path}`, token, body })
  const post = (path: string, body?: object) =>
    call({ method: 'POST', path: `${session}${path}`, token, ...(body && { body }) })
  await post('/start', { ...signals, document_type: 'PASSPORT', location_permission: 'granted', consent: true })
  await put('/signals', signals)
  // No image is accepted twice: bytes after a JPEG's end make it another image.
  const photo = () => Buffer.concat([load.photo, randomBytes(16)])
  await put('/document/front', photo())
  await put('/selfie', photo())
  const { challenge_id } = await post('/liveness/challenge')
  for (const n of [0, 1]) await put(`/liveness/${challenge_id}/${n}`, photo())
  await post('/complete')
  await call({ method: 'GET', path: `${session}/result?wait=20`, token })
  const { status } = await call({ method: 'GET', path: transaction, token: load.access_token })
  if (status !== 'FINISHED') throw new Error(`a lifecycle ended in ${status}`)
  return transaction
}

/**
 * Keeps `concurrency` of `work` going for `seconds`; resolves with the number of calls that were answered per second.
 */
export async function keepBusy(
  load: Load,
  concurrency: number,
  seconds: number,
  work: (calls: Calls, load: Load) => Promise<unknown>,
): Promise<number> {
  const pool = new Pool(load.url, { connections: concurrency, pipelining: 1 })
  const began = performance.now()
  const until = began + seconds * 1000
  let answered = 0
  const counting: Calls = async one => {
    if (performance.now() > until) throw new RoundOver()
    const answer = await send(pool, one)
    answered++
    return answer
  }
  const worker = async (): Promise<void> => {
    for (;;) await work(counting, load)
  }
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, worker))
  const rate = (answered / (performance.now() - began)) * 1000
  await pool.close()
  for (const { reason } of outcomes as PromiseRejectedResult[]) if (!(reason instanceof RoundOver)) throw reason
  return rate
}
