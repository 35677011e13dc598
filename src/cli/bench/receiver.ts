import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../base/clock.ts'

/** A receiver of webhooks on this machine that accepts each. */
export interface Receiver {
  readonly url: string
  /** When each came, by the monotonic clock. */
  readonly times: readonly number[]
  close(): void
}

export const openReceiver = async (): Promise<Receiver> => {
  const times: number[] = []
  const server = createServer((call, response) => {
    times.push(systemClock.monotonic())
    call.resume().on('end', () => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, times, close }
}
