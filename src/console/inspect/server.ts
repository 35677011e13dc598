import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asError, unavailable } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Feed, Speed } from './feed.ts'
import type { Inspected } from './inspected.ts'
import { type PageFile, pageFiles } from './page_files.ts'
import { inspectionMessages, ownMessages } from './protocol.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** What the server shows, and how. */
export interface InspectServerDeps {
  readonly clock: Clock
  readonly feed: Feed
  readonly speed: Speed
  /** Stately's page, which is shown in a frame. */
  readonly stately_url: string
  /** 0 for any free one. */
  readonly port: number
}

/** A running server. */
export interface InspectServer {
  /** An address that opens a page once: the inspector's own, or the one around Stately's. */
  newUrl(page: 'own' | 'stately'): string
  /** Streams get the rest and end; the connection of a client that does not read is cut. */
  close(): Promise<void>
}

const loopback = '127.0.0.1'
const maxBodyBytes = 1024
/** How long a client may take to read the rest. */
const restMs = 1000

interface Answer {
  readonly status: number
  readonly type: string
  readonly content: string
}

function json(status: number, body: object): Answer {
  return {
    status,
    type: 'application/json',
    content: JSON.stringify(body),
  }
}

function refused(status: number, error: string): Answer {
  return json(status, { error })
}

/** The pages run and load nothing from other origins; only the one around Stately's has a frame. */
function createPolicy(path: string, stately_url: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    path === '/stately' ? `frame-src ${new URL(stately_url).origin}` : "frame-src 'none'",
  ].join('; ')
}

function createHeaders(path: string, stately_url: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': createPolicy(path, stately_url),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tokenIn(body: string): string | null {
  try {
    const { token } = JSON.parse(body) as { readonly token?: unknown }
    return typeof token === 'string' ? token : null
  } catch {
    return null
  }
}

/**
 * A token becomes a session. Other sites' pages can't do this: their browser would need a preflight for this media
 * type, and no preflight succeeds.
 */
async function openSession(request: IncomingMessage, sessions: Sessions): Promise<Answer> {
  if (request.headers['content-type'] !== 'application/json')
    return refused(415, 'Content-Type: must be application/json')
  const body = await readBody(request)
  if (body === null) return refused(413, 'body: is too large')
  const token = tokenIn(body)
  const session = token === null ? null : sessions.open(token)
  return session === null ? refused(403, 'token: was used, or is not known') : json(200, { session })
}

function isLetIn({ headers }: IncomingMessage, sessions: Sessions): boolean {
  return sessions.isOpen(/^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
}

async function write(response: ServerResponse, batch: readonly object[], signal: AbortSignal): Promise<void> {
  if (response.write(`${JSON.stringify(batch)}\n`)) return
  // A client that has left never drains its stream.
  await once(response, 'drain', { signal }).catch(error => {
    if (!signal.aborted) throw error
  })
}

/** The messages as they come: JSON lines, each an array. */
async function stream(deps: InspectServerDeps, response: ServerResponse, forStately: boolean): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const toMessages = (one: Inspected): readonly object[] =>
    forStately ? (one.type === 'step' ? inspectionMessages(one) : []) : ownMessages(one)
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson', Connection: 'close' })
  response.flushHeaders()
  for await (const batch of deps.feed.follow(deps.speed, gone.signal))
    await write(response, batch.flatMap(toMessages), gone.signal)
  response.end()
}

/** Handles the calls of the server by path. */
function createHandler(deps: InspectServerDeps, sessions: Sessions, files: ReadonlyMap<string, PageFile>) {
  const read = (request: IncomingMessage, { pathname }: URL): Answer => {
    const file = files.get(pathname)
    if (file !== undefined) return { status: 200, ...file }
    if (!isLetIn(request, sessions)) return refused(401, 'session: is required')
    if (pathname === '/stately_url') return json(200, { url: deps.stately_url })
    return refused(404, 'path: not found')
  }
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<Answer | null> => {
    if (url.pathname === '/session' && request.method === 'POST') return openSession(request, sessions)
    if (request.method !== 'GET') return refused(405, 'method: must be GET')
    if (url.pathname !== '/steps' || !isLetIn(request, sessions)) return read(request, url)
    await stream(deps, response, url.searchParams.get('for') === 'stately')
    return null
  }
}

/** A call under another name of this address is rejected (DNS rebinding). */
function isOurs({ headers }: IncomingMessage, port: number): boolean {
  return (
    [`${loopback}:${port}`, `localhost:${port}`].includes(headers.host ?? '') &&
    [undefined, `http://${headers.host}`].includes(headers.origin)
  )
}

function readPort(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Starts the server on the loopback address, which other machines can't reach. */
export async function startInspectServer(deps: InspectServerDeps): Promise<InspectServer> {
  const sessions = createSessions()
  const handle = createHandler(deps, sessions, pageFiles())
  const answerTo = async (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL | null,
  ): Promise<Answer | null> => {
    if (!isOurs(request, readPort(server))) return refused(403, 'Host: is not this machine')
    return url === null ? refused(400, 'path: is malformed') : handle(request, response, url)
  }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = URL.parse(request.url ?? '/', `http://${loopback}`)
    for (const [name, value] of Object.entries(createHeaders(url?.pathname ?? '', deps.stately_url)))
      response.setHeader(name, value)
    const answer = await answerTo(request, response, url)
    if (answer !== null) response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.content)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      response.destroy()
    })
  })
  server.listen(deps.port, loopback)
  await once(server, 'listening').catch(error => {
    throw unavailable(`${loopback}:${deps.port}: ${asError(error).message}`)
  })
  return {
    newUrl: page => `http://${loopback}:${readPort(server)}/${page === 'own' ? '' : page}#${sessions.newToken()}`,
    async close() {
      const closed = once(server, 'close')
      deps.feed.end()
      server.close()
      const cancel = deps.clock.setTimer(restMs, () => server.closeAllConnections())
      await closed
      cancel()
    },
  }
}
