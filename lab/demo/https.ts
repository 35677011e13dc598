import { once } from 'node:events'
import { request as callService } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { generate } from 'selfsigned'

/** The first address of this machine in its own network; a phone there reaches it. Null without a network. */
export function findLanAddress(): string | null {
  return (
    Object.values(networkInterfaces())
      .flatMap(addresses => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null
  )
}

/** Browsers open a camera on https alone, but for this machine's own pages. The certificate is for this run only. */
function createCertificate(address: string) {
  return generate([{ name: 'commonName', value: 'Attestor demo' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: address }] }],
  })
}

/** An https server in front of the service, as a reverse proxy would stand there. */
export interface HttpsFront {
  readonly url: string
  /** From now on calls go to this address of the service. */
  forwardTo(serviceUrl: string): void
  stop(): Promise<void>
}

/** Listens on the machine's address in its network. `X-Forwarded-For` names the caller; the service trusts one hop. */
export async function startHttpsFront(address: string): Promise<HttpsFront> {
  const { private: key, cert } = await createCertificate(address)
  let target: URL | null = null
  const server = createServer({ key, cert }, (incoming, response) => {
    if (target === null) return void response.writeHead(503).end()
    const { method, url: path, headers, socket } = incoming
    const forwarded = { ...headers, 'x-forwarded-for': socket.remoteAddress ?? '' }
    const { hostname, port } = target
    const call = callService({ hostname, port, method, path, headers: forwarded }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    call.on('error', () => response.destroy())
    response.on('close', () => call.destroy())
    incoming.pipe(call)
  })
  server.listen(0, address)
  await once(server, 'listening')
  return {
    url: `https://${address}:${(server.address() as AddressInfo).port}`,
    forwardTo(serviceUrl) {
      target = new URL(serviceUrl)
    },
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
