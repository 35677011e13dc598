import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import { boundConnections } from './connections.ts'
import { strictHeaders } from './strict_headers.ts'

const secondMs = 1000

/** The response to each error of the parser itself. */
const parserErrors: Readonly<Record<string, readonly [status: number, code: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'too_large', 'headers: must be at most 16384 bytes'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'too_large', 'body: chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'timeout', 'the request took too long'],
}
const malformedRequest = [400, 'malformed_request', 'the request is not valid HTTP'] as const

interface RawResponse {
  readonly head: Readonly<Record<string, string | number>>
  readonly body: string
}

/** A response that is sent without the application. */
function createRawResponse(content: unknown, more: Readonly<Record<string, string>> = {}): RawResponse {
  const body = JSON.stringify(content)
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...strictHeaders,
    ...more,
    'X-Request-Id': newId(),
  }
  return { head, body }
}

function createRawError(code: string, error: string): RawResponse {
  return createRawResponse({ error }, { 'X-Error-Code': code })
}

function formatRawError(status: number, code: string, error: string, more: Record<string, string> = {}): string {
  const { head, body } = createRawError(code, error)
  const lines = Object.entries({ ...head, ...more, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}

/** Whether a response is being sent on this connection: another one would end up in the middle of it. */
function isResponding(socket: Socket): boolean {
  const { _httpMessage: message } = socket as { _httpMessage?: ServerResponse | null }
  return message?.headersSent === true
}

function rejectExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { head, body } = createRawError('malformed_request', 'expect: must be 100-continue')
  response.writeHead(417, head)
  response.end(body)
}

/** Node removes its own listeners from such a connection: an error would end the process, and nothing would close it. */
function rejectTunnel(_request: IncomingMessage, socket: Duplex): void {
  const allow = { Allow: 'DELETE, GET, HEAD, PATCH, POST, PUT' }
  socket.on('error', () => socket.destroy())
  socket.end(formatRawError(405, 'method_not_allowed', 'method: must not be CONNECT', allow), () => socket.destroy())
}

/** A response that has begun is only cut off: another one would end up in the middle of it. */
function endWith(socket: Socket, status: number, code: string, error: string, more: Record<string, string> = {}): void {
  if (isResponding(socket) || !socket.writable) socket.destroy()
  else socket.end(formatRawError(status, code, error, more), () => socket.destroySoon())
}

function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy()
  else endWith(socket, ...(parserErrors[error.code ?? ''] ?? malformedRequest))
}

export interface ServerOptions {
  /** The machine's where absent. */
  readonly clock?: Pick<Clock, 'setTimer'>
  /** Connections of one address; 0 is unbounded. */
  readonly connectionsPerAddress?: number
  readonly maxConnections?: number
  readonly keepAliveSeconds?: number
  readonly requestSeconds?: number
}

/**
 * Creates an HTTP server with bounds on one caller's share. Errors of its parser look like those of the application.
 * Node drops a call that no listener handles, and its caller waits in vain. So the application, or
 * `serveWhileStarting`, must be added before `listen`.
 */
export function createHttpServer({
  clock = systemClock,
  connectionsPerAddress = 0,
  maxConnections = 10_000,
  keepAliveSeconds = 65,
  requestSeconds = 120,
}: ServerOptions = {}): Server {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: Math.min(15, requestSeconds) * secondMs,
    requestTimeout: requestSeconds * secondMs,
    keepAliveTimeout: keepAliveSeconds * secondMs,
    connectionsCheckingInterval: secondMs,
    // Node's own response would have no body: `requireHost` checks it.
    requireHostHeader: false,
    insecureHTTPParser: false,
  })
  // A caller that does not read its response is cut off too. A response takes at most the 60 s of a long poll.
  server.timeout = (Math.max(requestSeconds, 60) + 10) * secondMs
  boundConnections(
    server,
    { clock, perAddress: connectionsPerAddress, total: maxConnections },
    {
      refuse: (socket, why) => endWith(socket, 503, 'unavailable', why, { 'Retry-After': '5' }),
      endStalled: socket => endWith(socket, 408, 'timeout', 'body: it comes too slowly'),
    },
  )
  server.on('clientError', respondToClientError)
  server.on('checkExpectation', rejectExpectation)
  server.on('connect', rejectTunnel)
  return server
}

const respondWhileStarting: RequestListener = ({ url = '' }, response) => {
  const isHealthCheck = url.split('?')[0] === '/healthz'
  const { head, body } = isHealthCheck
    ? createRawResponse({ status: 'alive' })
    : createRawResponse(
        { error: 'not ready: the node is starting' },
        { 'X-Error-Code': 'unavailable', 'Retry-After': '2' },
      )
  response.writeHead(isHealthCheck ? 200 : 503, head)
  response.end(body)
}

/** Responds with 503 while a node starts. The returned function replaces this by the application. */
export function serveWhileStarting(server: Server): (application: RequestListener) => void {
  server.on('request', respondWhileStarting)
  return application => {
    server.off('request', respondWhileStarting)
    server.on('request', application)
  }
}

/** The members of Node's listening socket beside its documented ones. */
interface Listening {
  readonly _handle?: { listen?(backlog: number): number } | null
}

/** While connections keep coming, so many turns of the event loop are waited for one without any. */
const maxTurns = 50

/**
 * Stops listening. Connections that the kernel has accepted, and we have not, would be reset with their calls: these
 * are accepted first. Meanwhile the kernel takes one at a time (`listen(2)` with a backlog of 0), and refuses any
 * other, which loses no call.
 */
async function stopAccepting(server: Server): Promise<void> {
  let isOpen = true
  let hasCome = true
  let turns = 0
  const stop = (): void => {
    if (isOpen) NetServer.prototype.close.call(server)
    isOpen = false
  }
  const come = (): void => {
    hasCome = true
    // Right after one was taken out of it the kernel's queue is empty.
    if (turns >= maxTurns) stop()
  }
  server.on('connection', come)
  const { _handle } = server as Listening
  _handle?.listen?.(0)
  for (; isOpen && hasCome && turns < maxTurns; turns++) {
    hasCome = false
    for (let phase = 0; phase < 2; phase++) await new Promise(setImmediate)
  }
  if (!hasCome) stop()
  while (isOpen) await new Promise(setImmediate)
  server.off('connection', come)
}

/**
 * Closes a server; to be created before the server's listeners are added. No connection is accepted any more, but for
 * those that wait for it. Calls on open ones are answered until `deadline`. A keep-alive connection looks idle while a
 * call is still being transmitted to it. So its next response closes it; without one it is closed after `lingered`.
 */
export function createCloser(server: Server): (lingered: Promise<void>, deadline: Promise<void>) => Promise<void> {
  let hasLingered = false
  // A keep-alive connection becomes idle when its response was sent. Left open it would delay the stop until the deadline.
  server.on('request', (_request, response) => {
    response.once('close', () => hasLingered && server.closeIdleConnections())
  })
  return async (lingered, deadline) => {
    const closed = new Promise<void>(resolve => server.once('close', resolve))
    const expired = deadline.then(() => server.closeAllConnections())
    // The HTTP server's own `close` would at once close connections that look idle.
    await stopAccepting(server)
    await Promise.race([closed, lingered, expired])
    // Data that has already arrived is read first.
    for (let iterations = 0; iterations < 3; iterations++) await new Promise(setImmediate)
    hasLingered = true
    server.close()
    await Promise.race([closed, expired])
  }
}
