/**
 * What the guards cost a request, beside one that does nothing: the bearer (believed for a minute, and verified each
 * time) and a rate limit (with turns left, and refusing). `node bench/guards.ts [sqlite|mysql]`.
 */
import { randomBytes } from 'node:crypto'
import { eachDialect } from '../test/database.ts'
import { keepBusy } from './lifecycle_load.ts'
import { machine, median, startProgram, table, urlOf } from './measure.ts'

const wanted = process.argv[2] === 'mysql' ? 'MariaDB' : 'SQLite'
const rounds = 5
const engine = eachDialect.find(({ name }) => name === wanted)
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')
const database = await engine.fresh()
const settings = { DATABASE_URL: urlOf(database.address), MASTER_KEY: randomBytes(32).toString('base64') }
const program = startProgram('guards_service.ts', settings)
try {
  const { routes, ...service } = await program.ask<{ url: string; access_token: string; routes: string[] }>('ready')
  const load = { ...service, photo: Buffer.alloc(0) }
  const cpu_us = new Map<string, number[]>(routes.map(route => [route, []]))
  for (let round = -1; round < rounds; round++)
    for (const path of routes) {
      const before = await program.ask<{ cpu_ms: number }>('usage')
      const began = performance.now()
      const rate = await keepBusy(load, 16, 1, call => call({ method: 'GET', path, token: load.access_token }))
      const count = (rate * (performance.now() - began)) / 1000
      const after = await program.ask<{ cpu_ms: number }>('usage')
      if (round >= 0) cpu_us.get(path)?.push(((after.cpu_ms - before.cpu_ms) / count) * 1000)
    }
  const nothing = median(cpu_us.get('/nothing') ?? [])
  console.log(`${wanted}, ${machine()}, 16 at once`)
  const rows = routes.map(route => {
    const own = median(cpu_us.get(route) ?? [])
    return [route.slice(1).replaceAll('_', ' '), own.toFixed(0), (own / nothing).toFixed(2)]
  })
  console.log(table([['guard', 'CPU µs a request', 'ratio to none'], ...rows]))
} finally {
  await program.end()
  await database.drop()
}
