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

/** Of a long list only the end can have been written by proxies of the operator. */
const maxForwarded = 32

/**
 * The caller's address as the server sees it. Of `X-Forwarded-For` only what the nearest `trustedHops` proxies wrote
 * is trusted: each appends the address that it was called from, so the list is counted from its end.
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
