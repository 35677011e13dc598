import { isIP } from 'node:net'
import { type AddressScope, judgeAddress } from './addresses.ts'

/** decisions: "Webhooks", URL. In UTF-16 code units, like every length of the API. */
export const longest_url = 2048

const must_be_https = 'must be an https URL'
const must_be_public = 'must not name a private, loopback or otherwise special address'

/** A host as the WHATWG URL parser spells it, without the root's dot and without brackets. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

/** The port that a URL names or implies. */
export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

const spelled = (host: string): string | null => {
  const literal = isIP(host) === 6 ? `[${host}]` : host
  return URL.canParse(`https://${literal}/`) ? bareHost(new URL(`https://${literal}/`).hostname) : null
}

/** Whether the operator's `WEBHOOK_ALLOW_HOSTS` names the host of `url`, on every port or on just this one. */
export const isAllowed = (url: URL, allow: readonly string[]): boolean =>
  allow.some(entry => {
    const [, host, port] =
      isIP(entry) === 6 ? [entry, entry] : (/^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(entry) ?? [])
    if (host === undefined || spelled(host) !== bareHost(url.hostname)) return false
    return port === undefined || Number(port) === portOf(url)
  })

const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

const isLoopback = (host: string): boolean =>
  isLocalhost(host) || (isIP(host) !== 0 && judgeAddress(host, 'loopback') === 'allowed')

/** The part between `//` and the path, as it was written: the parser forgets an empty user info. */
const authorityOf = (text: string): string => /^https?:\/\/([^/?#\\]*)/i.exec(text)?.[1] ?? ''

/** Something that a name server can be asked for (RFC 1035 §2.3.4), or an address. */
const isHost = (host: string): boolean =>
  isIP(host) !== 0 || (host.length <= 253 && host.split('.').every(label => /^[\w-]{1,63}$/.test(label)))

/**
 * The rule that a webhook URL breaks, as in `config.webhook.url: must be an https URL`, or null when it may be stored.
 * Pure. Names are not looked up here: what they resolve to is judged whenever they are dialled (`guard.ts`).
 * `allow` is the setting `WEBHOOK_ALLOW_HOSTS`: `host` or `host:port`, for development.
 */
export const checkDestination = (text: string, allow: readonly string[] = []): string | null => {
  if (text.length > longest_url) return `must be at most ${longest_url} characters`
  const authority = authorityOf(text)
  // The parser is lenient about blanks, line breaks and missing slashes; other readers of the URL might not agree.
  if (/[\s\p{Cc}\\]/u.test(text) || authority === '' || !URL.canParse(text)) return must_be_https
  if (authority.includes('@')) return 'must not contain a user name or password'
  const url = new URL(text)
  const host = bareHost(url.hostname)
  if (!isHost(host) || portOf(url) === 0) return must_be_https
  const allowed = isAllowed(url, allow)
  if (url.protocol !== 'https:' && !(allowed && isLoopback(host))) return must_be_https
  if (allowed) return null
  if (isLocalhost(host) || (isIP(host) !== 0 && judgeAddress(host) === 'refused')) return must_be_public
  return null
}

/** Which addresses a URL that passed `checkDestination` may be dialled at. */
export const addressScope = (url: URL, allow: readonly string[]): AddressScope => {
  if (url.protocol === 'http:') return 'loopback'
  return isAllowed(url, allow) ? 'any' : 'public'
}
