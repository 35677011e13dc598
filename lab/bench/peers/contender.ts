import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { answerQuestions, treeCpuMilliseconds } from '../measure.ts'
import type { PeerEvent } from './chart.ts'

/** The options of a process of the bench, as JSON in its environment. */
export interface PeerOptions {
  /** Address for the one notification of each lifecycle. */
  readonly hook: string
  /** An empty folder for its data. */
  readonly data: string
  /** Folder of the peers' packages. */
  readonly packages: string
}

/** The same analysis for all: the bench measures the durability. */
export async function analyse(): Promise<{ decision: string }> {
  return { decision: 'APPROVED' }
}

export async function notify(hook: string, id: string): Promise<null> {
  const { statusCode, body } = await request(hook, { method: 'POST', body: JSON.stringify({ id, status: 'FINISHED' }) })
  await body.dump()
  if (statusCode >= 300) throw new Error(`the receiver answered ${statusCode}`)
  return null
}

export function readOptions(): PeerOptions {
  return JSON.parse(process.env.PEER_OPTIONS ?? '')
}

/** A contender's handlers of calls. */
export interface Contender {
  create(id: string): Promise<unknown>
  send(id: string, event: PeerEvent): Promise<unknown>
  readStatus(id: string): Promise<unknown>
}

async function readBody(asked: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of asked) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** Sends its address, and answers with the CPU time that it and its children have used. */
export function answerBench(url: string): void {
  answerQuestions({ ready: () => url, usage: () => treeCpuMilliseconds(process.pid) })
}

/** Puts a bare `node:http` in front of a contender without a server of its own. */
export async function serve({ create, send, readStatus }: Contender): Promise<void> {
  const answer = async (asked: IncomingMessage): Promise<unknown> => {
    const [, , id = '', what] = (asked.url ?? '').split('/')
    const body = await readBody(asked)
    if (what === 'status') return readStatus(id)
    if (what === 'create') await create(id)
    else await send(id, JSON.parse(body))
    return null
  }
  const server = createServer(async (asked, response) => {
    const [status, body] = await answer(asked).then(
      value => [200, value],
      (error: Error) => [500, error.message],
    )
    const text = JSON.stringify(body)
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
    response.writeHead(Number(status), headers).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  answerBench(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
