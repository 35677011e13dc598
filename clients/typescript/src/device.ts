import type { ClaimedHandoff } from './api.ts'
import type { DeviceClient, DeviceOptions, Image } from './device_calls.ts'
import { AttestorError } from './errors.ts'

const sdk = '/api/sdk/v1'

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly token?: string
  /** JSON, or a picture. */
  readonly body?: string | Image | null
  readonly signal?: AbortSignal | null | undefined
}

/** A proxy's answer is mostly HTML. */
function toError({ status, headers }: Response, text: string): AttestorError {
  const isJson = headers.get('Content-Type')?.startsWith('application/json') === true
  const message = isJson ? (JSON.parse(text) as { readonly error?: string }).error : undefined
  return new AttestorError(message ?? `the service returned ${status}`, {
    status,
    code: headers.get('X-Error-Code'),
    request_id: headers.get('X-Request-Id'),
  })
}

async function send<Answer>({ method, url, token, body = null, signal = null }: Call): Promise<Answer> {
  const headers = new Headers()
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  if (typeof body === 'string') headers.set('Content-Type', 'application/json')
  const response = await fetch(url, { method, headers, body, signal, cache: 'no-store' })
  const text = await response.text()
  if (!response.ok) throw toError(response, text)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

/** The token for a one-time code, which is used up if the answer is lost. @throws {AttestorError} */
export function claimHandoff(baseUrl: string, code: string, signal?: AbortSignal): Promise<ClaimedHandoff> {
  return send({ method: 'POST', url: `${withoutSlash(baseUrl)}${sdk}/handoff`, body: JSON.stringify({ code }), signal })
}

/** Creates the client of a browser or an app, to which its backend gives the token. */
export function createDeviceClient({ baseUrl, sdkToken: token }: DeviceOptions): DeviceClient {
  const at = `${withoutSlash(baseUrl)}${sdk}/session`
  const call = <Answer>(
    method: Call['method'],
    path: string,
    signal?: AbortSignal,
    body: Call['body'] = null,
  ): Promise<Answer> => send({ method, url: at + path, token, signal, body })
  const sendJson = <Answer>(
    method: Call['method'],
    path: string,
    value: object,
    signal?: AbortSignal,
  ): Promise<Answer> => call(method, path, signal, JSON.stringify(value))
  return {
    getSession: ({ wait = 0, seen = 0, signal } = {}) => call('GET', `?wait=${wait}&seen=${seen}`, signal),
    start: (body, signal) => sendJson('POST', '/start', body, signal),
    changeDocument: (document_type, signal) => sendJson('PUT', '/document', { document_type }, signal),
    reportSignals: (body, signal) => sendJson('PUT', '/signals', body, signal),
    upload: (picture, image, signal) => call('PUT', `/${picture.replace('_', '/')}`, signal, image),
    drop: (captured, signal) => call('DELETE', `/captures/${captured}`, signal),
    createChallenge: signal => call('POST', '/liveness/challenge', signal),
    uploadFrame: (challenge_id, position, frame, signal) =>
      call('PUT', `/liveness/${challenge_id}/${position}`, signal, frame),
    createChipChallenge: signal => call('POST', '/document/chip/challenge', signal),
    uploadChip: (chip, signal) => sendJson('PUT', '/document/chip', chip, signal),
    requestWallet: (body = {}, signal) => sendJson('POST', '/document/wallet', body, signal),
    answerWallet: (request_id, answer, signal) => sendJson('PUT', `/document/wallet/${request_id}`, answer, signal),
    complete: signal => call('POST', '/complete', signal),
    getResult: ({ wait = 0, signal } = {}) => call('GET', `/result?wait=${wait}`, signal),
    cancel: signal => sendJson('POST', '/cancel', { final: true }, signal),
    offerHandoff: signal => call('POST', '/handoff', signal),
    takeBackHandoff: signal => call('DELETE', '/handoff', signal),
    sendHandoff: (link, signal) => sendJson('POST', '/handoff/send', link, signal),
  }
}
