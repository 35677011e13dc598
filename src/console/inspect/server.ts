import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { toBrowserModule } from '@attestor/page-files'
import { asError, unavailable } from '../../base/api_error.ts'
import { newSecret, sha256 } from '../../base/ids.ts'
import { type FollowDeps, followSteps } from './follow.ts'
import { inspectionMessages } from './protocol.ts'

/** The messages of the server, and its sources. */
export interface InspectServerDeps extends FollowDeps {
  /** Stately's page, which is shown in a frame. */
  readonly stately_url: string
  /** 0 for any free one. */
  readonly port: number
}

/** A running server. */
export interface InspectServer {
  /** Opens the page around Stately's. Its token is good for one stream of messages, once. */
  readonly url: string
  /** Streams get the rest and end; the connection of a client that does not read is cut. */
  close(): Promise<void>
}

const loopback = '127.0.0.1'
/** A client may take so long to read the rest. */
const restMs = 1000

/** The files of the page by their path. */
function readFiles(stately_url: string) {
  const read = (name: string): string => readFileSync(join(import.meta.dirname, 'page', name), 'utf8')
  // `href` has no quotation marks.
  const html = read('stately.html').replace('{{stately_url}}', () => new URL(stately_url).href)
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', content: html }],
    ['/stately.css', { type: 'text/css', content: read('stately.css') }],
    ['/stately.ts', { type: 'text/javascript', content: toBrowserModule('stately.ts', read('stately.ts')).code }],
  ])
}

/** The page runs and loads nothing from other origins; Stately's is in its frame. */
function createHeaders(stately_url: string): Readonly<Record<string, string>> {
  const { origin } = new URL(stately_url)
  return {
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; frame-src ${origin}`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}

/** The messages as they come: JSON lines, each an array. */
async function stream(deps: InspectServerDeps, response: ServerResponse, stopped: AbortSignal): Promise<void> {
  const gone = new AbortController()
  const { signal } = gone
  response.once('close', () => gone.abort())
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson', Connection: 'close' }).flushHeaders()
  for await (const batch of followSteps(deps, AbortSignal.any([signal, stopped]))) {
    const messages = batch.flatMap(inspectionMessages)
    // A client that has left never drains its stream.
    if (!response.write(`${JSON.stringify(messages)}\n`))
      await once(response, 'drain', { signal }).catch(error => {
        if (!signal.aborted) throw error
      })
  }
  response.end()
}

/** A call under another name of this address is rejected (DNS rebinding). */
function isOurs({ headers, socket }: IncomingMessage): boolean {
  return (
    [`${loopback}:${socket.localPort}`, `localhost:${socket.localPort}`].includes(headers.host ?? '') &&
    [undefined, `http://${headers.host}`].includes(headers.origin)
  )
}

/** Starts the server on the loopback address, which other machines can't reach. */
export async function startInspectServer(deps: InspectServerDeps): Promise<InspectServer> {
  const files = readFiles(deps.stately_url)
  const headers = createHeaders(deps.stately_url)
  const token = newSecret()
  /** Its hash, so that the time of a comparison reveals nothing. */
  let unused: string | null = sha256(token)
  const stopped = new AbortController()
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refuse = (status: number): void => void response.writeHead(status).end()
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (!isOurs(request)) return refuse(403)
    if (request.method !== 'GET') return refuse(405)
    const file = files.get(request.url ?? '')
    if (file !== undefined) return void response.writeHead(200, { 'Content-Type': file.type }).end(file.content)
    if (request.url !== '/steps') return refuse(404)
    if (sha256(request.headers.authorization?.replace(/^Bearer /, '') ?? '') !== unused) return refuse(401)
    unused = null
    await stream(deps, response, stopped.signal)
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
    url: `http://${loopback}:${(server.address() as AddressInfo).port}/#${token}`,
    async close() {
      const closed = once(server, 'close')
      stopped.abort()
      server.close()
      const cancel = deps.clock.setTimer(restMs, () => server.closeAllConnections())
      await closed
      cancel()
    },
  }
}
