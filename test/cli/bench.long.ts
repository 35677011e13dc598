import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { eachDialect } from '../database.ts'
import { attestor, urlOf } from '../service/programs.ts'

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

test('The bench measures with real models on a database of its own, of which it leaves nothing', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-test-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const DATABASE_URL = `sqlite:${join(folder, 'live.sqlite')}`
  const words = ['bench', '--seconds', '5', '--limit', '400', '--configured', '--json']
  const { code, stdout, stderr } = await attestor(words, { DATABASE_URL, RATE_LIMIT_READS: '1' })
  t.deepEqual([code, stderr], [0, ''])
  const { database, version, ...figures } = JSON.parse(stdout) as Record<string, unknown>
  t.is(database, `SQLite in ${folder}`)
  const rates = ['requests', 'transactions', 'deliveries', 'analyses'].map(what => figures[`${what}_per_second`])
  for (const rate of rates) t.true(typeof rate === 'number' && rate > 0, stdout)
  t.true(Number(figures.bytes_per_transaction) > 4_000 && Number(figures.bytes_per_transaction) < 400_000, stdout)
  t.deepEqual(readdirSync(folder), [])
})

test('The bench ends when its time is over, with what it has, and leaves nothing', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-test-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const DATABASE_URL = `sqlite:${join(folder, 'live.sqlite')}`
  // The requests alone would take minutes.
  const words = ['bench', '--seconds', '3600', '--limit', '5', '--configured', '--json']
  const { code, stdout, stderr } = await attestor(words, { DATABASE_URL })
  t.deepEqual([code, stderr], [0, ''])
  const figures = JSON.parse(stdout) as Record<string, unknown>
  t.deepEqual([figures.transactions_per_second, figures.analyses_per_second], [null, null])
  t.deepEqual(readdirSync(folder), [])
})

test('The bench refuses a time that it could not keep', async t => {
  const { code, stderr } = await attestor(['bench', '--seconds', '0'], {})
  t.is(code, 2)
  t.regex(stderr, /--seconds.*whole number from 5 to 3600/)
})

for (const engine of eachDialect.filter(({ name }) => name !== 'SQLite')) {
  test(`${engine.name}: the bench takes no database that holds anything`, async t => {
    const database = await engine.fresh()
    t.teardown(() => database.drop())
    const environment = { DATABASE_URL: urlOf(database), MASTER_KEY }
    t.is((await attestor(['migrate'], environment)).code, 0)
    const { code, stderr } = await attestor(['bench', '--configured'], environment)
    t.is(code, 1)
    t.regex(stderr, /DATABASE_URL: has \d+ tables/)
  })
}
