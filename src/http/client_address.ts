import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Some proxies write the port too: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function stripPort(address: string): string {
  const bare = address
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare
}

/** Only the end of a long list can have been written by the operator's proxies. */
const maxForwarded = 32

/**
 * Returns the caller's address as the server sees it. It trusts only the entries of `X-Forwarded-For` that the nearest
 * `trustedHops` proxies wrote: each appends the address that it was called from, so the list is counted from its end.
 */
export function readClientAddress(request: IncomingMessage, trustedHops: number): string {
  const own = stripPort(request.socket.remoteAddress ?? '')
  if (trustedHops === 0) return own
  const header = request.headers['x-forwarded-for'] ?? ''
  const forwarded = (Array.isArray(header) ? header.join(',') : header).split(',').slice(-maxForwarded).map(stripPort)
  const chain = [...forwarded.filter(address => address !== ''), own]
  const observed = chain[Math.max(chain.length - 1 - trustedHops, 0)] ?? own
  return isIP(observed) > 0 ? observed : own
}
