import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Some proxies write the port too: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const plain = (address: string): string => {
  const bare = address
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare
}

/**
 * The caller's address as the server sees it. Of `X-Forwarded-For` only what the nearest `trusted_hops` proxies wrote is
 * believed: each appends the address that it was called from, so the list is counted from its end.
 */
export const observedAddress = (request: IncomingMessage, trusted_hops: number): string => {
  const own = plain(request.socket.remoteAddress ?? '')
  if (trusted_hops === 0) return own
  const header = request.headers['x-forwarded-for'] ?? ''
  const told = (Array.isArray(header) ? header.join(',') : header).split(',').map(plain)
  const chain = [...told.filter(address => address !== ''), own]
  const seen = chain[Math.max(chain.length - 1 - trusted_hops, 0)] ?? own
  return isIP(seen) > 0 ? seen : own
}
