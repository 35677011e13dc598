import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Accepts every webhook, and knows when each status of each transaction came first. */
export interface Receiver {
  readonly url: string
  /** Wall-clock milliseconds by `transaction status`. */
  readonly firsts: ReadonlyMap<string, number>
  readonly count: () => number
  close(): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const firsts = new Map<string, number>()
  let count = 0
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { transaction_id, status } = JSON.parse(Buffer.concat(parts).toString())
    count += 1
    const key = `${transaction_id} ${status}`
    if (!firsts.has(key)) firsts.set(key, Date.now())
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    firsts,
    count: () => count,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
