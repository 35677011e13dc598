import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { OutboundClock } from './clock.ts'
import type { Dialled, Guard } from './guard.ts'

/** `connected` ends the time for dialling, `stop` the attempt. */
interface AttemptBounds {
  readonly signal: AbortSignal
  connected(): void
  stop(reason: string): void
}

interface ConnectionRequest {
  readonly guard: Guard
  readonly url: URL
  readonly bounds: AttemptBounds
  /** Accounts never share connections. */
  readonly owner: string
}

/** A connection to one origin. It is dialled on first use, and again if its other end has closed it. */
export interface Connection {
  readonly client: Client
  /** The address that was dialled, null before. */
  address(): string | null
  isReused(): boolean
  /** The bytes that have arrived in this attempt, as far as a response's head may reach. */
  received(): Buffer
  /** `isWhole`: the response was read to its end. */
  release(isWhole: boolean): void
}

/** Each connection serves one attempt at a time. */
export interface Connections {
  /** If false, requests carry `Connection: close`. */
  readonly keeps: boolean
  take(wanted: ConnectionRequest): Connection
}

/**
 * The most bytes that are read in an attempt. The body has a limit of its own, but interim responses, blank lines and
 * chunk extensions do not, and ten seconds of them are hundreds of megabytes.
 */
const maxResponseBytes = 256 * 1024

/** The longest head of a response that is read. Node's own limit, 16 KiB, is less than some gateways send. */
const maxHeadBytes = 64 * 1024

/** Receivers close idle connections after 5 s or more; after `maxUses` the name is resolved again. */
const idleMs = 2_000
const maxUses = 100
const maxIdle = 256

/** One error for all clients: undici would create one with a stack for each. */
const attemptOver = new Error('the attempt has ended')

interface PooledConnection extends Omit<Connection, 'release'> {
  readonly key: string
  begin(bounds: AttemptBounds): void
  isOpen(): boolean
  mayServeAgain(): boolean
  end(): void
}

function openConnection(key: string, { guard, url, bounds: first }: ConnectionRequest): PooledConnection {
  let bounds = first
  let socket: Socket | null = null
  let address: string | null = null
  let bytesBefore = 0
  let received: Buffer[] = []
  let receivedBytes = 0
  let hasDialled = false
  let uses = 0
  const opened = ({ socket: dialled, address: dialledAddress }: Dialled): Socket => {
    socket = dialled
    address = dialledAddress
    bytesBefore = dialled.bytesRead
    bounds.connected()
    const read = dialled.read.bind(dialled)
    dialled.read = size => {
      const chunk: Buffer | null = read(size)
      if (chunk !== null && receivedBytes < maxHeadBytes) {
        received.push(chunk)
        receivedBytes += chunk.length
      }
      return chunk
    }
    dialled.on('readable', () => {
      if (dialled.bytesRead - bytesBefore > maxResponseBytes) bounds.stop('the response is too large')
    })
    return dialled
  }
  const client = new Client(url.origin, {
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: maxHeadBytes,
    // The attempt has its own deadline, on the injected clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      hasDialled = true
      guard.dial(url, bounds.signal).then(
        dialled => callback(null, opened(dialled)),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      )
    },
  })
  const isOpen = (): boolean => socket?.writable === true && socket.readable
  return {
    client,
    key,
    address: () => address,
    isReused: () => uses > 1 && !hasDialled,
    received: () => Buffer.concat(received).subarray(0, maxHeadBytes),
    isOpen,
    mayServeAgain: () => isOpen() && uses < maxUses,
    begin(next) {
      bounds = next
      hasDialled = false
      received = []
      receivedBytes = 0
      bytesBefore = socket?.bytesRead ?? 0
      uses++
      if (isOpen()) bounds.connected()
    },
    end: () => void client.destroy(attemptOver),
  }
}

function toConnection(
  line: PooledConnection,
  { bounds }: ConnectionRequest,
  release: Connection['release'],
): Connection {
  line.begin(bounds)
  return { ...line, release }
}

export const singleUseConnections: Connections = {
  keeps: false,
  take(wanted) {
    const line = openConnection('', wanted)
    return toConnection(line, wanted, () => line.end())
  },
}

/**
 * The connections of one node, kept for a moment after a whole response: dialling, with the TLS handshake, costs both
 * sides more than a delivery. The address was checked when it was dialled; the URL is checked at every attempt.
 */
export function createConnectionPool(clock: OutboundClock): Connections {
  const idle = new Map<PooledConnection, () => void>()
  const takeIdle = (key: string): PooledConnection | null => {
    for (const [line, stopTimer] of idle) {
      if (line.key !== key) continue
      stopTimer()
      idle.delete(line)
      if (line.isOpen()) return line
      line.end()
    }
    return null
  }
  const keep = (line: PooledConnection): void => {
    const drop = (): void => {
      idle.delete(line)
      line.end()
    }
    idle.set(line, clock.setTimer(idleMs, drop))
  }
  return {
    keeps: true,
    take(wanted) {
      const key = `${wanted.owner} ${wanted.url.origin}`
      const line = takeIdle(key) ?? openConnection(key, wanted)
      return toConnection(line, wanted, isWhole =>
        isWhole && line.mayServeAgain() && idle.size < maxIdle ? keep(line) : line.end(),
      )
    },
  }
}
