/**
 * `node lab/bench/upgrade.ts [SECONDS A PHASE]`, with `TEST_MYSQL_URL`, measures what an upgrade without a stop costs.
 * Two nodes of this build serve whole lifecycles with scripted analysis; the schema of a later build comes, its two
 * nodes take over one after the other, and the upgrade is finished, as docs/operate/upgrade.md says. The load goes on
 * throughout and calls every node in turn; one call that fails ends the bench. CPU is that of all nodes and their
 * children, the database's not.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from 'durable-xstate-sql'
import { Pool } from 'undici'
import { finishUpgrade } from '../../src/node/chart_versions.ts'
import { eachDialect } from '../../test/database.ts'
import { smallPhoto } from '../../test/small_photo.ts'
import { migrateToNext, nextCharts } from '../../test/upgrade/next_build.ts'
import { type Calls, type Load, lifecycle, send } from './lifecycle_load.ts'
import { machine, type Program, startProgram, table, urlOf } from './measure.ts'

const seconds = Number(process.argv[2] ?? 15)
const concurrency = 8

const engine = eachDialect.find(({ name }) => name === 'MariaDB')
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')
const database = await engine.fresh()
const settings = {
  DATABASE_URL: urlOf(database.address),
  MASTER_KEY: randomBytes(32).toString('base64'),
  PORT: '0',
}

interface BenchNode {
  readonly program: Program
  readonly pool: Pool
  readonly access_token: string
}

/** Nodes that the balancer calls. */
const nodes: BenchNode[] = []
/** CPU time of the nodes that have stopped. */
let spentCpu = 0

async function cpuOf({ program }: BenchNode): Promise<number> {
  return (await program.ask<{ cpu_ms: number }>('usage')).cpu_ms
}

async function startNode(build: 'this' | 'next'): Promise<string> {
  const began = performance.now()
  const program = startProgram('lifecycle_service.ts', { ...settings, BENCH_BUILD: build })
  const { url, access_token } = await program.ask<Omit<Load, 'photo'>>('ready')
  while (!(await fetch(`${url}/readyz`)).ok) await pause(50)
  const node = { program, pool: new Pool(url, { connections: concurrency }), access_token }
  nodes.push(node)
  const took = (performance.now() - began) / 1000
  const cpu = (await cpuOf(node)) / 1000
  return `${took.toFixed(1)} s until it was ready, ${cpu.toFixed(1)} CPU seconds`
}

/** Stops the oldest node; it leaves the balancer first. */
async function stopOldest(): Promise<string> {
  const began = performance.now()
  const node = nodes.shift()
  if (node === undefined) throw new Error('no node to stop')
  await node.program.ask('stop')
  spentCpu += await cpuOf(node)
  await node.program.end()
  await node.pool.close()
  return `${((performance.now() - began) / 1000).toFixed(1)} s until it had stopped`
}

let finished = 0
let isRunning = true
let turn = 0

/** People who are at work all the time: each call may reach another node. */
async function keepAtWork(photo: Buffer): Promise<void> {
  const [one] = nodes
  const load = { url: '', access_token: one?.access_token ?? '', photo }
  const call: Calls = made => {
    const node = nodes[turn++ % nodes.length]
    if (node === undefined) throw new Error('no node to call')
    return send(node.pool, made)
  }
  const work = async (): Promise<void> => {
    while (isRunning) {
      await lifecycle(call, load)
      finished++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

const rows: string[][] = []

async function watch(phase: string, work: () => Promise<unknown>): Promise<void> {
  const total = async (): Promise<number> => {
    let sum = spentCpu
    for (const node of nodes) sum += await cpuOf(node)
    return sum
  }
  const began = performance.now()
  const before = finished
  const start = await total()
  const summary = await work()
  const took = (performance.now() - began) / 1000
  const done = finished - before
  const each = ((await total()) - start) / done
  const said = typeof summary === 'string' ? `: ${summary}` : ''
  rows.push([`${phase}${said}`, took.toFixed(1), (done / took).toFixed(1), each.toFixed(1)])
}

function serve(): Promise<void> {
  return pause(seconds * 1000)
}

const store = await openStore(database.address, 2)

try {
  console.log(`${concurrency} at once; ${machine()}`)
  await startNode('this')
  await startNode('this')
  const working = keepAtWork(await smallPhoto())
  working.catch(() => {})
  const failed = working.then(() => {})
  const step = (phase: string, work: () => Promise<unknown>) => Promise.race([watch(phase, work), failed])
  await pause(5000)
  await step('two old nodes', serve)
  const began = performance.now()
  await step('the schema', () => migrateToNext(database.address))
  await step('a new node starts', () => startNode('next'))
  await step('an old one stops', stopOldest)
  await step('an old node and a new one', serve)
  await step('a new node starts', () => startNode('next'))
  await step('an old one stops', stopOldest)
  await step('two new nodes', serve)
  await step('migrate --finish', () => finishUpgrade(store, nextCharts))
  const took = (performance.now() - began) / 1000 - 2 * seconds
  await step('two new nodes with the new charts', () => pause(10_000).then(serve))
  isRunning = false
  await working
  console.log(table([['', 'seconds', 'lifecycles a second', 'CPU ms each'], ...rows]))
  const versions = await store.read({
    sql: 'SELECT chart_version AS v, status, COUNT(*) AS many FROM transactions GROUP BY chart_version, status',
    values: [],
  })
  console.log(versions.map(row => `${row.many} transactions on version ${row.v} are ${row.status}`).join('\n'))
  console.log(`The steps took ${took.toFixed(1)} s, without the two phases between them; ${machine()}`)
} finally {
  for (const { program } of nodes) await program.end()
  await store.close()
  await database.drop()
}
process.exit(0)
