import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import type { PeerEvent } from './chart.ts'

/** A contender's calls over HTTP. */
export interface Calls {
  readonly create: string
  readonly send: string
  /** The body that an event travels in. */
  readonly wrap: (event: PeerEvent) => object
  readonly status: string
}

/** Receives the notifications, and resolves the lifecycles that wait for one. */
export interface Hook {
  readonly url: string
  wait(id: string): Promise<void>
  close(): Promise<void>
}

export async function openHook(): Promise<Hook> {
  const waiting = new Map<string, () => void>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { id } = JSON.parse(Buffer.concat(parts).toString()) as { id: string }
    response.writeHead(204).end()
    waiting.get(id)?.()
    waiting.delete(id)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    wait: id => new Promise(resolve => waiting.set(id, resolve)),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const digest = createHash('sha256').update('a photo').digest('hex')
const capture: PeerEvent = { type: 'CAPTURE', digest }
const events: readonly PeerEvent[] = [{ type: 'START' }, capture, capture, capture, capture, { type: 'COMPLETE' }]
/** A lifecycle without a notification after so long is lost. */
const patienceMs = 60_000

async function call(pool: Pool, path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`)
  return text
}

/**
 * Creates one lifecycle, sends its six events one after the other, waits for its notification, and reads its status.
 */
async function live(pool: Pool, calls: Calls, hook: Hook): Promise<void> {
  const id = randomUUID()
  const at = (path: string): string => path.replace(':id', id)
  const notified = hook.wait(id)
  await call(pool, at(calls.create), { input: { id } })
  for (const event of events) await call(pool, at(calls.send), calls.wrap(event))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${id} was never notified`)), patienceMs)
  })
  await Promise.race([notified, late]).finally(() => clearTimeout(timer))
  const status = await call(pool, at(calls.status), {})
  if (!/FINISHED|NOTIFIED/.test(status)) throw new Error(`${id} ended in ${status}`)
}

/**
 * Keeps so many lifecycles running until the time is over; those that have begun are ended. Resolves with their number.
 */
export async function keepBusy(
  url: string,
  { calls, hook, concurrency, seconds }: { calls: Calls; hook: Hook; concurrency: number; seconds: number },
): Promise<number> {
  const pool = new Pool(url, { connections: concurrency, pipelining: 1 })
  const until = performance.now() + seconds * 1000
  let count = 0
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      await live(pool, calls, hook)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  await pool.close()
  return count
}
