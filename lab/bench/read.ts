/**
 * `GET /transaction/{id}` with its bearer, against a bare Koa route with the same duties (floor_read.ts):
 * `node lab/bench/read.ts [sqlite|mysql] [ROUNDS] [CALLS A ROUND]`. Both read one database, and take turns. `BENCH_BARE=1`
 * compares with a route that has none of these duties.
 */
import { deepEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { eachDialect } from '../../test/database.ts'
import { smallPhoto } from '../../test/small_photo.ts'
import { type Load, lifecycle, openTransaction, send } from './lifecycle_load.ts'
import { machine, median, type Program, startProgram, table, urlOf } from './measure.ts'
import { shares, type TimeByPart } from './profile.ts'

const wanted = process.argv[2] === 'mysql' ? 'MariaDB' : 'SQLite'
const rounds = Number(process.argv[3] ?? 7)
/** A fixed number, so that a round on a busy machine runs as warm code as one on a quiet machine. */
const calls = Number(process.argv[4] ?? 3000)
const at_once = 16

const engine = eachDialect.find(({ name }) => name === wanted)
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')
const database = await engine.fresh()
const settings = { DATABASE_URL: urlOf(database.address), MASTER_KEY: randomBytes(32).toString('base64'), PORT: '0' }
const serviceProgram = startProgram('lifecycle_service.ts', settings)

type Ready = Omit<Load, 'photo'>

interface Round {
  readonly rate: number
  readonly cpu_us: number
}

/** So many calls, some at once. */
async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count
  const loop = async (): Promise<void> => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: at_once }, loop))
}

async function read(program: Program, { url, access_token: token }: Load, path: string): Promise<Round> {
  const pool = new Pool(url, { connections: at_once })
  const before = await program.ask<{ cpu_ms: number }>('usage')
  const began = performance.now()
  await repeat(calls, () => send(pool, { method: 'GET', path, token }))
  const tookMs = performance.now() - began
  const after = await program.ask<{ cpu_ms: number }>('usage')
  await pool.close()
  return { rate: (calls * 1000) / tookMs, cpu_us: ((after.cpu_ms - before.cpu_ms) * 1000) / calls }
}

async function compare(
  path: string,
  service: Load,
  floor: { program: Program; load: Load },
): Promise<readonly string[]> {
  const pairs: (readonly [own: Round, bare: Round])[] = []
  for (let round = -1; round < rounds; round++) {
    const pair = [await read(serviceProgram, service, path), await read(floor.program, floor.load, path)] as const
    if (round >= 0) pairs.push(pair)
  }
  const spread = (figure: (pair: readonly [Round, Round]) => number): string => {
    const values = pairs.map(figure)
    return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`
  }
  const of = (figure: (pair: readonly [Round, Round]) => number): number => median(pairs.map(figure))
  return [
    of(([own]) => own.rate).toFixed(0),
    of(([, bare]) => bare.rate).toFixed(0),
    spread(([own, bare]) => own.rate / bare.rate),
    of(([own]) => own.cpu_us).toFixed(0),
    of(([, bare]) => bare.cpu_us).toFixed(0),
    spread(([own, bare]) => own.cpu_us / bare.cpu_us),
  ]
}

const photo = await smallPhoto()
const service = { ...(await serviceProgram.ask<Ready>('ready')), photo }
// It reads the root key that the service has stored.
const { BENCH_BARE = '' } = process.env
const floorProgram = startProgram('floor_read.ts', { ...settings, BENCH_BARE })
try {
  const floor = { program: floorProgram, load: { ...(await floorProgram.ask<Ready>('ready')), photo } }
  const asked = new Pool(service.url)
  const finished = await lifecycle(call => send(asked, call), service)
  const { path: created } = await openTransaction(call => send(asked, call), service)
  const bare = new Pool(floor.load.url)
  for (const path of [finished, created]) {
    const call = (load: Load, to: Pool) => send(to, { method: 'GET', path, token: load.access_token })
    deepEqual(await call(floor.load, bare), await call(service, asked))
  }
  await Promise.all([asked.close(), bare.close()])
  console.log(`${wanted}, ${machine()}, ${at_once} at once`)
  const rows = [
    ['FINISHED', ...(await compare(finished, service, floor))],
    ['CREATED', ...(await compare(created, service, floor))],
  ]
  const head = ['GET /transaction/{id}', 'a second', 'bare Koa', 'ratio', 'CPU µs', 'bare Koa', 'ratio']
  console.log(table([head, ...rows]))
  await serviceProgram.ask('profile')
  await read(serviceProgram, service, finished)
  const profile = await serviceProgram.ask<TimeByPart>('profiled')
  console.log(`FINISHED: ${shares(profile)}`)
  if (process.env.FRAMES) for (const [frame, ms] of profile.frames) console.log(ms.toFixed(0).padStart(6), frame)
} finally {
  await serviceProgram.end()
  await floorProgram.end()
  await database.drop()
}
