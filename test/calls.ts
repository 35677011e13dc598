/** Calls over plain HTTP, on connections that stay open. `fetch` costs twice as much, and tests make thousands of calls. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** An answer, read to its end. `body` is `{}` where there is no JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly image?: Uint8Array
  /** A body as it is. */
  readonly raw?: string | Uint8Array
  /** The media type of the body, in place of its usual one. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>

function encode({ json, form, image, raw }: CallOptions): { type?: string; data?: string | Uint8Array } {
  if (json !== undefined) return { type: 'application/json', data: JSON.stringify(json) }
  if (form !== undefined)
    return { type: 'application/x-www-form-urlencoded', data: new URLSearchParams(form).toString() }
  if (image !== undefined) return { type: 'image/jpeg', data: image }
  if (raw === undefined) return {}
  return typeof raw === 'string' ? { type: 'text/plain;charset=UTF-8', data: raw } : { data: raw }
}

const agent = new Agent({ keepAlive: true })

/** The headers that a client of HTTP sends of its own accord. */
const usual = { Accept: '*/*', 'Accept-Language': '*', 'Accept-Encoding': 'gzip, deflate, br', 'User-Agent': 'test' }

const decoders: Readonly<Record<string, (packed: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

function readHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const content = await buffer(response)
  const decode = decoders[response.headers['content-encoding'] ?? '']
  // A picture is no text: as UTF-8 a large one would take longer than the call.
  const encoding = response.headers['content-type'] === 'image/jpeg' ? 'latin1' : 'utf8'
  const text = (decode === undefined || content.length === 0 ? content : decode(content)).toString(encoding)
  const isJson = response.headers['content-type']?.startsWith('application/json') === true && text !== ''
  return {
    status: response.statusCode ?? 0,
    headers: readHeaders(response),
    text,
    body: isJson ? JSON.parse(text) : {},
  }
}

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly data: string | Uint8Array | undefined
}

const redirections = [301, 302, 307, 308]

/** Follows a redirection of what was only asked for, as `fetch` does. */
async function send(url: URL, sent: Sent): Promise<Answer> {
  const { method, headers, data } = sent
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const to = { agent, method, headers, host, port: url.port, path: `${url.pathname}${url.search}` }
  request(to, response => void readAnswer(response).then(resolve, reject))
    .on('error', reject)
    .end(data)
  const answer = await promise
  const next = method === 'GET' && redirections.includes(answer.status) ? answer.headers.get('location') : null
  return next === null ? answer : send(new URL(next, url), sent)
}

/** Calls the address that `base` currently returns; a broken connection rejects. */
export function callTo(base: () => string): Call {
  return async (method, path, options = {}) => {
    const { type, data } = encode(options)
    const given = options.type ?? type
    const headers = {
      ...usual,
      ...(given === undefined ? {} : { 'Content-Type': given }),
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      ...options.headers,
    }
    return send(new URL(`${base()}${path}`), { method, headers, data })
  }
}
