import test from 'ava'
import Database from 'better-sqlite3'
import { sqlite } from './database.ts'
import { isStatement, liveThrough, ownSorts, smallTables, wholeLists } from './database_life.ts'

/** Records all statements that SQLite prepares for the service: none escapes, wherever it is written. */
const traced = new Set<string>()
const { prepare } = Database.prototype
test.before(() => {
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    traced.add(sql)
    return prepare.call(this, sql)
  } as typeof prepare
})
test.after.always(() => {
  Database.prototype.prepare = prepare
})

/** Results of subqueries, and lists of values: each is as short as its own LIMIT, or as the statement. */
function isDerived(name: string): boolean {
  return /^(found|l|b\d|CONSTANT|\d+-ROW)$/.test(name)
}

/** Sorts of rows that are always few. */
const smallSorts: readonly RegExp[] = [
  ...ownSorts,
  // A page of a list by several statuses: of one page each.
  /LIMIT \d+\) b\d ORDER BY created_at DESC, id DESC LIMIT \d+$/,
  // A thousand lanes at most.
  /^SELECT l\.lane.*WITH RECURSIVE found \(lane\).*LIMIT 1000/,
  // The rows of one transaction.
  /FROM delivery_attempts a JOIN deliveries d ON d\.id = a\.delivery_id WHERE d\.transaction_id = /,
  /FROM captures WHERE transaction_id = /,
]

function isNoList(sql: string): boolean {
  return !wholeLists.some(list => list.test(sql.replace(/\s+/g, ' ')))
}

interface PlanRow {
  readonly detail: string
}

function isSmall(sql: string, name: string): boolean {
  return isDerived(name) || smallTables.some(table => table === name || sql.includes(`${table} ${name} `))
}

/** Returns the faults of a statement's plan, by the words of SQLite's EXPLAIN QUERY PLAN. */
function findFaults(database: Database.Database, text: string): string[] {
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

test('on SQLite no statement of a life reads or sorts a whole table that grows', async t => {
  const rig = await liveThrough(t, sqlite)
  const { address } = rig.database
  if (address.dialect !== 'sqlite') throw new Error('not SQLite')
  const database = new Database(address.file, { readonly: true })
  t.teardown(() => database.close())
  const statements = [...traced].filter(isStatement).filter(isNoList)
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
