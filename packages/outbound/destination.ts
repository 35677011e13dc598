import { isIP } from 'node:net'
import { type AddressScope, judgeAddress } from './addresses.ts'

/** Longest URL in UTF-16 code units, like every length of the API. */
const maxUrlLength = 2048

const mustBeHttps = 'must be an https URL'
const mustBePublic = 'must not name a private, loopback or otherwise special address'

/** A host as the WHATWG URL parser spells it, without the root's dot and without brackets. */
export function normaliseHostname(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** The port that a URL names or implies. */
export function getPort(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}

function normaliseHost(host: string): string | null {
  const literal = isIP(host) === 6 ? `[${host}]` : host
  return URL.canParse(`https://${literal}/`) ? normaliseHostname(new URL(`https://${literal}/`).hostname) : null
}

/** Whether the operator's `WEBHOOK_ALLOW_HOSTS` names the host of `url`, on every port or on just this one. */
function isAllowed(url: URL, allow: readonly string[]): boolean {
  return allow.some(entry => {
    const [, host, port] =
      isIP(entry) === 6 ? [entry, entry] : (/^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(entry) ?? [])
    if (host === undefined || normaliseHost(host) !== normaliseHostname(url.hostname)) return false
    return port === undefined || Number(port) === getPort(url)
  })
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

function isLoopback(host: string): boolean {
  return isLocalhost(host) || (isIP(host) !== 0 && judgeAddress(host, 'loopback') === 'allowed')
}

/** The part between `//` and the path as written: the parser drops an empty user info. */
function readAuthority(text: string): string {
  return /^https?:\/\/([^/?#\\]*)/i.exec(text)?.[1] ?? ''
}

/** A name that DNS can hold (RFC 1035 §2.3.4), or an address. */
function isHost(host: string): boolean {
  return isIP(host) !== 0 || (host.length <= 253 && host.split('.').every(label => /^[\w-]{1,63}$/.test(label)))
}

/**
 * The rule that a webhook URL breaks, as in `config.webhook.url: must be an https URL`, or null when it may be stored.
 * Pure. The addresses that a name resolves to are checked whenever it is dialled (`guard.ts`).
 * `allow` is the setting `WEBHOOK_ALLOW_HOSTS`: `host` or `host:port`, for development.
 */
export function checkDestination(text: string, allow: readonly string[] = []): string | null {
  if (text.length > maxUrlLength) return `must be at most ${maxUrlLength} characters`
  const authority = readAuthority(text)
  // The parser tolerates blanks, line breaks and missing slashes; other readers of the URL may not.
  if (/[\s\p{Cc}\\]/u.test(text) || authority === '' || !URL.canParse(text)) return mustBeHttps
  if (authority.includes('@')) return 'must not contain a user name or password'
  const url = new URL(text)
  const host = normaliseHostname(url.hostname)
  if (!isHost(host) || getPort(url) === 0) return mustBeHttps
  const allowed = isAllowed(url, allow)
  if (url.protocol !== 'https:' && !(allowed && isLoopback(host))) return mustBeHttps
  if (allowed) return null
  if (isLocalhost(host) || (isIP(host) !== 0 && judgeAddress(host) === 'blocked')) return mustBePublic
  return null
}

/** Returns the addresses at which a URL that passed `checkDestination` may be dialled. */
export function addressScope(url: URL, allow: readonly string[]): AddressScope {
  if (url.protocol === 'http:') return 'loopback'
  return isAllowed(url, allow) ? 'any' : 'public'
}
