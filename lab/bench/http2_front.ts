import { once } from 'node:events'
import { request as callService } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'

/** HTTP/2 before the service, as a proxy speaks it. */
export interface Http2Front {
  readonly url: string
  close(): Promise<void>
}

/**
 * Whether a header is one of the call's own: HTTP/2 has no use for some, or names them differently (RFC 9113 §8.2.2 and
 * §8.3).
 */
function isOwn([name]: readonly [string, unknown]): boolean {
  return !name.startsWith(':') && !['connection', 'keep-alive', 'transfer-encoding'].includes(name)
}

export async function openHttp2Front(serviceUrl: string): Promise<Http2Front> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  })
  const { hostname, port } = new URL(serviceUrl)
  const server = createSecureServer({ key, cert }, (incoming, response) => {
    const headers = Object.fromEntries(Object.entries(incoming.headers).filter(isOwn))
    const { method, url: path } = incoming
    const call = callService({ hostname, port, method, path, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, Object.fromEntries(Object.entries(answer.headers).filter(isOwn)))
      answer.pipe(response)
    })
    call.on('error', () => response.stream.destroy())
    response.on('close', () => call.destroy())
    incoming.pipe(call)
  })
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', session => sessions.add(session))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
}
