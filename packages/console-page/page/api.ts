/** `assets/{version}/packages/console-page/page/api.ts`, under the service's URL. */
const ownUrl = import.meta.url

const root = new URL('../../../../../', ownUrl)

const consoleUrl = new URL('console', root)

/** The path of a screen in this browser. */
export function screenPath(path: string): string {
  return consoleUrl.pathname + (path === '/' ? '' : path)
}

/** The path of a screen, without the console's own path; null outside of the console. */
export function pathOfScreen(pathname: string): string | null {
  const base = consoleUrl.pathname
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return null
  return pathname.slice(base.length).replace(/\/$/, '') || '/'
}

export type Query = Readonly<Record<string, string | number | null | undefined>>

/** The URL of a call; members of `query` that are empty are left out. */
export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`console/api${path}`, root)
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined && value !== '') url.searchParams.set(name, String(value))
  return url.href
}

/** A file of the service outside the console, such as a chart. */
export function serviceUrl(path: string): string {
  return new URL(path.replace(/^\//, ''), root).href
}

/** A call that was refused, in words for the operator. `status` is 0 where the service was not reached. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  constructor(message: string, status: number, code: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const unreached = 'The service cannot be reached. Check the connection and try again.'

function wait(response: Response): string {
  const seconds = response.headers.get('Retry-After')
  return seconds === null ? '' : ` Try again in ${seconds} seconds.`
}

async function readProblem(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => null)
  const given = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : ''
  const message = given === '' ? `The service answered ${response.status}.` : given
  return new ApiProblem(message + wait(response), response.status, response.headers.get('X-Error-Code') ?? '')
}

let onSessionEnd: () => void = () => {}

/** Sets what happens when a call finds that nobody is logged in. */
export function setSessionEnd(handler: () => void): void {
  onSessionEnd = handler
}

/** @throws {ApiProblem} for every answer but success */
async function request(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiProblem(unreached, 0, 'unreached')
  })
  if (response.ok) return response
  const problem = await readProblem(response)
  if (problem.code === 'invalid_token') onSessionEnd()
  throw problem
}

/** @throws {ApiProblem} */
export async function get<T>(path: string, query: Query = {}, signal: AbortSignal | null = null): Promise<T> {
  return (await (await request(apiUrl(path, query), { signal })).json()) as T
}

type Change = 'POST' | 'PATCH' | 'DELETE'

/** @throws {ApiProblem} */
export async function change<T = null>(method: Change, path: string, body?: object): Promise<T> {
  const headers = { 'X-Attestor-Console': '1', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
  const response = await request(apiUrl(path), {
    method,
    headers,
    // It arrives though the page is left.
    keepalive: true,
    body: body === undefined ? null : JSON.stringify(body),
  })
  return (response.status === 204 ? null : await response.json()) as T
}
