import test from 'ava'
import Database from 'better-sqlite3'
import { databases } from './database.ts'
import { kyc } from './service/client.ts'
import { verify } from './service/outcomes.ts'
import { openRig } from './service/rig.ts'

/** Everything that the service has SQLite prepare: no statement escapes, whoever writes it. */
const traced = new Set<string>()
const { prepare } = Database.prototype
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  traced.add(sql)
  return prepare.call(this, sql)
} as typeof prepare

/** Tables of which there are a few rows, whatever the service does. */
const smallTables = ['facts', 'nodes', 'signing_keys', 'operators', 'operator_sessions', 'accounts', 'clients']

/** Results of subqueries, and lists of values: each is as short as its own LIMIT, or as the statement. */
const isDerived = (name: string): boolean => /^(found|l|b\d|CONSTANT|\d+-ROW)$/.test(name)

/** Sorts of what is always short. */
const smallSorts: readonly RegExp[] = [
  // A page of a list by several statuses: of one page each.
  /LIMIT \d+\) b\d ORDER BY created_at DESC, id DESC LIMIT \d+$/,
  // A thousand lanes at most.
  /^SELECT l\.lane.*WITH RECURSIVE found \(lane\).*LIMIT 1000/,
  // What belongs to one transaction.
  /FROM delivery_attempts a JOIN deliveries d ON d\.id = a\.delivery_id WHERE d\.transaction_id = /,
  /FROM captures WHERE transaction_id = /,
]

interface PlanRow {
  readonly detail: string
}

const isSmall = (sql: string, name: string): boolean =>
  isDerived(name) || smallTables.some(table => table === name || sql.includes(`${table} ${name} `))

/** What is wrong with a statement's plan, by the words of SQLite's EXPLAIN QUERY PLAN. */
const findFaults = (database: Database.Database, text: string): string[] => {
  const sql = text.replace(/\s+/g, ' ')
  const values = Array.from(sql.matchAll(/\?/g), () => null)
  const explained: Database.Statement = prepare.call(database, `EXPLAIN QUERY PLAN ${sql}`)
  const rows = explained.all(values) as PlanRow[]
  return rows
    .map(({ detail }) => detail)
    .filter(detail => {
      const [, scanned] = /^SCAN (\S+)/.exec(detail) ?? []
      const isScan = scanned !== undefined && !isSmall(sql, scanned)
      const isSort = /USE TEMP B-TREE FOR (ORDER|GROUP)/.test(detail) && !smallSorts.some(small => small.test(sql))
      return isScan || isSort
    })
    .map(detail => `${detail}: ${sql}`)
}

const isStatement = (sql: string): boolean =>
  /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql) && !/sqlite_master|pragma_|migrations/.test(sql)

const lists = [
  '',
  '?status=FINISHED',
  '?status=FINISHED&status=FAILED',
  '?transaction_type=BIOMETRIC_ONLY',
  '?decision=APPROVED',
  '?reference=order',
  '?created_from=2026-01-01T00:00:00.000Z&created_to=2027-01-01T00:00:00.000Z',
]

test('on SQLite no statement of a life reads or sorts a whole table that grows', async t => {
  const [engine] = databases
  if (engine === undefined) throw new Error('no database')
  const rig = await openRig(engine, { RETENTION_CAPTURES_DAYS: '1', RETENTION_TRANSACTIONS_DAYS: '2' })
  t.teardown(rig.close)
  const token = await rig.token()
  const get = (path: string) => rig.call('GET', `${kyc}${path}`, { token })
  const finished = await verify(rig)
  for (const query of lists) t.is((await get(`/transaction${query}`)).status, 200, query)
  for (const path of ['', '/events', '/deliveries', '/captures', '/evidence'])
    t.is((await get(`/transaction/${finished.id}${path}`)).status, 200, path)
  for (const path of ['/customer', '/delivery']) t.is((await get(path)).status, 200, path)
  const { customer_id } = await rig.view(finished.id)
  t.is((await get(`/transaction?customer_id=${customer_id}`)).status, 200)
  const expiring = await rig.open()
  await expiring.phone.start()
  await rig.advance(3_600_000)
  t.is((await rig.view(expiring.id)).status, 'EXPIRED')
  const erased = await verify(rig)
  await rig.call('DELETE', `${kyc}/transaction/${erased.id}`, { token: await rig.token() })
  await rig.call('DELETE', `${kyc}/customer/${customer_id}`, { token: await rig.token() })
  await rig.advance(3 * 86_400_000)

  const { address } = rig.database
  if (address.dialect !== 'sqlite') throw new Error('not SQLite')
  const database = new Database(address.file, { readonly: true })
  t.teardown(() => database.close())
  const statements = [...traced].filter(isStatement)
  t.log(`${statements.length} statements`)
  t.true(statements.length > 100)
  const faults = statements.flatMap(sql => findFaults(database, sql))
  t.deepEqual(faults, [])
  t.is(
    findFaults(database, 'SELECT id FROM transactions WHERE snapshot = ? ORDER BY config').length,
    2,
    'a bad one is seen',
  )
})
