import type { FailureReason } from '../../../../machines/capture.ts'

/** A call, or the camera, failed for a reason that the chart knows. */
export class CaptureError extends Error {
  override name = 'CaptureError'
  readonly reason: FailureReason

  constructor(reason: FailureReason) {
    super(reason)
    this.reason = reason
  }
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly token: string | null
  readonly body?: unknown
  readonly signal: AbortSignal
}

const reasons: Readonly<Record<number, FailureReason>> = {
  401: 'unknown_link',
  404: 'changed',
  408: 'busy',
  409: 'changed',
  413: 'too_large',
  415: 'wrong_type',
  422: 'unreadable',
  429: 'busy',
  // No token is that long.
  431: 'unknown_link',
  502: 'busy',
  503: 'busy',
  504: 'busy',
}

/** A response of 410 names in its field what is gone. */
const goneReasons: Readonly<Record<string, FailureReason>> = { challenge_id: 'challenge_over', code: 'used_link' }

function toReason(status: number, message: string): FailureReason | null {
  if (status === 410) return goneReasons[message.split(':')[0] ?? ''] ?? 'gone'
  if (status === 422 && /used|same|repeat/.test(message)) return 'repeated'
  return reasons[status] ?? null
}

function toBody(body: unknown): { type: string | null; content: BodyInit | null } {
  if (body === undefined) return { type: null, content: null }
  // An empty type lets the service look at the content itself: a browser guesses by the file's name.
  if (body instanceof Blob) return { type: null, content: body.slice(0, body.size, '') }
  return { type: 'application/json', content: JSON.stringify(body) }
}

async function request({ method, path, token, body, signal }: Call): Promise<Response> {
  const { type, content } = toBody(body)
  const headers = new Headers()
  if (token !== null) headers.set('Authorization', `Bearer ${token}`)
  if (type !== null) headers.set('Content-Type', type)
  try {
    return await fetch(new URL(path, document.baseURI), { method, headers, body: content, signal, cache: 'no-store' })
  } catch (error) {
    if (signal.aborted) throw error
    throw new CaptureError('offline')
  }
}

/** A proxy in front of the service may answer in its place, mostly with a page of HTML. */
function toMessage({ headers }: Response, text: string): string {
  const isJson = headers.get('content-type')?.startsWith('application/json') === true
  return isJson ? ((JSON.parse(text) as { readonly error?: string }).error ?? '') : ''
}

/** Calls the device's API. @throws {CaptureError} for what the chart knows how to handle */
export async function call(given: Call): Promise<unknown> {
  const response = await request(given)
  const text = await response.text().catch(() => {
    throw new CaptureError('offline')
  })
  if (response.ok) return text === '' ? null : JSON.parse(text)
  const message = toMessage(response, text)
  const reason = toReason(response.status, message)
  throw reason === null ? new Error(`${response.status} ${message}`) : new CaptureError(reason)
}

/** A browser reports a module that it can't fetch as a TypeError. @throws {CaptureError} */
export function rethrowLoadError(error: unknown): never {
  throw error instanceof TypeError ? new CaptureError('offline') : error
}
