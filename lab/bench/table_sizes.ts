import { setTimeout as pause } from 'node:timers/promises'
import { type DatabaseAddress, openStore, readAll, readFirst, type Store } from 'durable-xstate-sql'
import { rowExists } from 'durable-xstate-sql/sql'
import { schema } from '../../src/database/schema.ts'
import { table } from './measure.ts'

const names = Object.keys(schema.tables)
/** Name of the row for the images alone. */
const contents = 'of these, images'

interface TableSize {
  readonly rows: number
  /** Bytes with the table's indexes. */
  readonly bytes: number
}

/** SQLite counts the pages that are in use; a server only estimates, unless it is asked to count. */
async function selectBytes(store: Store): Promise<string> {
  if (store.dialect.name === 'sqlite')
    return `SELECT o.tbl_name AS name, SUM(s.pgsize) AS bytes FROM dbstat s JOIN sqlite_schema o ON o.name = s.name
      WHERE s.aggregate = TRUE GROUP BY o.tbl_name`
  await store.read({ sql: `ANALYZE TABLE ${names.join(', ')}`, values: [] })
  return `SELECT table_name AS name, CAST(data_length + index_length AS SIGNED) AS bytes FROM information_schema.tables
    WHERE table_schema = DATABASE()`
}

async function countRows(store: Store, from: string): Promise<number> {
  return (
    (await readFirst(store, { sql: `SELECT COUNT(*) AS many FROM ${from}`, values: [], columns: { many: 'count' } }))
      ?.many ?? 0
  )
}

async function readSizes(store: Store): Promise<ReadonlyMap<string, TableSize>> {
  const columns = { name: 'name', bytes: 'count' } as const
  const bytes = await readAll(store, { sql: await selectBytes(store), values: [], columns })
  const sizes = new Map<string, TableSize>()
  for (const name of names) {
    const found = bytes.find(one => one.name === name)
    if (found === undefined) throw new Error(`nothing says how large ${name} is`)
    sizes.set(name, { rows: await countRows(store, name), bytes: found.bytes })
  }
  const sql = `SELECT CAST(COALESCE(SUM(LENGTH(content)), 0) AS DECIMAL) AS bytes FROM captures`
  const images = await store.read({ sql, values: [] })
  return sizes.set(contents, { rows: await countRows(store, 'captures'), bytes: Number(images[0]?.bytes) })
}

/** Waits until no timer and no job is left: then every transaction has ended and every delivery was made. */
async function untilQuiet(store: Store): Promise<void> {
  const until = performance.now() + 60_000
  const held = ['transactions', 'deliveries'].map(table => `SELECT id FROM ${table} WHERE held_job IS NOT NULL`)
  const sql = `SELECT id FROM scheduled_jobs UNION ALL ${held.join(' UNION ALL ')} LIMIT 1`
  while (await rowExists(store, { sql, values: [] })) {
    if (performance.now() > until) throw new Error('timers or jobs are left')
    await pause(50)
  }
}

/** Returns the rows and bytes that `work` adds to each table for each transaction that it brings to an end. */
export async function measureTables(address: DatabaseAddress, work: () => Promise<unknown>): Promise<string> {
  const store = await openStore(address, 2)
  try {
    const before = await readSizes(store)
    await work()
    await untilQuiet(store)
    const grown = [...(await readSizes(store))].map(([name, { rows, bytes }]) => {
      const was = before.get(name) ?? { rows: 0, bytes: 0 }
      return { name, rows: rows - was.rows, bytes: bytes - was.bytes }
    })
    const many = grown.find(({ name }) => name === 'transactions')?.rows ?? 0
    const own = grown.filter(({ name }) => name !== contents)
    const sum = (of: 'rows' | 'bytes'): number => own.reduce((total, size) => total + size[of], 0)
    const shown = [{ name: 'all', rows: sum('rows'), bytes: sum('bytes') }, ...grown]
      .filter(({ rows, bytes }) => rows > 0 || bytes > 0)
      .sort((one, other) => other.bytes - one.bytes)
      .map(({ name, rows, bytes }) => [name, (rows / many).toFixed(1), (bytes / many).toFixed(0)])
    return `${many} transactions\n${table([['', 'rows each', 'bytes each'], ...shown])}`
  } finally {
    await store.close()
  }
}
