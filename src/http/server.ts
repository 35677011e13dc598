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
import { newId } from '../base/ids.ts'

const second = 1000

/** What the parser itself refuses: its code, and our answer. */
const refusals: Readonly<Record<string, readonly [status: number, code: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'too_large', 'headers: must be at most 16384 bytes'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'too_large', 'body: chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'timeout', 'the request took too long'],
}
const malformed = [400, 'malformed_request', 'the request is not valid HTTP'] as const

/** What koa-helmet says in the application's answers (`secureHeaders`), for those that never get there. */
const secure_headers = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
}

interface Answer {
  readonly head: Readonly<Record<string, string | number>>
  readonly body: string
}

/** The headers and the body of an answer that the application has no part in. */
const answerOf = (content: unknown, more: Readonly<Record<string, string>> = {}): Answer => {
  const body = JSON.stringify(content)
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...secure_headers,
    ...more,
    'X-Request-Id': newId(),
  }
  return { head, body }
}

const toApiError = (code: string, error: string): Answer => answerOf({ error }, { 'X-Error-Code': code })

const rawAnswer = (status: number, code: string, error: string, more: Record<string, string> = {}): string => {
  const { head, body } = toApiError(code, error)
  const lines = Object.entries({ ...head, ...more, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}

/** Whether an answer is already on its way on this connection: another text would land in the middle of it. */
const isAnswering = (socket: Socket): boolean => {
  const { _httpMessage: message } = socket as { _httpMessage?: ServerResponse | null }
  return message?.headersSent === true
}

const answerClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const [status, code, message] = refusals[error.code ?? ''] ?? malformed
  socket.end(rawAnswer(status, code, message), () => socket.destroySoon())
}

const refuseExpectation = (_request: IncomingMessage, response: ServerResponse): void => {
  const { head, body } = toApiError('malformed_request', 'expect: must be 100-continue')
  response.writeHead(417, head)
  response.end(body)
}

/** Node takes its own listeners off such a connection: one that broke would end the process, one left open would stay. */
const refuseTunnel = (_request: IncomingMessage, socket: Duplex): void => {
  const allow = { Allow: 'DELETE, GET, HEAD, PATCH, POST, PUT' }
  socket.on('error', () => socket.destroy())
  socket.end(rawAnswer(405, 'method_not_allowed', 'method: must not be CONNECT', allow), () => socket.destroy())
}

/** One address holds at most `most` connections: its slow or idle ones keep nobody else out. */
const boundConnections = (server: Server, most: number): void => {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const others = open.get(address) ?? 0
    if (others >= most) {
      const answer = rawAnswer(503, 'unavailable', 'too many connections from one address', { 'Retry-After': '5' })
      socket.end(answer, () => socket.destroySoon())
      return
    }
    open.set(address, others + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  })
}

/**
 * An HTTP server with bounds on what one caller may hold, that answers what its parser refuses like everything else
 * (decisions.md, "HTTP"); `connections_per_address` 0 is unbounded. Node drops a call that nobody listens for, and its
 * caller waits in vain: an application is there before `listen`, or `answerWhileStarting` in its place.
 */
export const createHttpServer = (connections_per_address = 0): Server => {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: 15 * second,
    // A 10 MiB photo at 1 Mbit/s takes 84 s.
    requestTimeout: 120 * second,
    keepAliveTimeout: 65 * second,
    connectionsCheckingInterval: 5 * second,
    // Node's own refusal has no body: `requireHost` says it like everything else.
    requireHostHeader: false,
    insecureHTTPParser: false,
  })
  server.maxConnections = 10_000
  // Whoever does not read its answer is cut off too. No answer of ours is longer in coming than a long poll's 60 s.
  server.timeout = 130 * second
  if (connections_per_address > 0) boundConnections(server, connections_per_address)
  server.on('clientError', answerClientError)
  server.on('checkExpectation', refuseExpectation)
  server.on('connect', refuseTunnel)
  return server
}

const answerStarting: RequestListener = ({ url = '' }, response) => {
  const is_health = url.split('?')[0] === '/healthz'
  const { head, body } = is_health
    ? answerOf({ status: 'alive' })
    : answerOf({ error: 'not ready: the node is starting' }, { 'X-Error-Code': 'unavailable', 'Retry-After': '2' })
  response.writeHead(is_health ? 200 : 503, head)
  response.end(body)
}

/** Answers 503 to what comes while a node starts. The function that it returns puts the application in its place. */
export const answerWhileStarting = (server: Server): ((application: RequestListener) => void) => {
  server.on('request', answerStarting)
  return application => {
    server.off('request', answerStarting)
    server.on('request', application)
  }
}

/**
 * The way to close a server, to be made before its listeners are added. It takes no connection any more, and answers what
 * comes on those that there are, until `deadline`. A kept connection looks idle while a call is on its way: it is told
 * with its next answer, and closed without one only when `lingered`.
 */
export const closerOf = (server: Server): ((lingered: Promise<void>, deadline: Promise<void>) => Promise<void>) => {
  let has_lingered = false
  // A caller's kept connection is idle only once its answer is out: left open it would hold the stop to its deadline.
  server.on('request', (_request, response) => {
    response.once('close', () => has_lingered && server.closeIdleConnections())
  })
  return async (lingered, deadline) => {
    // Not the HTTP server's own way, which closes at once what looks idle.
    const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
    const over = deadline.then(() => server.closeAllConnections())
    await Promise.race([closed, lingered, over])
    // What has reached this machine is read first.
    for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
    has_lingered = true
    server.close()
    await Promise.race([closed, over])
  }
}
