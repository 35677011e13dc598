import { lookup as systemLookup } from 'node:dns'
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import { type ConnectionOptions, connect as connectTls, getCACertificates, type TLSSocket } from 'node:tls'
import { type AddressScope, fences, judgeAddress } from './addresses.ts'
import { addressScope, bareHost, checkDestination, portOf } from './destination.ts'
import { cancellableLookup } from './resolve.ts'

/** The only way out to a receiver: every address is judged in the moment of dialling it. */
export interface Guard {
  /** The rule that `url` breaks today (settings change after a URL was stored), or null. */
  check(url: string): string | null
  /** A connection to the host of `url`, over TLS for https. Rejects with `DestinationError` before any packet leaves. */
  dial(url: URL, signal: AbortSignal): Promise<Socket | TLSSocket>
}

/**
 * `allow`: `WEBHOOK_ALLOW_HOSTS`. `ca`: PEM of further authorities. `lookup`: name resolution; by default the system's
 * for hosts that the operator allows (they may stand in its host file), and `nameServers`, or the system's, for all others.
 */
export interface GuardOptions {
  allow?: readonly string[]
  ca?: string
  lookup?: LookupFunction
  nameServers?: readonly string[]
}

/** The host has no address that may be dialled. */
export class DestinationError extends Error {
  override name = 'DestinationError'
  readonly code = 'DESTINATION_REFUSED'
}

/** Lets through only the addresses that may be dialled. The fence of `net.connect` stands behind it and sees literals. */
const guardedLookup =
  (lookup: LookupFunction, reach: AddressScope): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const all = (typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found) ?? []
      const allowed = all.filter(entry => judgeAddress(entry.address, reach) === 'allowed')
      const [first] = allowed
      if (first === undefined) {
        return callback(new DestinationError('the name resolves to no address that may be called'), '')
      }
      if (options.all) return callback(null, allowed)
      callback(null, first.address, first.family)
    })

interface Dialling {
  host: string
  port: number
  reach: AddressScope
  lookup: LookupFunction
  signal: AbortSignal
}

const opened = <S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.destroy(new Error('called off'))
    }
    const failed = (error: Error): void => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(error)
    }
    socket.once('error', failed)
    socket.once(event, () => {
      signal.removeEventListener('abort', abort)
      socket.off('error', failed)
      resolve(socket)
    })
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })

const dialTcp = ({ host, port, reach, lookup, signal }: Dialling): Promise<Socket> => {
  const options: TcpNetConnectOpts = { host, port, lookup, blockList: fences[reach], autoSelectFamily: true }
  return opened(connect(options), 'connect', signal)
}

/** An error of Node's fence, alone or as all that a dial to several addresses met. */
const isBlocked = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isBlocked)
  return error instanceof Error && 'code' in error && error.code === 'ERR_IP_BLOCKED'
}

/** `tls.connect` ignores a `blockList` silently: TCP is dialled first, behind the fence, and TLS goes onto that socket. */
const upgrade = (tcp: Socket, host: string, ca: readonly string[], signal: AbortSignal): Promise<TLSSocket> => {
  const options: ConnectionOptions = {
    socket: tcp,
    host,
    ca: [...ca],
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Said although it is the default: the environment can turn the default off.
    rejectUnauthorized: true,
  }
  return opened(connectTls(isIP(host) ? options : { ...options, servername: host }), 'secureConnect', signal)
}

/** A guard for one set of settings. The authorities are read once. */
export const createGuard = ({ allow = [], ca, lookup, nameServers }: GuardOptions = {}): Guard => {
  const authorities = [...getCACertificates('default'), ...(ca ? [ca] : [])]
  return {
    check: url => checkDestination(url, allow),
    async dial(url, signal) {
      const reach = addressScope(url, allow)
      const host = bareHost(url.hostname)
      const own = reach === 'public' ? cancellableLookup(signal, nameServers) : (systemLookup as LookupFunction)
      const resolve = guardedLookup(lookup ?? own, reach)
      if (isIP(host) !== 0 && judgeAddress(host, reach) === 'refused') {
        throw new DestinationError('the address may not be called')
      }
      try {
        const tcp = await dialTcp({ host, port: portOf(url), reach, lookup: resolve, signal })
        return url.protocol === 'https:' ? await upgrade(tcp, host, authorities, signal) : tcp
      } catch (error) {
        throw isBlocked(error) ? new DestinationError('the address may not be called') : error
      }
    },
  }
}

const must_be_refused: readonly string[] = [
  ...[
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
  ],
  ...['224.0.0.1', '255.255.255.255', '::', '::1', '::7f00:1', '::ffff:10.0.0.1', '::ffff:1.1.1.1', '64:ff9b::a00:1'],
  ...['2001::1', '2002:7f00:1::', 'fc00::1', 'fe80::1', 'fec0::1', 'ff02::1'],
]
const must_be_allowed: readonly string[] = ['1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450::1']

const answering =
  (address: string): LookupFunction =>
  (_name, options, callback) =>
    options.all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address))

/**
 * To be awaited before the first delivery: rejects unless this runtime really refuses special addresses, by our table and
 * by its own fence in `net.connect`, for a literal and for a resolved name. It dials nothing but loopback's discard port.
 */
export const selfTestGuard = async (): Promise<void> => {
  const wrong = [
    ...must_be_refused.filter(address => judgeAddress(address) !== 'refused'),
    ...must_be_allowed.filter(address => judgeAddress(address) !== 'allowed'),
  ]
  const signal = new AbortController().signal
  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['receiver.invalid', '127.0.0.1'],
    ['receiver.invalid', '::1'],
  ] as const) {
    const dialling = dialTcp({ host, port: 9, reach: 'public', lookup: answering(address), signal })
    const refused = await dialling.then(socket => !socket.destroy(), isBlocked)
    if (!refused) wrong.push(host)
  }
  if (wrong.length > 0) throw new Error(`webhook guard: this runtime misjudges ${wrong.join(', ')}`)
}
