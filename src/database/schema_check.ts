import { readAll, type Store } from 'durable-xstate-sql'
import { tables } from './tables.ts'

const columns = { table_name: 'name', column_name: 'name' } as const

const selectColumns = {
  sqlite: `SELECT t.name AS table_name, c.name AS column_name FROM sqlite_master t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table'`,
  mysql: `SELECT table_name AS table_name, column_name AS column_name FROM information_schema.columns
    WHERE table_schema = DATABASE()`,
} as const

/**
 * Tables and columns of this build that a database lacks: two builds may have migrations of the same name. A newer build may
 * have added more.
 */
export async function findMissingColumns(store: Store): Promise<readonly string[]> {
  const rows = await readAll(store, { sql: selectColumns[store.dialect.name], values: [], columns })
  const present = new Set(rows.map(({ table_name, column_name }) => `${table_name}.${column_name}`))
  return Object.entries(tables).flatMap(([table, { columns: own }]) =>
    Object.keys(own)
      .map(column => `${table}.${column}`)
      .filter(column => !present.has(column)),
  )
}
