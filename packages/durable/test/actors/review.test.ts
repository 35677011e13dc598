import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { insert, schema } from '../../../../src/database/schema.ts'
import { poll } from '../../../../test/awaited.ts'
import { manualClock } from '../../../../test/clock.ts'
import { eachDialect, type TestEngine } from '../../../../test/database.ts'
import { DurableError } from '../../errors.ts'
import { openMysql } from '../../store/mysql.ts'
import type { MysqlAddress } from '../../store/mysql_address.ts'
import { hasPendingMigrations } from '../../store/source.ts'
import { runAll } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'

/** A network in front of a server that can swallow packets: earlier connections then never get an answer. */
async function openNetwork(t: ExecutionContext, { host, port }: MysqlAddress) {
  let swallows = false
  const lines = new Set<Socket>()
  const deaf = new WeakSet<Socket>()
  const server = createServer(near => {
    const far = connect(port, host)
    const pass = (from: Socket, to: Socket): void => {
      lines.add(from)
      from.on('error', () => {}).on('close', () => to.destroy())
      from.on('data', packet => {
        if (swallows) deaf.add(near)
        if (!deaf.has(near)) to.write(packet)
      })
    }
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const line of lines) line.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    swallow(on: boolean) {
      swallows = on
    },
  }
}

async function mysqlAddress(t: ExecutionContext, engine: TestEngine): Promise<MysqlAddress> {
  const { address, drop } = await engine.fresh()
  t.teardown(drop)
  if (address.dialect !== 'mysql') throw new Error('not a server')
  return address
}

function isUnavailable(outcome: PromiseSettledResult<unknown>): boolean {
  return (
    outcome.status === 'rejected' && outcome.reason instanceof DurableError && outcome.reason.code === 'unavailable'
  )
}

function one(store: Store) {
  return store.read({ sql: 'SELECT 1 AS one', values: [] })
}

for (const engine of eachDialect.filter(({ name }) => name === 'MariaDB')) {
  const on = `On ${engine.name}: `

  test(`${on}a network that swallows packets costs errors in time, and no connection for good`, async t => {
    const address = await mysqlAddress(t, engine)
    const network = await openNetwork(t, address)
    const clock = manualClock()
    const patience = { clock, limitMs: 2500 }
    const store = openMysql({ ...address, host: '127.0.0.1', port: network.port }, 2, { patience })
    await Promise.all([one(store), one(store)])
    network.swallow(true)
    const asked = Promise.allSettled([
      one(store),
      store.read({ sql: 'SELECT 2 AS two', values: [] }),
      store.commit(() => runAll([insert('facts', { name: 'a', value: 'b' })])),
      one(store),
    ])
    let over = false
    void asked.then(() => {
      over = true
    })
    await poll(
      () => over,
      async () => {
        await new Promise(setImmediate)
        await clock.advance(patience.limitMs)
      },
    )
    t.deepEqual((await asked).map(isUnavailable), [true, true, true, true])
    network.swallow(false)
    t.deepEqual(await one(store), [{ one: 1 }])
    await store.commit(() => runAll([insert('facts', { name: 'a', value: 'b' })]))
    await store.close()
  })

  test(`${on}a server’s own mode decides neither how values are quoted nor whether they are cut`, async t => {
    const store = openMysql(await mysqlAddress(t, engine), 2)
    t.teardown(store.close)
    const sql = 'SELECT @@sql_mode AS mode, @@tx_isolation AS isolation'
    const mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'
    t.deepEqual(await store.read({ sql, values: [] }), [{ mode, isolation: 'READ-COMMITTED' }])
  })
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  return (await Promise.race([once(child, 'message'), once(child, 'exit')]))[0]
}

for (const engine of eachDialect.filter(({ name }) => name === 'SQLite'))
  test(`On ${engine.name}: processes that start at once on a new database all find it migrated`, async t => {
    const { address, drop } = await engine.empty()
    t.teardown(drop)
    const file = address.dialect === 'sqlite' ? address.file : ''
    const child = (): ChildProcess =>
      fork(join(import.meta.dirname, 'migrating_process.ts'), [file], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    const children = [child(), child(), child()]
    t.teardown(() => children.map(started => started.kill()))
    const printed: string[] = []
    for (const started of children) started.stdout?.on('data', chunk => printed.push(String(chunk)))
    await Promise.all(children.map(nextMessage))
    for (const started of children) started.send('go')
    const outcomes = (await Promise.all(children.map(nextMessage))) as { ran?: number }[]
    t.deepEqual(
      outcomes.map(({ ran }) => typeof ran),
      ['number', 'number', 'number'],
    )
    t.false(await hasPendingMigrations(address, schema))
    t.deepEqual(printed, [])
  })
