import { createRequire } from 'node:module'
import test from 'ava'
import mysql from 'mysql2/promise'
import { eachDialect } from './database.ts'
import { isStatement, liveThrough, ownSorts, smallTables, wholeLists } from './database_life.ts'

interface Traced {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Records all texts that the driver sends for the service: no statement escapes. */
const traced = new Map<string, Traced>()

/** Whether a statement is a plain insert: its plan reads no rows, so it need not be checked. */
function isPlainInsert(sql: string): boolean {
  return /^INSERT INTO \w+ \([\w, ]+\) VALUES/i.test(sql)
}

/** Several statements may travel as one text. No text of the service has a semicolon of its own. */
function record(text: string, values: readonly unknown[]): void {
  let from = 0
  for (const sql of text.split(';').map(part => part.trim().replace(/\s+/g, ' '))) {
    const count = sql.split('?').length - 1
    if (isStatement(sql) && !isPlainInsert(sql) && !traced.has(sql))
      traced.set(sql, { sql, values: values.slice(from, from + count) })
    from += count
  }
}

type Method = (this: object, text: unknown, values?: unknown, ...more: unknown[]) => unknown
const { Connection } = createRequire(import.meta.url)('mysql2') as { Connection: { prototype: object } }
const prototype = Object.getPrototypeOf(Connection.prototype) as Record<'query' | 'execute', Method>
for (const name of ['query', 'execute'] as const) {
  const original = prototype[name]
  prototype[name] = function (text, values, ...more) {
    if (typeof text === 'string') record(text, Array.isArray(values) ? values : [])
    else if (typeof text === 'object' && text !== null && 'sql' in text)
      record(String(text.sql), 'values' in text && Array.isArray(text.values) ? text.values : [])
    return original.call(this, text, values, ...more)
  }
}

/** Pretends that every table has a million rows, since the planner reads a small one whole, without any index. */
async function pretendManyRows(connection: mysql.Connection): Promise<void> {
  const [tables] = await connection.query<mysql.RowDataPacket[]>('SHOW TABLES')
  const names = tables.map(row => String(Object.values(row)[0]))
  for (const name of names) await connection.query(`ANALYZE TABLE ${name} PERSISTENT FOR ALL`)
  await connection.query('UPDATE mysql.table_stats SET cardinality = 1000000 WHERE db_name = DATABASE()')
  await connection.query('UPDATE mysql.index_stats SET avg_frequency = 100 / prefix_arity WHERE db_name = DATABASE()')
  await connection.query('FLUSH TABLES')
  await connection.query("SET SESSION use_stat_tables = 'preferably'")
}

/** Sorts of rows that are always few: those of one transaction or customer. */
const smallSorts: readonly RegExp[] = [
  ...ownSorts,
  /FROM delivery_attempts a JOIN deliveries d ON d\.id = a\.delivery_id WHERE d\.transaction_id = /,
  /FROM captures WHERE transaction_id = /,
  /FROM transactions WHERE customer_id >= \? AND customer_id <= \?/,
  /FROM transactions t JOIN captures c ON c\.transaction_id = t\.id WHERE t\.customer_id = /,
]

function isNoList(sql: string): boolean {
  return !wholeLists.some(list => list.test(sql))
}

function isSmall(sql: string, name: string): boolean {
  return name.startsWith('<') || smallTables.some(table => table === name || sql.includes(`${table} ${name} `))
}

/** Returns the faults of a statement's plan, by the words of MariaDB's EXPLAIN. */
async function findFaults(connection: mysql.Connection, { sql, values }: Traced): Promise<string[]> {
  const [plan] = await connection.query<mysql.RowDataPacket[]>(`EXPLAIN ${sql}`, [...values])
  return plan
    .filter(({ table, type, rows, Extra }) => {
      // A walk along an index is one too, unless a LIMIT ends it.
      const isWalk = type === 'ALL' || (type === 'index' && rows > 1000)
      const isScan = isWalk && table !== null && !isSmall(sql, String(table))
      const isSort =
        String(Extra).includes('filesort') && !isSmall(sql, String(table)) && !smallSorts.some(small => small.test(sql))
      return isScan || isSort
    })
    .map(({ table, type, key, rows, Extra }) => `${table} ${type} ${key} ${rows} ${Extra}: ${sql}`)
}

for (const engine of eachDialect.filter(({ name }) => name === 'MariaDB'))
  test('on MariaDB no statement of a life reads or sorts a whole table that grows', async t => {
    const rig = await liveThrough(t, engine)
    const { address } = rig.database
    if (address.dialect !== 'mysql') throw new Error('not MariaDB')
    const { host, port, user, password, database } = address
    const statements = [...traced.values()].filter(({ sql }) => isNoList(sql))
    t.log(`${statements.length} statements`)
    t.true(statements.length > 100)
    const connection = await mysql.createConnection({ host, port, user, password, database })
    t.teardown(() => connection.end())
    await pretendManyRows(connection)
    const faults: string[] = []
    for (const statement of statements) faults.push(...(await findFaults(connection, statement)))
    t.deepEqual(faults, [])
    const bad = { sql: 'SELECT id FROM transactions WHERE snapshot = ? ORDER BY config', values: ['x'] }
    t.is((await findFaults(connection, bad)).length, 1, 'a bad one is seen')
  })
