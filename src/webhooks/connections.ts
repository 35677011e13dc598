import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Clock } from '../base/clock.ts'
import type { Guard } from './guard.ts'

/** The bounds of one attempt. `connected` ends the time for dialling, `stop` the attempt. */
export interface Bounds {
  readonly signal: AbortSignal
  connected(): void
  stop(reason: string): void
}

/** What an attempt is made through. */
export interface Wanted {
  readonly guard: Guard
  readonly url: URL
  readonly bounds: Bounds
  /** Whose delivery it is: nobody is served through another's connection. */
  readonly owner: string
}

/** A connection to one origin. It is dialled when it is first used, and again where its other end has closed it. */
export interface Connection {
  readonly client: Client
  /** The address that was dialled, null before. */
  address(): string | null
  /** It was open before this attempt, which has not dialled. */
  isReused(): boolean
  /** After the attempt; `is_whole` where its answer came to its end. */
  releaseBuffer(is_whole: boolean): void
}

/** Connections to receivers; each serves one attempt at a time. */
export interface Connections {
  /** False where each attempt is the only one of its connection, which the receiver is told. */
  readonly keeps: boolean
  take(wanted: Wanted): Connection
}

/**
 * All that a receiver can make us read in an attempt. The body is bounded for itself, but interim answers, blank lines and
 * what stands beside chunks are bounded by nobody else, and ten seconds of them are hundreds of megabytes.
 */
const most_bytes = 256 * 1024

/** Receivers close idle connections after 5 s and more; names are looked up anew at the latest after so many uses. */
const idle_ms = 2_000
const most_uses = 100
const most_idle = 256

/** Why each client ends. Made once: the library would make one with a stack for each. */
const is_over = new Error('the attempt is over')

interface Line extends Omit<Connection, 'releaseBuffer'> {
  readonly key: string
  begin(bounds: Bounds): void
  isOpen(): boolean
  mayServeAgain(): boolean
  end(): void
}

const openLine = (key: string, { guard, url, bounds: first }: Wanted): Line => {
  let bounds = first
  let socket: Socket | null = null
  let address: string | null = null
  let read_before = 0
  let has_dialled = false
  let uses = 0
  const opened = (dialled: Socket): Socket => {
    socket = dialled
    address = dialled.remoteAddress ?? null
    read_before = dialled.bytesRead
    bounds.connected()
    dialled.on('readable', () => {
      if (dialled.bytesRead - read_before > most_bytes) bounds.stop('the answer is too large')
    })
    return dialled
  }
  const client = new Client(url.origin, {
    allowH2: false,
    pipelining: 1,
    // The deadline is the attempt's, by the clock that it was given.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      has_dialled = true
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
    isReused: () => uses > 1 && !has_dialled,
    isOpen,
    mayServeAgain: () => isOpen() && uses < most_uses,
    begin(next) {
      bounds = next
      has_dialled = false
      read_before = socket?.bytesRead ?? 0
      uses++
      if (isOpen()) bounds.connected()
    },
    end: () => void client.destroy(is_over),
  }
}

const serve = (line: Line, { bounds }: Wanted, releaseBuffer: Connection['releaseBuffer']): Connection => {
  line.begin(bounds)
  return { ...line, releaseBuffer }
}

/** Every attempt is dialled anew. */
export const dialledAnew: Connections = {
  keeps: false,
  take(wanted) {
    const line = openLine('', wanted)
    return serve(line, wanted, () => line.end())
  },
}

/**
 * The connections of one node, kept for a moment after an answer that came whole: dialling anew, with the handshake of
 * TLS, costs both sides more than a delivery does. An address was judged when it was dialled, and nothing else is
 * reached through its open connection; whether the URL may still be called is asked at every attempt.
 */
export const keepConnections = (clock: Clock): Connections => {
  const idle = new Map<Line, () => void>()
  const takeIdle = (key: string): Line | null => {
    for (const [line, stopTimer] of idle) {
      if (line.key !== key) continue
      stopTimer()
      idle.delete(line)
      if (line.isOpen()) return line
      line.end()
    }
    return null
  }
  const keep = (line: Line): void => {
    const drop = (): void => {
      idle.delete(line)
      line.end()
    }
    idle.set(line, clock.setTimer(idle_ms, drop))
  }
  return {
    keeps: true,
    take(wanted) {
      const key = `${wanted.owner} ${wanted.url.origin}`
      const line = takeIdle(key) ?? openLine(key, wanted)
      return serve(line, wanted, is_whole =>
        is_whole && line.mayServeAgain() && idle.size < most_idle ? keep(line) : line.end(),
      )
    },
  }
}
