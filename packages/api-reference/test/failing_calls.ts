import { request } from 'node:http'
import { getExample } from '../curl.ts'
import type { Route } from '../openapi.ts'

/** A call of an operation, and the fault in it. */
export interface FailingCall {
  /** Values of the path's parameters. Other ids are unknown ones. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: string
  readonly token?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly type?: string
  readonly body?: string | Uint8Array
}

/** An error as a caller gets it. */
export interface Failure {
  readonly status: number
  readonly code: string
  readonly body: unknown
}

/** An id that nothing has. */
export const nobody = '0198a1c0-7e5a-7c3e-9f00-ffffffffffff'

function fillPath({ path, operation: { parameters = [] } }: Route, given: FailingCall['path'] = {}): string {
  return parameters
    .filter(parameter => parameter.in === 'path')
    .reduce((url, { name, example }) => {
      const value = given[name] ?? (name === 'n' ? '0' : /_id$/.test(name) ? nobody : String(example ?? 'none'))
      return url.replace(`{${name}}`, encodeURIComponent(value))
    }, path)
}

function fillQuery({ operation: { parameters = [] } }: Route): string {
  const required = parameters.filter(parameter => parameter.in === 'query' && parameter.required === true)
  return required.map(({ name, example }) => `${name}=${example}`).join('&')
}

/** The body that the document shows, which is right. */
function getBody({ operation: { requestBody } }: Route): Pick<FailingCall, 'type' | 'body'> {
  const [type = '', media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (media === undefined) return {}
  if (type.startsWith('image/')) return { type: 'image/jpeg', body: 'no picture' }
  const value = getExample(media)
  const isForm = type === 'application/x-www-form-urlencoded'
  return {
    type,
    body: isForm ? new URLSearchParams(value as Record<string, string>).toString() : JSON.stringify(value),
  }
}

/** Makes a call with headers as they are given, also those that a fetch would not send. */
export async function callWrongly(baseUrl: string, route: Route, given: FailingCall): Promise<Failure> {
  const { token, query = fillQuery(route), headers = [], type, body } = { ...getBody(route), ...given }
  const url = new URL(`${baseUrl}${fillPath(route, given.path)}${query === '' ? '' : `?${query}`}`)
  const sent = [
    ['Host', url.host],
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`]]),
    ...(body === undefined
      ? []
      : [
          ['Content-Type', type ?? ''],
          ['Content-Length', String(Buffer.byteLength(body))],
        ]),
    ...headers,
  ]
  return new Promise((resolve, reject) => {
    const made = request(url, { method: route.method, headers: sent.flat(), agent: false }, async response => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      const isJson = response.headers['content-type']?.startsWith('application/json') === true
      const code = String(response.headers['x-error-code'] ?? '')
      resolve({ status: response.statusCode ?? 0, code, body: isJson ? JSON.parse(text) : text })
    })
    made.on('error', cause => reject(new Error(`${route.method} ${url.pathname}: ${cause.message}`, { cause })))
    made.end(body)
  })
}
