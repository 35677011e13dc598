/**
 * Full verifications a second over HTTP with scripted analysis, against a floor: `node lab/bench/lifecycle.ts
 * [sqlite|mysql] [SECONDS A ROUND]`. `TEST_MYSQL_URL` names the server. Service and floor take turns, so that whatever
 * else the machine does falls on both; five rounds, of which the median and the extremes are shown.
 *
 * The floor replays the service's own statements of an earlier commit (`floor_lifecycle.generated.json`), on SQLite with
 * group commit as the service, on MariaDB batched as well as it can be by hand. Both decode the photos, and sign and send
 * the webhooks. Child processes decode the photos of both: `without photos` is the CPU of the process itself.
 *
 * Before the rounds it prints what a verification costs the database, and the rows and bytes that stay of it, by table.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { eachDialect } from '../../test/database.ts'
import { smallPhoto } from '../../test/small_photo.ts'
import { callsEach, keepBusy, type Load, lifecycle, send } from './lifecycle_load.ts'
import { machine, type Program, spread, startProgram, table, urlOf } from './measure.ts'
import { shares, type TimeByPart } from './profile.ts'
import { measureTables } from './table_sizes.ts'

const wanted = process.argv[2] === 'mysql' ? 'MariaDB' : 'SQLite'
const seconds = Number(process.argv[3] ?? 1.5)
const rounds = 5
const concurrencies = [16, 64]

const engine = eachDialect.find(({ name }) => name === wanted)
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')

interface Usage {
  readonly cpu_ms: number
  /** CPU of the node itself, without the child processes that decode the photos. */
  readonly own_ms: number
  readonly commits: number
  readonly statements: number
  readonly reads?: number
  readonly round_trips?: number
}

/** A program that takes turns with others; `round` resolves with its rate. */
interface Contender {
  readonly name: string
  readonly program: Program
  round(concurrency: number): Promise<number>
}

interface Round {
  readonly rate: number
  readonly cpu_ms: number
  readonly own_ms: number
}

async function measured({ program, round }: Contender, concurrency: number): Promise<Round> {
  const before = await program.ask<Usage>('usage')
  const began = performance.now()
  const rate = await round(concurrency)
  const done = (rate * (performance.now() - began)) / 1000
  // Work in the background counts too, and must not fall into the next round.
  await pause(1000)
  const after = await program.ask<Usage>('usage')
  return { rate, cpu_ms: (after.cpu_ms - before.cpu_ms) / done, own_ms: (after.own_ms - before.own_ms) / done }
}

async function overHttp(
  name: string,
  program: Program,
  photo: Buffer,
  more: Partial<Load> = {},
): Promise<Contender & { load: Load }> {
  const load = { ...(await program.ask<Omit<Load, 'photo'>>('ready')), photo, ...more }
  return {
    name,
    program,
    load,
    round: async concurrency => (await keepBusy(load, concurrency, seconds, lifecycle)) / callsEach,
  }
}

/** Measures what one verification costs the database; verifications run one after another. */
async function countCommits(program: Program, load: Load): Promise<string> {
  const pool = new Pool(load.url, { connections: 1 })
  const runs = 4
  await lifecycle(call => send(pool, call), load)
  const before = await program.ask<Usage>('usage')
  for (let run = 0; run < runs; run++) await lifecycle(call => send(pool, call), load)
  const after = await program.ask<Usage>('usage')
  await pool.close()
  const each = (name: keyof Usage): string => (((after[name] ?? 0) - (before[name] ?? 0)) / runs).toFixed(1)
  return `${each('commits')} commits, ${each('statements')} writes, ${each('reads')} reads, ${each('round_trips')} round trips`
}

/** Number of verifications: so many that a page more or less does not matter. */
const whole = 300

/** Verifications that all come to their end, some at once. */
async function runWhole(load: Load): Promise<void> {
  const pool = new Pool(load.url, { connections: 8 })
  const left = Array.from({ length: whole }).values()
  const work = async (): Promise<void> => {
    for (const _ of left) await lifecycle(call => send(pool, call), load)
  }
  await Promise.all(Array.from({ length: 8 }, work))
  await pool.close()
}

function report(contenders: readonly Contender[], all: ReadonlyMap<string, readonly Round[]>): string {
  const roundsOf = (name: string): readonly Round[] => all.get(name) ?? []
  const own = roundsOf('service')
  const against = (name: string, what: keyof Round): string =>
    spread(
      roundsOf(name).map((round, index) => (own[index]?.[what] ?? Number.NaN) / round[what]),
      2,
    )
  return table([
    ['', 'a second', 'CPU ms each', 'without photos', 'service ÷ it', 'CPU ÷ it', 'without photos'],
    ...contenders.map(({ name }) => [
      name,
      spread(
        roundsOf(name).map(({ rate }) => rate),
        1,
      ),
      spread(
        roundsOf(name).map(({ cpu_ms }) => cpu_ms),
        1,
      ),
      spread(
        roundsOf(name).map(({ own_ms }) => own_ms),
        1,
      ),
      against(name, 'rate'),
      against(name, 'cpu_ms'),
      against(name, 'own_ms'),
    ]),
  ])
}

const serviceDatabase = await engine.fresh()
const floorDatabase = await engine.empty()
const settings = {
  DATABASE_URL: urlOf(serviceDatabase.address),
  MASTER_KEY: randomBytes(32).toString('base64'),
  PORT: '0',
  ANALYSIS_PROCESSES: '64',
}
const floor = { DATABASE_URL: urlOf(floorDatabase.address), MASTER_KEY: settings.MASTER_KEY }
const programs: Program[] = []

function start(file: string, more: Readonly<Record<string, string>>): Program {
  const program = startProgram(file, more)
  programs.push(program)
  return program
}

try {
  const photo = await smallPhoto()
  console.log(`${wanted}, ${machine()}; photos of ${Math.round(photo.length / 1024)} KiB`)
  const receiver = start('deliveries_receiver.ts', {})
  const { alive } = await receiver.ask<{ alive: number[] }>('open', { alive: 1, dead: 0 })
  const webhook = `http://127.0.0.1:${alive[0]}/hook`
  const counting = await overHttp('count', start('lifecycle_service.ts', { ...settings, BENCH_COUNT: '1' }), photo)
  console.log(`service, each: ${await countCommits(counting.program, { ...counting.load, webhook })}`)
  const grown = await measureTables(serviceDatabase.address, () => runWhole({ ...counting.load, webhook }))
  console.log(`\nservice, in the database: ${grown}\n`)
  await counting.program.end()
  const contenders = [
    await overHttp('service', start('lifecycle_service.ts', settings), photo, { webhook }),
    await overHttp('floor', start('floor_replay.ts', { ...floor, BENCH_WEBHOOK: webhook }), photo),
  ]
  const [service, floorOf] = contenders
  if (service === undefined || floorOf === undefined) throw new Error('nobody to measure')
  console.log(`floor, each: ${await countCommits(floorOf.program, floorOf.load)}`)
  for (const contender of contenders) await contender.round(8)
  for (const concurrency of concurrencies) {
    const all = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const contender of contenders) all.get(contender.name)?.push(await measured(contender, concurrency))
    console.log(`\n${concurrency} at once\n${report(contenders, all)}`)
  }
  await service.program.ask('profile')
  await service.round(16)
  console.log(`\nservice, main thread: ${shares(await service.program.ask<TimeByPart>('profiled'))}; ${machine()}`)
} finally {
  for (const program of programs) await program.end()
  await serviceDatabase.drop()
  await floorDatabase.drop()
}
