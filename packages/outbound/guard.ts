import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import {
  type ConnectionOptions,
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { LRUCache } from 'lru-cache'
import {
  type AddressScope,
  blockLists,
  judgeAddress,
  specialBlocksV4,
  specialBlocksV6,
  specialSpansV6,
} from './addresses.ts'
import { addressScope, checkDestination, getPort, normaliseHostname } from './destination.ts'
import { openTunnel } from './proxy.ts'
import { cancellableLookup, queuedSystemLookup } from './resolve.ts'

/** The only way out to a receiver: every address is checked when it is dialled. */
export interface Guard {
  /** The rule that `url` breaks, or null. Settings may have changed since the URL was stored. */
  check(url: string): string | null
  /** A connection to the host of `url`, over TLS for https. Rejects with `DestinationError` before any packet leaves. */
  dial(url: URL, signal: AbortSignal): Promise<Dialled>
}

/** `address` is the receiver's, also where a proxy is between. */
export interface Dialled {
  readonly socket: Socket | TLSSocket
  readonly address: string | null
}

/**
 * `allow`: `WEBHOOK_ALLOW_HOSTS`. `ca`: PEM of further authorities. `lookup`: name resolution; by default the system's
 * for hosts that the operator allows (they may be in its host file), and `nameServers`, or the system's, for all others.
 * `proxy`: the way to public addresses; hosts that the operator allows are near, and dialled without it.
 */
export interface GuardOptions {
  allow?: readonly string[]
  ca?: string
  lookup?: LookupFunction
  nameServers?: readonly string[]
  proxy?: URL | null
}

class DestinationError extends Error {
  override name = 'DestinationError'
  readonly code = 'DESTINATION_REFUSED'
}

/** Lets through only addresses that may be dialled. The block list of `net.connect` checks literals too. */
function guardedLookup(lookup: LookupFunction, scope: AddressScope): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const all = (typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found) ?? []
      const allowed = all.filter(entry => judgeAddress(entry.address, scope) === 'allowed')
      const [first] = allowed
      if (first === undefined) {
        return callback(new DestinationError('the name resolves to no address that may be called'), '')
      }
      if (options.all) return callback(null, allowed)
      callback(null, first.address, first.family)
    })
}

interface DialRequest {
  host: string
  port: number
  scope: AddressScope
  lookup: LookupFunction
  signal: AbortSignal
}

async function waitUntilOpen<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function dialTcp({ host, port, scope, lookup, signal }: DialRequest): Promise<Socket> {
  const options: TcpNetConnectOpts = { host, port, lookup, blockList: blockLists[scope], autoSelectFamily: true }
  return waitUntilOpen(connect(options), 'connect', signal)
}

function toDialled(socket: Socket): Dialled {
  return { socket, address: socket.remoteAddress ?? null }
}

/** Node's block list rejected the address, or every address of the host. */
function isBlocked(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isBlocked)
  return error instanceof Error && 'code' in error && error.code === 'ERR_IP_BLOCKED'
}

/** Reading the system's authorities takes 20 ms of CPU: connections share a context, one for each file beside them. */
const contexts = new Map<string | undefined, SecureContext>()

function openContext(ca: string | undefined): SecureContext {
  const known = contexts.get(ca)
  if (known !== undefined) return known
  const authorities = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }
  const context = createSecureContext({ minVersion: 'TLSv1.2', ...authorities })
  contexts.set(ca, context)
  return context
}

/** `tls.connect` ignores `blockList`: so TCP is dialled first, and TLS runs on that socket. */
function upgradeToTls(
  tcp: Socket,
  host: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const options: ConnectionOptions = {
    socket: tcp,
    host,
    secureContext,
    ALPNProtocols: ['http/1.1'],
    // The default, but the environment can turn the default off.
    rejectUnauthorized: true,
  }
  return waitUntilOpen(connectTls(isIP(host) ? options : { ...options, servername: host }), 'secureConnect', signal)
}

const maxChecked = 1000

/** A URL breaks a rule or does not, as long as the settings stay the same. Checking one takes 20 µs. */
function remember(check: Guard['check']): Guard['check'] {
  const checked = new LRUCache<string, { readonly brokenRule: string | null }>({
    max: maxChecked,
    memoMethod: url => ({ brokenRule: check(url) }),
  })
  return url => checked.memo(url).brokenRule
}

export function createGuard({ allow = [], ca, lookup, nameServers, proxy = null }: GuardOptions = {}): Guard {
  return {
    check: remember(url => checkDestination(url, allow)),
    async dial(url, signal) {
      const scope = addressScope(url, allow)
      const host = normaliseHostname(url.hostname)
      const ownLookup = scope === 'public' ? cancellableLookup(signal, nameServers) : queuedSystemLookup(signal)
      const resolve = guardedLookup(lookup ?? ownLookup, scope)
      if (isIP(host) !== 0 && judgeAddress(host, scope) === 'blocked') {
        throw new DestinationError('the address may not be called')
      }
      try {
        const wanted = { host, port: getPort(url), lookup: resolve, signal }
        const { socket, address } =
          proxy !== null && scope === 'public'
            ? await openTunnel({ url: proxy, secureContext: openContext(ca) }, wanted)
            : toDialled(await dialTcp({ ...wanted, scope }))
        const isSecure = url.protocol === 'https:'
        return { socket: isSecure ? await upgradeToTls(socket, host, openContext(ca), signal) : socket, address }
      } catch (error) {
        throw isBlocked(error) ? new DestinationError('the address may not be called') : error
      }
    },
  }
}

/** The first address of each special block and span, and IPv4 addresses within IPv6 ones. */
const blockedSamples: readonly string[] = [
  ...[...specialBlocksV4, ...specialBlocksV6, ...specialSpansV6].map(([first]) => first),
  ...['::1', '::7f00:1', '::ffff:10.0.0.1', '::ffff:1.1.1.1', '64:ff9b::a00:1', '2002:7f00:1::', 'fe80::1'],
]
const allowedSamples: readonly string[] = [
  ...['1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450::1'],
  '64:ff9b::5db8:d70e',
]

function resolveTo(address: string): LookupFunction {
  return (_name, options, callback) =>
    options.all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address))
}

/**
 * Runs before the first delivery. It rejects unless this runtime blocks special addresses, by our table and by the block
 * list of `net.connect`, for a literal and for a resolved name. It dials only the discard port of the loopback.
 */
export async function selfTestGuard(): Promise<void> {
  const wrong = [
    ...blockedSamples.filter(address => judgeAddress(address) !== 'blocked'),
    ...allowedSamples.filter(address => judgeAddress(address) !== 'allowed'),
  ]
  const signal = new AbortController().signal
  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['receiver.invalid', '127.0.0.1'],
    ['receiver.invalid', '::1'],
  ] as const) {
    const dialling = dialTcp({ host, port: 9, scope: 'public', lookup: resolveTo(address), signal })
    const blocked = await dialling.then(socket => !socket.destroy(), isBlocked)
    if (!blocked) wrong.push(host)
  }
  if (wrong.length > 0) throw new Error(`webhook guard: this runtime misjudges ${wrong.join(', ')}`)
}
