/**
 * `node lab/bench/deliveries_killed.ts [deliveries] [deaths]`: a node is killed with SIGKILL again and again while it
 * makes deliveries. Exits 0 only if none is missing. On SQLite, or on the server that `TEST_MYSQL_URL` names.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from 'durable-xstate-sql'
import { eachDialect } from '../../test/database.ts'
import { seed } from './deliveries_seed.ts'
import { machine, startProgram, urlOf } from './measure.ts'

const [deliveries = 10_000, deaths = 10] = process.argv.slice(2).map(Number)
const engine = eachDialect.at(-1)
if (engine === undefined) throw new Error('no database')
const receiver = startProgram('deliveries_receiver.ts', {})
const { alive } = await receiver.ask<{ alive: number[] }>('open', { alive: 20, dead: 0 })
const { address, drop } = await engine.fresh()
await seed(
  address,
  alive.map(port => `http://127.0.0.1:${port}/hook`),
  Math.ceil(deliveries / alive.length),
)

const env = {
  PATH: process.env.PATH,
  DATABASE_URL: urlOf(address),
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  PORT: '0',
  ROLES: 'worker',
  LOG_LEVEL: 'error',
  WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  LEASE_SECONDS: '2',
}

function heard() {
  return receiver.ask<{ count: number; different: number }>('heard')
}

function launch() {
  return fork(join(import.meta.dirname, 'deliveries_worker.ts'), [], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

const began = performance.now()
for (let death = 1; death <= deaths; death++) {
  const node = launch()
  const goal = Math.floor((deliveries * death) / (deaths + 1))
  while ((await heard()).different < goal && node.exitCode === null) await pause(20)
  node.kill('SIGKILL')
  await once(node, 'exit')
}
const last = launch()
const until = performance.now() + 240_000
while ((await heard()).different < deliveries && performance.now() < until) await pause(100)
await pause(3000)
const store = await openStore(address, 2)
const rows = await store.read({ sql: 'SELECT status, COUNT(*) AS many FROM deliveries GROUP BY status', values: [] })
await store.close()
last.kill('SIGKILL')
await once(last, 'exit')
const { count, different } = await heard()
await receiver.end()
await drop()
const seconds = ((performance.now() - began) / 1000).toFixed(0)
console.log(`${machine()}; ${engine.name}`)
console.log(
  `${deliveries} deliveries, ${deaths} kills, ${seconds} s: ${deliveries - different} missing, ${count - different} received twice; ` +
    rows.map(({ status, many }) => `${status} ${many}`).join(', '),
)
process.exitCode = different === deliveries ? 0 : 1
