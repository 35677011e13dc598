import { createServer as createPlain, type RequestListener, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import type { Clock } from '../../src/base/clock.ts'

/** A self-signed certificate for the names and addresses given. */
export async function makeCertificate(names: readonly string[], ips: readonly string[], after?: Date) {
  const altNames = [...names.map(value => ({ type: 2 as const, value })), ...ips.map(ip => ({ type: 7 as const, ip }))]
  return generate([{ name: 'commonName', value: names[0] ?? 'receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...(after ? { notBeforeDate: new Date(after.getTime() - 86_400_000), notAfterDate: after } : {}),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  })
}

export interface Receiver {
  port: number
  connections: () => number
  close(): Promise<void>
}

async function listen(server: Server): Promise<Receiver> {
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A receiver on loopback, over TLS with the certificate given or else plain. */
export function startReceiver(
  handler: RequestListener,
  certificate?: { private: string; cert: string },
): Promise<Receiver> {
  return listen(
    certificate ? createServer({ key: certificate.private, cert: certificate.cert }, handler) : createPlain(handler),
  )
}

/** A clock that stands still until it is turned. */
export function turnedClock(start = Date.parse('2026-11-21T05:00:00.000Z')) {
  let at = start
  const timers = new Set<{ due: number; fire: () => void }>()
  const clock: Clock = {
    now: () => at,
    monotonic: () => at,
    setTimer(delay_ms, fire) {
      const timer = { due: at + delay_ms, fire }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  return {
    ...clock,
    pending: () => timers.size,
    advance(ms: number) {
      at += ms
      for (const timer of [...timers].filter(({ due }) => due <= at)) {
        timers.delete(timer)
        timer.fire()
      }
    },
  }
}
