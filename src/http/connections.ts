import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import { toNetwork } from './rate_limits.ts'

export interface ConnectionLimits {
  readonly clock: Pick<Clock, 'setTimer'>
  /** Connections that one address, or one IPv6 network of 64 bits, may hold; 0 is unbounded. */
  readonly perAddress: number
  /** Connections in all. */
  readonly total: number
}

/** The ways in which this module ends a connection, each with a response if none has begun. */
export interface ConnectionEnds {
  /** It is one too many of its address, or of all. */
  readonly refuse: (socket: Socket, why: string) => void
  /** Its request's body does not come. */
  readonly endStalled: (socket: Socket) => void
}

const checkMs = 1000
/** A body that brings less in so many checks has stalled: half a kilobyte a second, less than any phone's network. */
const checksPerWindow = 15
const minWindowBytes = 8 * 1024

/** A request whose body is on its way. */
interface Receiving {
  readonly request: IncomingMessage
  bytesBefore: number
  checks: number
}

/** Whether the body waits for us: it has been received as far as it may before it is read. */
function isHeldByUs({ readableLength, readableHighWaterMark }: IncomingMessage): boolean {
  return readableLength >= readableHighWaterMark
}

/**
 * Demands progress of bodies. Checks are counted, not time: a node that is too busy to check is too busy to read.
 */
function watchBodies(server: Server, clock: ConnectionLimits['clock'], endStalled: ConnectionEnds['endStalled']): void {
  const receiving = new Map<Socket, Receiving>()
  let isChecking = false
  const isStalled = (socket: Socket, one: Receiving): boolean => {
    if (isHeldByUs(one.request)) one.checks = 0
    else one.checks++
    if (one.checks > 0 && one.checks < checksPerWindow) return false
    const bytes = socket.bytesRead - one.bytesBefore
    const hasStalled = one.checks > 0 && bytes < minWindowBytes
    one.checks = 0
    one.bytesBefore = socket.bytesRead
    return hasStalled
  }
  const check = (): void => {
    for (const [socket, one] of receiving) {
      if (one.request.complete || socket.destroyed) receiving.delete(socket)
      else if (isStalled(socket, one)) {
        receiving.delete(socket)
        endStalled(socket)
      }
    }
    isChecking = receiving.size > 0
    if (isChecking) clock.setTimer(checkMs, check)
  }
  server.on('request', request => {
    // A request without a body is complete in the same turn.
    setImmediate(() => {
      if (request.complete || request.socket.destroyed) return
      receiving.set(request.socket, { request, bytesBefore: request.socket.bytesRead, checks: 0 })
      if (isChecking) return
      isChecking = true
      clock.setTimer(checkMs, check)
    })
  })
}

/** Slow or idle connections of some must not keep out others. */
function limitConnections(
  server: Server,
  { perAddress, total }: ConnectionLimits,
  refuse: ConnectionEnds['refuse'],
): void {
  const openByNetwork = new Map<string, number>()
  /** Those without a request under way, the longest idle first. */
  const idle = new Set<Socket>()
  let open = 0
  server.on('connection', (socket: Socket) => {
    const network = toNetwork(socket.remoteAddress ?? '')
    const others = openByNetwork.get(network) ?? 0
    if (perAddress > 0 && others >= perAddress) return refuse(socket, 'too many connections from one address')
    if (open >= total) {
      const [longest] = idle
      if (longest === undefined) return refuse(socket, 'too many connections')
      idle.delete(longest)
      longest.destroy()
    }
    open++
    openByNetwork.set(network, others + 1)
    idle.add(socket)
    socket.once('close', () => {
      open--
      idle.delete(socket)
      const left = (openByNetwork.get(network) ?? 1) - 1
      if (left > 0) openByNetwork.set(network, left)
      else openByNetwork.delete(network)
    })
  })
  server.on('request', ({ socket }, response) => {
    idle.delete(socket)
    response.once('finish', () => {
      if (!socket.destroyed) idle.add(socket)
    })
  })
}

/**
 * Bounds the memory and the time that the connections of a server may hold. Must be called before other listeners are
 * added.
 */
export function boundConnections(server: Server, limits: ConnectionLimits, ends: ConnectionEnds): void {
  limitConnections(server, limits, ends.refuse)
  watchBodies(server, limits.clock, ends.endStalled)
}
