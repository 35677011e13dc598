/**
 * The floor of a lifecycle: the same rows in as many commits, by hand. With no XState, Koa, validation, sealing or image
 * check. Driven by itself, or over bare `node:http` by the same load as the service.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readConfig } from '../../src/config.ts'
import { openFloor } from './floor_commit.ts'
import { capture, due, type FloorTransaction, finish, newCustomer, newTransaction, noDue, send } from './floor_steps.ts'
import { smallPhoto } from './lifecycle_load.ts'
import { answerQuestions, cpuMilliseconds } from './measure.ts'

const { BENCH_STYLE, ...environment } = process.env
const database = openFloor(readConfig(environment).DATABASE_URL, BENCH_STYLE === 'tuned' ? 'tuned' : 'plain')
const photo = await smallPhoto()

const complete = async (transaction: FloorTransaction): Promise<void> =>
  send(database, transaction, [noDue(transaction, 'ttl'), due(transaction, 'admission', 'admission', 0)])
const challenge = async (transaction: FloorTransaction): Promise<void> =>
  send(database, transaction, [due(transaction, 'timer', 'challenge', 120_000)])

/** Commits of one lifecycle, as `capture`, `finish` and the rest make them. */
const commitsEach = 14

const lifecycle = async (until: number): Promise<void> => {
  const customer_id = await newCustomer(database)
  const transaction = await newTransaction(database, customer_id)
  const steps = [
    () => capture(database, transaction),
    () => capture(database, transaction),
    () => capture(database, transaction, photo),
    () => capture(database, transaction, photo),
    () => challenge(transaction),
    () => capture(database, transaction, photo),
    () => capture(database, transaction, photo, [noDue(transaction, 'challenge')]),
    () => complete(transaction),
    () => finish(database, transaction, customer_id),
    () => database.read({ sql: 'SELECT * FROM transactions WHERE id = ?', values: [transaction.id] }),
  ]
  // A round that is over leaves a lifecycle half done; it is counted by its commits.
  for (const step of steps) if (performance.now() < until) await step()
}

interface Open {
  readonly transaction: FloorTransaction
  readonly customer_id: string
  finished: Promise<void>
}
const open = new Map<string, Open>()

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const ofIntegrator = async (path: string, body: Buffer): Promise<object> => {
  if (path.endsWith('/customer')) return { customer_id: await newCustomer(database) }
  if (!path.endsWith('/transaction')) {
    const [, id = ''] = path.split('/transaction/')
    await database.read({ sql: 'SELECT * FROM transactions WHERE id = ?', values: [id] })
    open.delete(id)
    return { status: 'FINISHED' }
  }
  const { customer_id } = JSON.parse(body.toString()) as { customer_id: string }
  const transaction = await newTransaction(database, customer_id)
  open.set(transaction.id, { transaction, customer_id, finished: Promise.resolve() })
  return { transaction_id: transaction.id, sdk_token: transaction.id }
}

const ofDevice = async (path: string, body: Buffer, session: Open): Promise<object> => {
  const { transaction, customer_id } = session
  if (path.endsWith('/liveness/challenge')) await challenge(transaction)
  else if (path.endsWith('/result')) await session.finished
  else if (path.endsWith('/complete')) {
    await complete(transaction)
    session.finished = finish(database, transaction, customer_id)
  } else await capture(database, transaction, body, path.endsWith('/1') ? [noDue(transaction, 'challenge')] : [])
  return { challenge_id: randomUUID() }
}

const server = createServer(async (request, response) => {
  const [path = ''] = (request.url ?? '').split('?')
  const session = open.get(request.headers.authorization?.slice('Bearer '.length) ?? '')
  const body = await bodyOf(request)
  const answer = await (session === undefined ? ofIntegrator(path, body) : ofDevice(path, body, session))
  const text = JSON.stringify(answer)
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text)
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

answerQuestions({
  ready: () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, access_token: 'none' }),
  usage: () => ({ cpu_ms: cpuMilliseconds(), ...database.counted }),
  run: async ({ concurrency, seconds }: { concurrency: number; seconds: number }) => {
    const began = performance.now()
    const before = database.counted.commits
    const until = began + seconds * 1000
    const one = async (): Promise<void> => {
      while (performance.now() < until) {
        await lifecycle(until)
        // Lets the group commits of other lifecycles, and messages, have their turn.
        await new Promise(resolve => setImmediate(resolve))
      }
    }
    await Promise.all(Array.from({ length: concurrency }, one))
    return ((database.counted.commits - before) / commitsEach / (performance.now() - began)) * 1000
  },
})
