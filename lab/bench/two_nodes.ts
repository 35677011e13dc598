/**
 * Two nodes beside one, on the same machine and one MariaDB: `TEST_MYSQL_URL=… node lab/bench/two_nodes.ts [SECONDS A
 * ROUND]`. Whole verifications over HTTP with scripted analysis, as many at once on both sides; one node with a database
 * of its own and two nodes with theirs take turns, five rounds. The CPU is that of the nodes, without the server's; round
 * trips are questions to the server, for each lifecycle.
 */
import { randomBytes } from 'node:crypto'
import { eachDialect } from '../../test/database.ts'
import { smallPhoto } from '../../test/small_photo.ts'
import { callsEach, keepBusy, type Load, lifecycle } from './lifecycle_load.ts'
import { machine, type Program, spread, startProgram, table, urlOf } from './measure.ts'

const seconds = Number(process.argv[2] ?? 3)
const rounds = 5
const concurrencies = [16, 64]

const engine = eachDialect.find(({ name }) => name === 'MariaDB')
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')

interface Node {
  readonly program: Program
  readonly load: Load
}

interface Side {
  readonly rate: number
  readonly cpu_ms: number
  readonly round_trips: number
}

const programs: Program[] = []

async function startNodes(url: string, many: number, photo: Buffer): Promise<readonly Node[]> {
  const settings = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('base64'), PORT: '0', BENCH_COUNT: '1' }
  const nodes: Node[] = []
  for (let index = 0; index < many; index++) {
    const program = startProgram('lifecycle_service.ts', { ...settings, ANALYSIS_PROCESSES: String(64 / many) })
    programs.push(program)
    nodes.push({ program, load: { ...(await program.ask<Omit<Load, 'photo'>>('ready')), photo } })
  }
  return nodes
}

type Usage = Omit<Side, 'rate'>

async function usageOf(nodes: readonly Node[]): Promise<Usage> {
  const usages = await Promise.all(nodes.map(({ program }) => program.ask<Usage>('usage')))
  const sum = (measure: keyof Usage): number => usages.reduce((total, usage) => total + usage[measure], 0)
  return { cpu_ms: sum('cpu_ms'), round_trips: sum('round_trips') }
}

/** The callers are shared out among the nodes. */
async function round(nodes: readonly Node[], concurrency: number): Promise<Side> {
  const before = await usageOf(nodes)
  const rates = await Promise.all(
    nodes.map(({ load }) => keepBusy(load, concurrency / nodes.length, seconds, lifecycle)),
  )
  const rate = rates.reduce((sum, one) => sum + one, 0) / callsEach
  const after = await usageOf(nodes)
  const each = (measure: keyof Usage): number => (after[measure] - before[measure]) / (rate * seconds)
  return { rate, cpu_ms: each('cpu_ms'), round_trips: each('round_trips') }
}

const ofOne = await engine.fresh()
const ofTwo = await engine.fresh()
try {
  const photo = await smallPhoto()
  console.log(machine())
  const one = await startNodes(urlOf(ofOne.address), 1, photo)
  const two = await startNodes(urlOf(ofTwo.address), 2, photo)
  for (const nodes of [one, two]) await round(nodes, 8)
  const rows: string[][] = []
  for (const concurrency of concurrencies) {
    const sides: (readonly [Side, Side])[] = []
    for (let n = 0; n < rounds; n++) sides.push([await round(one, concurrency), await round(two, concurrency)])
    const of = (pick: (pair: readonly [Side, Side]) => number, digits: number): string =>
      spread(sides.map(pick), digits)
    rows.push([
      String(concurrency),
      of(([{ rate }]) => rate, 1),
      of(([, { rate }]) => rate, 1),
      of(([a, b]) => b.rate / a.rate, 2),
      of(([a, b]) => b.cpu_ms / a.cpu_ms, 2),
      of(([{ round_trips }]) => round_trips, 1),
      of(([, { round_trips }]) => round_trips, 1),
    ])
  }
  const head = ['at once', 'one node, a second', 'two nodes', 'two ÷ one', 'CPU, two ÷ one']
  console.log(table([[...head, 'round trips, one node', 'two nodes'], ...rows]))
  console.log(machine())
} finally {
  for (const program of programs) await program.end()
  await ofOne.drop()
  await ofTwo.drop()
}
