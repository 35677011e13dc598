/** Receivers on loopback ports in a process of their own; the dead ones accept a connection and never answer. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions } from './measure.ts'

/** The webhooks that came in: when, after which wait, and for which deliveries. */
interface Heard {
  count: number
  first_at: number
  last_at: number
  delays_ms: number[]
  readonly ids: Map<string, number>
}

function fresh(): Heard {
  return { count: 0, first_at: 0, last_at: 0, delays_ms: [], ids: new Map() }
}

let heard = fresh()
const servers: Server[] = []

function hear(id: string, text: string): void {
  const now = Date.now()
  if (heard.count === 0) heard.first_at = now
  heard.count++
  heard.last_at = now
  heard.ids.set(id, (heard.ids.get(id) ?? 0) + 1)
  const { occurred_at } = JSON.parse(text) as { occurred_at: string }
  heard.delays_ms.push(now - Date.parse(occurred_at))
}

async function open(isDead: boolean): Promise<number> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (isDead) return
    hear(String(request.headers['x-delivery-id']), Buffer.concat(chunks).toString())
    response.writeHead(204).end()
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(0, '127.0.0.1', 4096)
  await once(server, 'listening')
  servers.push(server)
  return (server.address() as AddressInfo).port
}

function openAll(count: number, isDead: boolean): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => open(isDead)))
}

answerQuestions({
  open: async ({ alive, dead }: { alive: number; dead: number }) => ({
    alive: await openAll(alive, false),
    dead: await openAll(dead, true),
  }),
  heard: () => {
    const { ids, ...counts } = heard
    return { ...counts, different: ids.size }
  },
  forget: () => {
    heard = fresh()
    return null
  },
})
// The process that started it has ended.
process.once('disconnect', () => process.exit(0))
