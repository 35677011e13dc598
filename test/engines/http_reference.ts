/**
 * A small reference of the other side of the `http` engine, written from docs/operate/engines.md: it checks the
 * signature of each request by itself (RFC 9421, RFC 9530), reads its parts, and answers as the test wants.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** One authentic request as the service understood it. */
export interface Asked {
  readonly request: Readonly<Record<string, unknown>>
  /** Sizes of the images by their part's name. */
  readonly images: Readonly<Record<string, number>>
}

/** The service's reaction to a request: a body to answer with 200, or the whole answer by itself. */
export type Behaviour = (asked: Asked, response: ServerResponse) => object | null

export interface Reference {
  readonly url: string
  readonly asked: Asked[]
  /** Why requests were refused with 401. */
  readonly refused: string[]
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

const members =
  /^attestor=(\("@method" "@path" "@query" "content-type" "content-digest"\);created=(\d+);nonce="([\w-]+)";.*)$/

/** Why a request is not authentic, or null. `now` is in milliseconds. */
function flaw(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  known: { secret: Buffer; nonces: Set<string>; now: number },
): string | null {
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  if (headers['content-digest'] !== digest) return 'digest'
  const [, parameters = '', created = '', nonce = ''] = members.exec(String(headers['signature-input'])) ?? []
  const [, path, query = '?'] = /^([^?]*)(\?.*)?$/.exec(String(url)) ?? []
  const lines = [
    `"@method": ${method}`,
    `"@path": ${path}`,
    `"@query": ${query}`,
    `"content-type": ${headers['content-type']}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${parameters}`,
  ]
  const expected = `attestor=:${createHmac('sha256', known.secret).update(lines.join('\n')).digest('base64')}:`
  const given = Buffer.from(String(headers.signature))
  if (given.length !== expected.length || !timingSafeEqual(given, Buffer.from(expected))) return 'signature'
  if (Math.abs(Number(created) * 1000 - known.now) > 300_000) return 'created'
  if (known.nonces.has(nonce)) return 'nonce'
  known.nonces.add(nonce)
  return null
}

async function read(body: Buffer, contentType: string): Promise<Asked> {
  const form = await new Response(Uint8Array.from(body), { headers: { 'content-type': contentType } }).formData()
  const sent = form.get('request')
  const images = [...form.entries()].flatMap(([name, part]) =>
    name !== 'request' && part instanceof Blob ? [[name, part.size] as const] : [],
  )
  const request = JSON.parse(sent instanceof Blob ? await sent.text() : '{}') as Asked['request']
  return { request, images: Object.fromEntries(images) }
}

export async function openReference(secret: Buffer, now: () => number): Promise<Reference> {
  const asked: Asked[] = []
  const refused: string[] = []
  const nonces = new Set<string>()
  let behaviour: Behaviour = () => ({})
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request)
    const broken = flaw(request, body, { secret, nonces, now: now() })
    if (broken !== null) {
      refused.push(broken)
      response.writeHead(401).end()
      return
    }
    const understood = await read(body, String(request.headers['content-type']))
    asked.push(understood)
    const answer = behaviour(understood, response)
    if (answer !== null) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/analyses`,
    asked,
    refused,
    behave(given) {
      behaviour = given
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
