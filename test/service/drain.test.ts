import test from 'ava'
import { openStore } from 'durable-xstate-sql'
import { Client } from 'undici'
import { callTo } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { kyc, requestToken } from './client.ts'
import { attestor, startChild, urlOf } from './programs.ts'

const callers = 16
const beforeStop = 5
/** Far more than a stop leaves time for: a caller that gets here was never refused. */
const maxCalls = 2000
/** So long a stopping node serves kept connections (`lingerMs` of `src/node/start_node.ts`). */
const lingerMs = 1000

/** The outcome of a caller: the customers that it created, and how its last call ended. */
interface CallerRecord {
  readonly customer_ids: string[]
  readonly statuses: number[]
  readonly error: string
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Registers customers over one kept connection without a pause, until a connection is refused. */
async function callOn(url: string, token: string, name: string, onAnswer: () => void): Promise<CallerRecord> {
  const client = new Client(url, { pipelining: 1 })
  let answered = 0
  let previousAt = 0
  let calledAt = 0
  client.on('connect', () => {
    answered = 0
  })
  const customer_ids: string[] = []
  const statuses: number[] = []
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  try {
    for (let n = 0; n < maxCalls; n++) {
      const body = JSON.stringify({ external_customer_id: `${name}-${n}` })
      previousAt = calledAt
      calledAt = performance.now()
      const answer = await client.request({ method: 'POST', path: `${kyc}/customer`, headers, body })
      const created = (await answer.body.json()) as { customer_id?: string }
      statuses.push(answer.statusCode)
      if (created.customer_id !== undefined) customer_ids.push(created.customer_id)
      answered++
      onAnswer()
    }
    return { customer_ids, statuses, error: 'was never refused' }
  } catch (error) {
    const code = codeOf(error)
    // A busy machine may delay an answer, or the call after it, for so long that the connection is an idle one. It was
    // answered after the call before the last began, so within this time no connection was idle for too long.
    // A new connection may be reset before it is known as one: then the call to connect fails.
    const isNew = error instanceof Error && 'syscall' in error && error.syscall === 'connect'
    const isBroken = !isNew && answered > 0 && performance.now() - previousAt < lingerMs
    return { customer_ids, statuses, error: isBroken ? `${code} after ${answered} answers: ${error}` : code }
  } finally {
    await client.destroy()
  }
}

for (const engine of oneDialect)
  test(`On ${engine.name} a node that is stopped under load completes every call that it accepted, and forgets none`, async t => {
    const database = await engine.fresh()
    t.teardown(database.drop)
    const key = Buffer.alloc(32, 9).toString('base64')
    const environment = { PORT: '0', DATABASE_URL: urlOf(database), MASTER_KEY: key, RATE_LIMIT_WRITES: '0' }
    const account = JSON.parse((await attestor(['account', 'create', '--name', 'Acme', '--json'], environment)).stdout)
    const program = startChild(environment, 0)
    t.teardown(() => program.child.kill('SIGKILL'))
    const url = await program.ready()
    const token = await requestToken(
      callTo(() => url),
      account,
    )
    const busy = Promise.withResolvers<void>()
    let answers = 0
    const calls = Array.from({ length: callers }, (_, n) =>
      callOn(url, token, `caller-${n}`, () => ++answers === callers * beforeStop && busy.resolve()),
    )
    await busy.promise
    program.child.kill('SIGTERM')
    const all = await Promise.all(calls)
    t.is(await program.ended, 0)
    for (const { error, statuses } of all) {
      // A connection that waits to be accepted is reset; one that was accepted is answered on.
      t.regex(error, /^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/)
      t.deepEqual(new Set(statuses), new Set([201]))
    }
    const store = await openStore(database.address, 1)
    t.teardown(() => store.close())
    const rows = await store.read({
      sql: 'SELECT id FROM customers WHERE account_id = ?',
      values: [account.account_id],
    })
    t.deepEqual(rows.map(({ id }) => String(id)).sort(), all.flatMap(({ customer_ids }) => customer_ids).sort())
  })
