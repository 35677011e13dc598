/**
 * `GET /transaction/{id}` with its bearer, against a bare Koa route that selects the same row:
 * `node test/bench/read.ts [sqlite|mysql]`. Both read one database, and take turns.
 */
import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { databases } from '../database.ts'
import { keepBusy, type Load, lifecycle, openTransaction, send, smallPhoto } from './lifecycle_load.ts'
import { machine, median, type Program, startProgram, table, urlOf } from './measure.ts'
import { shares, type TimeByPart } from './profile.ts'

const wanted = process.argv[2] === 'mysql' ? 'MariaDB' : 'SQLite'
const rounds = 5
const seconds = 1
const at_once = 16

const engine = databases.find(({ name }) => name === wanted)
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')
const database = await engine.fresh()
const settings = { DATABASE_URL: urlOf(database.address), MASTER_KEY: randomBytes(32).toString('base64'), PORT: '0' }
const service_program = startProgram('lifecycle_service.ts', settings)

type Ready = Omit<Load, 'photo'>

interface Round {
  readonly rate: number
  readonly cpu_us: number
}

const read = async (program: Program, load: Load, path: string): Promise<Round> => {
  const before = await program.ask<{ cpu_ms: number }>('usage')
  const began = performance.now()
  const rate = await keepBusy(load, at_once, seconds, call => call({ method: 'GET', path, token: load.access_token }))
  const count = (rate * (performance.now() - began)) / 1000
  const after = await program.ask<{ cpu_ms: number }>('usage')
  return { rate, cpu_us: ((after.cpu_ms - before.cpu_ms) / count) * 1000 }
}

const compare = async (
  path: string,
  service: Load,
  floor: { program: Program; load: Load },
): Promise<readonly string[]> => {
  const pairs: (readonly [own: Round, bare: Round])[] = []
  for (let round = -1; round < rounds; round++) {
    const pair = [await read(service_program, service, path), await read(floor.program, floor.load, path)] as const
    if (round >= 0) pairs.push(pair)
  }
  const of = (figure: (pair: readonly [Round, Round]) => number): number => median(pairs.map(figure))
  return [
    of(([own]) => own.rate).toFixed(0),
    of(([, bare]) => bare.rate).toFixed(0),
    of(([own, bare]) => own.rate / bare.rate).toFixed(2),
    of(([own]) => own.cpu_us).toFixed(0),
    of(([, bare]) => bare.cpu_us).toFixed(0),
    of(([own, bare]) => own.cpu_us / bare.cpu_us).toFixed(2),
  ]
}

const floor_program = startProgram('floor_read.ts', settings)
try {
  const photo = await smallPhoto()
  const service = { ...(await service_program.ask<Ready>('ready')), photo }
  const floor = { program: floor_program, load: { ...(await floor_program.ask<Ready>('ready')), photo } }
  const pool = new Pool(service.url)
  const finished = await lifecycle(call => send(pool, call), service)
  const { path: created } = await openTransaction(call => send(pool, call), service)
  await pool.close()
  console.log(`${wanted}, ${machine()}, ${at_once} at once`)
  const rows = [
    ['FINISHED', ...(await compare(finished, service, floor))],
    ['CREATED', ...(await compare(created, service, floor))],
  ]
  const head = ['GET /transaction/{id}', 'a second', 'bare Koa', 'ratio', 'CPU µs', 'bare Koa', 'ratio']
  console.log(table([head, ...rows]))
  await service_program.ask('profile')
  await read(service_program, service, finished)
  const profile = await service_program.ask<TimeByPart>('profiled')
  console.log(`FINISHED: ${shares(profile)}`)
  if (process.env.FRAMES) for (const [frame, ms] of profile.frames) console.log(ms.toFixed(0).padStart(6), frame)
} finally {
  await service_program.end()
  await floor_program.end()
  await database.drop()
}
