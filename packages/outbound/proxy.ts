import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'

/** A forward proxy: `http` or `https`, with a user and a password where it wants them. */
export interface Proxy {
  readonly url: URL
  /** It has the authorities that an `https` proxy's certificate may come from. */
  readonly secureContext: SecureContext
}

class ProxyError extends Error {
  override name = 'ProxyError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

function refused(status: number | undefined): ProxyError {
  return new ProxyError(`PROXY_${status}`, `the proxy answered ${status}`)
}

/** Rejects with the lookup's own error, which refuses names without an address that may be called. */
function findAddress(host: string, lookup: LookupFunction): Promise<string> {
  if (isIP(host) !== 0) return Promise.resolve(host)
  return new Promise((resolve, reject) => {
    lookup(host, { all: false }, (error, address) => {
      if (error) reject(error)
      else resolve(String(address))
    })
  })
}

function createProxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

export interface TunnelRequest {
  readonly host: string
  readonly port: number
  /** Answers with addresses that may be called only. */
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
}

/** A connection through a proxy, and the address at its other end. */
export interface Tunnel {
  readonly socket: Socket
  readonly address: string
}

/**
 * Asks the proxy for a connection (RFC 9110 §9.3.6) to an address, not to a name: the address was checked here, and
 * the proxy would resolve the name again, to another one perhaps. Rejects where the proxy refuses.
 */
export async function openTunnel(
  { url, secureContext }: Proxy,
  { host, port, lookup, signal }: TunnelRequest,
): Promise<Tunnel> {
  const address = await findAddress(host, lookup)
  const target = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`
  const { promise, resolve, reject } = Promise.withResolvers<Tunnel>()
  const ask = url.protocol === 'https:' ? requestTls : requestPlain
  const call = ask(url, {
    method: 'CONNECT',
    path: target,
    headers: { Host: target, ...createProxyHeaders(url) },
    agent: false,
    signal,
    ...(url.protocol === 'https:' && { secureContext }),
  })
  call.once('connect', ({ statusCode = 0 }, socket, head) => {
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head)
      resolve({ socket: socket as Socket, address })
    } else {
      socket.destroy()
      reject(refused(statusCode))
    }
  })
  call.once('response', ({ statusCode }) => {
    call.destroy()
    reject(refused(statusCode))
  })
  call.once('error', () => reject(new ProxyError('PROXY_AWAY', "the proxy can't be reached")))
  call.end()
  return promise
}
