import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The failure of requests on their way to a store. */
export type Fault =
  | 'none'
  | 'refused'
  | 'status 500'
  | 'status 403'
  | 'hang'
  /** The connection ends in the middle of an answer's body. */
  | 'cut answer'
  | 'damaged upload'
  | 'damaged answer'
  /** An answer that never ends. */
  | 'endless answer'

/** A proxy in front of a store, which fails as the test asks. */
export interface FaultyProxy {
  readonly endpoint: string
  fault: Fault
  /** Number of further requests that fail with status 500, whatever `fault` is. */
  failures: number
  /** Called with each request's method, before it fails or not. */
  onRequest: (method: string) => void
  stop(): Promise<void>
}

function damage(chunk: Buffer): Buffer {
  return Buffer.from(chunk.map(byte => byte ^ 1))
}

function answerBody(proxy: FaultyProxy, answer: IncomingMessage, response: ServerResponse): void {
  const { fault } = proxy
  response.writeHead(answer.statusCode ?? 502, fault === 'endless answer' ? {} : answer.headers)
  answer.on('data', (chunk: Buffer) => {
    if (fault === 'cut answer') {
      response.write(chunk.subarray(0, chunk.length / 2))
      response.socket?.end()
    } else response.write(fault === 'damaged answer' ? damage(chunk) : chunk)
  })
  answer.on('end', () => {
    if (fault !== 'endless answer') return void response.end()
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    }
    response.on('drain', more)
    more()
  })
}

function forward(proxy: FaultyProxy, target: URL, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url: path, headers } = incoming
  const outgoing = request({ host: target.hostname, port: target.port, method, path, headers }, answer =>
    answerBody(proxy, answer, response),
  )
  outgoing.on('error', () => response.destroy())
  incoming.on('data', (chunk: Buffer) => outgoing.write(proxy.fault === 'damaged upload' ? damage(chunk) : chunk))
  incoming.on('end', () => outgoing.end())
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const server = createServer((incoming, response) => {
    proxy.onRequest(incoming.method ?? '')
    const fails = proxy.failures > 0
    proxy.failures -= fails ? 1 : 0
    const fault = fails ? 'status 500' : proxy.fault
    if (fault === 'hang') return void incoming.resume()
    if (fault === 'refused') return void incoming.socket.destroy()
    if (!fault.startsWith('status')) return forward(proxy, new URL(target), incoming, response)
    incoming.resume()
    response.writeHead(Number(fault.slice(-3))).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const proxy: FaultyProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: 'none',
    failures: 0,
    onRequest() {},
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return proxy
}
