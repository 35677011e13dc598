/**
 * What a second event loop would bring to one node: `node bench/two_loops.ts [SECONDS A ROUND] [ROUNDS]`. One service has
 * all the load; then two have half of it each, with an SQLite file each, as loops would that own whole transactions by
 * id. Nothing is shared, so this is the most that a split can bring. They take turns.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { eachDialect } from '../test/database.ts'
import { smallPhoto } from '../test/small_photo.ts'
import { callsEach, keepBusy, type Load, lifecycle } from './lifecycle_load.ts'
import { machine, type Program, spread, startProgram, table, urlOf } from './measure.ts'

const seconds = Number(process.argv[2] ?? 3)
const rounds = Number(process.argv[3] ?? 5)
const [sqlite] = eachDialect
if (sqlite === undefined) throw new Error('no SQLite')

interface Usage {
  readonly cpu_ms: number
  readonly own_ms: number
}

interface Round extends Usage {
  readonly rate: number
}

interface Loop {
  readonly program: Program
  readonly load: Load
}

const photo = await smallPhoto()
const programs: Program[] = []
const databases = [await sqlite.fresh(), await sqlite.fresh(), await sqlite.fresh()]

function start(file: string, settings: Readonly<Record<string, string>>): Program {
  const program = startProgram(file, settings)
  programs.push(program)
  return program
}

async function sum(loops: readonly Loop[]): Promise<Usage> {
  const all = await Promise.all(loops.map(({ program }) => program.ask<Usage>('usage')))
  const total = (name: keyof Usage): number => all.reduce((sum, usage) => sum + usage[name], 0)
  return { cpu_ms: total('cpu_ms'), own_ms: total('own_ms') }
}

async function measure(loops: readonly Loop[], concurrency: number): Promise<Round> {
  const before = await sum(loops)
  const began = performance.now()
  const rates = await Promise.all(
    loops.map(({ load }) => keepBusy(load, concurrency / loops.length, seconds, lifecycle)),
  )
  const rate = rates.reduce((sum, calls) => sum + calls / callsEach, 0)
  const done = (rate * (performance.now() - began)) / 1000
  // What goes on in the background counts too.
  await pause(1000)
  const after = await sum(loops)
  return { rate, cpu_ms: (after.cpu_ms - before.cpu_ms) / done, own_ms: (after.own_ms - before.own_ms) / done }
}

try {
  const receiver = start('deliveries_receiver.ts', {})
  const { alive } = await receiver.ask<{ alive: number[] }>('open', { alive: 1, dead: 0 })
  const webhook = `http://127.0.0.1:${alive[0]}/hook`
  const startLoop = async (address: (typeof databases)[number]['address']): Promise<Loop> => {
    const settings = { DATABASE_URL: urlOf(address), MASTER_KEY: randomBytes(32).toString('base64'), PORT: '0' }
    const program = start('lifecycle_service.ts', { ...settings, ANALYSIS_PROCESSES: '64' })
    return { program, load: { ...(await program.ask<Omit<Load, 'photo'>>('ready')), photo, webhook } }
  }
  const [only, ...both] = await Promise.all(databases.map(({ address }) => startLoop(address)))
  if (only === undefined) throw new Error('nothing to measure')
  for (const loops of [[only], both]) await measure(loops, 8)
  for (const concurrency of [16, 64]) {
    const one: Round[] = []
    const two: Round[] = []
    for (let round = 0; round < rounds; round++) {
      one.push(await measure([only], concurrency))
      two.push(await measure(both, concurrency))
    }
    const row = (title: string, what: keyof Round, digits: number): readonly string[] => [
      title,
      spread(
        one.map(round => round[what]),
        digits,
      ),
      spread(
        two.map(round => round[what]),
        digits,
      ),
      spread(
        two.map((round, index) => round[what] / (one[index]?.[what] ?? Number.NaN)),
        2,
      ),
    ]
    console.log(`\n${concurrency} at once, ${machine()}`)
    console.log(
      table([
        ['', 'one loop', 'two loops', 'two ÷ one'],
        row('lifecycles a second', 'rate', 1),
        row('CPU ms each', 'cpu_ms', 1),
        row('without photos', 'own_ms', 1),
      ]),
    )
  }
} finally {
  for (const program of programs) await program.end()
  for (const { drop } of databases) await drop()
}
