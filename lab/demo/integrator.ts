/**
 * The sample integrator over https, as a process of its own. The demo forks it and uses IPC: it sends `{type: 'ready', url,
 * ca}` and `{type: 'webhook', verified, …}`, and receives `{type: 'connect', base_url, account}`.
 */
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import { createClient } from '../../clients/typescript/src/client.ts'
import { openKeySet } from '../../clients/typescript/src/verify_webhook.ts'
import { createIntegrator } from '../../examples/koa/integrator.ts'
import type { Connection, SeenWebhook } from './processes.ts'

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

/** The service starts after its integrator, whose address it must allow. */
let handle: RequestListener = (_request, response) => void response.writeHead(503, { 'Retry-After': '1' }).end()
const server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) =>
  handle(request, response),
)
server.listen(0, '127.0.0.1', () => {
  const publicUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.on('message', ({ base_url, account }: Connection) => {
    const attestor = createClient({
      baseUrl: base_url,
      clientId: account.client_id,
      clientSecret: account.client_secret,
    })
    const keys = openKeySet(`${base_url}/.well-known/jwks.json`)
    const observe = (result: SeenWebhook): void => void process.send?.({ type: 'webhook', ...result })
    handle = createIntegrator({ attestor, keys, publicUrl, observe }).callback()
  })
  process.send?.({ type: 'ready', url: publicUrl, ca: certificate.cert })
})

function stop(): void {
  server.close()
  server.closeAllConnections()
  if (process.connected) process.disconnect()
}

process.once('disconnect', stop)
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
