/**
 * A sample integrator: an https server that receives webhooks, verifies them and handles each status once. It is a process
 * of its own (`node demo/integrator.ts [JWKS_URL]`) and shares no code with the service. The demo forks it and uses IPC: it
 * sends `{type: 'ready', url, ca}` and `{type: 'webhook', verified, …}`, and receives `{type: 'jwks', url}`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import { type KeySet, openKeySet, type Verification, verifyWebhook } from '../clients/typescript/src/verify_webhook.ts'

const maxBodyBytes = 64 * 1024

let keys: KeySet | null = null
const useKeySet = (url: string): void => {
  keys = openKeySet(url)
}

/** A notification may arrive more than once, so remember what was handled, by transaction and status. Use a database. */
const handled = new Set<string>()

const sendToParent = (message: Record<string, unknown>): void => {
  process.send?.(message)
}

const readText = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const report = (request: IncomingMessage, body: string, result: Verification): void => {
  const { headers } = request
  if (!result.verified) {
    console.log(`integrator: rejected a webhook: ${result.reason}`)
    sendToParent({ type: 'webhook', verified: false, reason: result.reason, duplicate: false, body, headers })
    return
  }
  const { transaction_id, status } = result.notification
  const once = `${transaction_id} ${status}`
  const duplicate = handled.has(once)
  handled.add(once)
  console.log(`integrator: ${duplicate ? 'seen before' : 'verified'}: transaction ${transaction_id} is ${status}`)
  sendToParent({ type: 'webhook', verified: true, reason: null, duplicate, body: result.notification, headers })
  // Your own work begins here, after the response: read the decision with GET …/transaction/{id} and your access token.
}

const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'POST' }).end()
  const body = await readText(request)
  if (body === null) return void response.writeHead(413, { Connection: 'close' }).end()
  // Without keys the webhook can't be verified yet, so request another attempt.
  if (keys === null) return void response.writeHead(503, { 'Retry-After': '1' }).end()
  const result = await verifyWebhook({ headers: request.headers, body }, keys)
  response.writeHead(result.verified ? 204 : 401).end()
  report(request, body, result)
}

/** A certificate for this run only. In production yours comes from a public authority. */
const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'localhost' },
        { type: 7, ip: '127.0.0.1' },
      ],
    },
  ],
})

const server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
  receive(request, response).catch((error: unknown) => {
    console.log(`integrator: could not verify a webhook now: ${error instanceof Error ? error.message : error}`)
    if (!response.headersSent) response.writeHead(503, { 'Retry-After': '1' })
    response.end()
  })
})

process.on('message', message => {
  if (typeof message !== 'object' || message === null || !('type' in message) || !('url' in message)) return
  if (message.type === 'jwks' && typeof message.url === 'string') useKeySet(message.url)
})
const stop = (): void => {
  server.close()
  server.closeAllConnections()
  if (process.connected) process.disconnect()
}
process.once('disconnect', stop)
process.once('SIGTERM', stop)
process.once('SIGINT', stop)

if (process.argv[2] !== undefined) useKeySet(process.argv[2])
server.listen(0, '127.0.0.1', () => {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  console.log(`integrator: listening on ${url}`)
  sendToParent({ type: 'ready', url, ca: certificate.cert })
})
