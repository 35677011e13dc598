import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type KeySet, openKeySet, verifyWebhook } from '../../clients/typescript/src/verify_webhook.ts'
import { makeCertificate } from '../webhooks/receiver.ts'

/** A webhook as it came in, and the verdict of the integrator's sample code on its signature. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
  /** Null when verified, else why not. */
  readonly refused: string | null
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
}

/** An integrator's https receiver on loopback. It shares no code with the signer. */
export interface Hook {
  readonly url: string
  /** `host:port`, for the setting that allows a private address. */
  readonly host: string
  readonly ca: string
  readonly received: Received[]
  /** Sets its answers from now on; `seen` counts from 1 for each delivery. */
  answer(reply: (webhook: Received, seen: number) => Reply | Promise<Reply>): void
  /** Resolves when a webhook that fits has come. */
  seen(fits: (webhook: Received) => boolean): Promise<Received>
  /** Each connection is closed at once until `up`. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

/** Address of the published keys, and the time by which freshness is judged. */
export interface Verifier {
  readonly jwks_url: () => string | Promise<string>
  readonly now: () => number
}

function keySets({ jwks_url, now }: Verifier): () => Promise<KeySet> {
  const sets = new Map<string, KeySet>()
  return async () => {
    const url = await jwks_url()
    const set = sets.get(url) ?? openKeySet(url, { now })
    sets.set(url, set)
    return set
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

let made: ReturnType<typeof makeCertificate> | null = null

/** One for all receivers of a process: making it takes a quarter of what a node's start does. */
function ownCertificate(): ReturnType<typeof makeCertificate> {
  made ??= makeCertificate(['localhost'], ['127.0.0.1'])
  return made
}

export async function openHook(verifier: Verifier): Promise<Hook> {
  const keys = keySets(verifier)
  const received: Received[] = []
  const waiting = new Set<() => void>()
  let reply: (webhook: Received, seen: number) => Reply | Promise<Reply> = () => ({ status: 204 })
  const certificate = await ownCertificate()
  const server = createServer({ key: certificate.private, cert: certificate.cert }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { headers, url: path = '' } = request
    const result = await verifyWebhook({ headers, body: text }, await keys()).catch(error => ({
      verified: false as const,
      reason: String(error),
    }))
    // A status list is fetched here, too.
    const body = JSON.parse(text || '{}') as Received['body']
    const webhook = { path, headers, text, body, refused: result.verified ? null : result.reason }
    received.push(webhook)
    for (const wake of [...waiting]) wake()
    const delivery = headers['x-delivery-id']
    const {
      status,
      headers: extraHeaders = {},
      text: said = '',
    } = await reply(webhook, received.filter(one => one.headers['x-delivery-id'] === delivery).length)
    response.writeHead(status, extraHeaders).end(said)
  })
  let isDown = false
  // The server keeps its port while it is down: another program could take it meanwhile.
  server.on('connection', socket => isDown && socket.destroy())
  const port = await listen(server)
  return {
    url: `https://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    ca: certificate.cert,
    received,
    answer: given => {
      reply = given
    },
    async seen(fits) {
      for (;;) {
        const found = received.find(fits)
        if (found !== undefined) return found
        await new Promise<void>(resolve => {
          const wake = (): void => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    async down() {
      isDown = true
      server.closeAllConnections()
    },
    async up() {
      isDown = false
    },
    close: () => stop(server),
  }
}
