/**
 * `node lab/bench/deliveries.ts [rounds] [deliveries]`: deliveries a second against a bare undici loop that signs the
 * same, over as many connections, to the same receiver; and how long others wait while one receiver of a hundred is dead,
 * and while a hundred are, against none dead. On SQLite, or on the server that `TEST_MYSQL_URL` names.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { eachDialect } from '../../test/database.ts'
import { seed } from './deliveries_seed.ts'
import { machine, median, type Program, startProgram, table, urlOf } from './measure.ts'

interface Heard {
  readonly count: number
  readonly different: number
  readonly first_at: number
  readonly last_at: number
  readonly delays_ms: readonly number[]
}

const [rounds = 3, deliveries = 10_000] = process.argv.slice(2).map(Number)
const engine = eachDialect.at(-1)
if (engine === undefined) throw new Error('no database')

/** An arrow function, which knows that there is one. */
const fresh: typeof engine.fresh = () => engine.fresh()

const master = Buffer.alloc(32, 7).toString('base64')

function settings(url: string) {
  return {
    DATABASE_URL: url,
    MASTER_KEY: master,
    PORT: '0',
    ROLES: 'worker',
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
    WEBHOOK_ORIGIN_CONCURRENCY: '50',
    WEBHOOK_CONCURRENCY: '200',
  }
}

/** Deliveries that wait before the healthy begin. */
const seeded = 2000

function hook(port: number): string {
  return `http://127.0.0.1:${port}/hook`
}

async function until(receiver: Program, count: number, limitS = 120): Promise<Heard> {
  for (let waited = 0; waited < limitS * 10; waited++) {
    const heard = await receiver.ask<Heard>('heard')
    if (heard.count >= count) return heard
    await pause(100)
  }
  throw new Error('not all deliveries came in time')
}

/** Deliveries a second, and CPU milliseconds for each, its threads' signing included; the start, a fifth, is left out. */
interface Made {
  readonly rate: number
  readonly cpu_ms: number
}

async function measureOf(sender: Program, receiver: Program): Promise<Made> {
  const warm = await until(receiver, Math.ceil(deliveries / 5))
  const before = await sender.ask<number>('usage')
  const all = await until(receiver, deliveries)
  const made = all.count - warm.count
  const cpu_ms = ((await sender.ask<number>('usage')) - before) / made
  return { rate: (made / (all.last_at - warm.last_at)) * 1000, cpu_ms }
}

async function bare(receiver: Program, port: number, keep_alive: boolean, more = {}): Promise<Made> {
  await receiver.ask('forget')
  const loop = startProgram('deliveries_worker.ts', { BARE: '1', ...more })
  await loop.ask('bare', { url: hook(port), count: deliveries, keep_alive })
  const made = await measureOf(loop, receiver)
  await loop.end()
  return made
}

/** The loop that keeps its connections, and stores each result in a database as full as the service's. */
async function storing(receiver: Program, port: number): Promise<Made> {
  const { address, drop } = await fresh()
  await seed(address, [hook(port)], deliveries)
  const made = await bare(receiver, port, true, { DATABASE_URL: urlOf(address) })
  await drop()
  return made
}

async function service(receiver: Program, port: number): Promise<Made> {
  const { address, drop } = await fresh()
  await seed(address, [hook(port)], deliveries)
  await receiver.ask('forget')
  const node = startProgram('deliveries_worker.ts', settings(urlOf(address)))
  const made = await measureOf(node, receiver)
  await node.end()
  await drop()
  return made
}

/**
 * Delays of the healthy, in milliseconds from the status to its arrival, while two thousand wait for `dead`; where none is,
 * the first of the healthy has had them, so that the database holds as much.
 */
async function delays(
  alive: readonly number[],
  dead: readonly number[],
  receiver: Program,
): Promise<readonly number[]> {
  const { address, drop } = await fresh()
  const burdened = dead.length > 0 ? dead : alive.slice(0, 1)
  await receiver.ask('forget')
  await seed(address, burdened.map(hook), seeded / burdened.length)
  const node = startProgram('deliveries_worker.ts', settings(urlOf(address)))
  await node.ask('ready')
  if (dead.length === 0) await until(receiver, seeded)
  await pause(1000)
  // Each origin has been heard of once, as in any service that has run for a while.
  const urls = alive.map(hook)
  await receiver.ask('forget')
  await node.ask('pace', { urls, count: urls.length, gap_ms: 15 })
  await until(receiver, urls.length)
  await receiver.ask('forget')
  await node.ask('pace', { urls, count: 600, gap_ms: 15 })
  const { delays_ms } = await until(receiver, 600)
  await node.end()
  await drop()
  return delays_ms.toSorted((a, b) => a - b)
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

console.log(`${machine()}; ${engine.name}; ${rounds} rounds`)
const receiver = startProgram('deliveries_receiver.ts', {})
const { alive, dead } = await receiver.ask<{ alive: number[]; dead: number[] }>('open', { alive: 100, dead: 100 })
const [port = 0] = alive
const made: Made[][] = []
for (let round = 0; round < rounds; round++)
  made.push([
    await service(receiver, port),
    await bare(receiver, port, false),
    await bare(receiver, port, true),
    await storing(receiver, port),
  ])
type Measure = keyof Made

function of(column: number, measure: Measure): number {
  return median(made.map(row => row[column]?.[measure] ?? Number.NaN))
}

function row(name: string, column: number): string[] {
  return [
    name,
    of(column, 'rate').toFixed(0),
    (of(0, 'rate') / of(column, 'rate')).toFixed(2),
    of(column, 'cpu_ms').toFixed(2),
    (of(column, 'cpu_ms') / of(0, 'cpu_ms')).toFixed(2),
  ]
}

console.log(
  table([
    ['', 'a second', 'service ÷ it', 'CPU ms each', 'it ÷ service'],
    row('service', 0),
    row('bare loop, a connection each', 1),
    row('bare loop, connections kept', 2),
    row('the same, each result stored', 3),
  ]),
)
const cases = [
  { name: 'none dead', alive, dead: [] },
  { name: 'one of a hundred dead', alive: alive.slice(1), dead: dead.slice(0, 1) },
  { name: 'a hundred dead beside a hundred', alive, dead },
]
const taken = cases.map(() => [] as (readonly number[])[])
for (let round = 0; round < rounds; round++)
  for (const [index, one] of cases.entries()) taken[index]?.push(await delays(one.alive, one.dead, receiver))

function figure(index: number, ofRound: (sorted: readonly number[]) => number): number {
  return median((taken[index] ?? []).map(ofRound))
}

console.log(
  table([
    ['the others’ delay, ms', 'median', 'mean', '95 %', 'mean ÷ none dead'],
    ...cases.map(({ name }, index) => [
      name,
      figure(index, sorted => at(sorted, 0.5)).toFixed(0),
      figure(index, mean).toFixed(1),
      figure(index, sorted => at(sorted, 0.95)).toFixed(0),
      (figure(index, mean) / figure(0, mean)).toFixed(2),
    ]),
  ]),
)
await receiver.end()
