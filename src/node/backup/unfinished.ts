import { openStore, readFirst, run, type Statement, type Store } from 'durable-xstate-sql'
import { ConfigError } from '../../base/setting.ts'
import type { Config } from '../../config/settings.ts'

/**
 * The mark exists from before the first table of a server's database is dropped until the whole backup is in its place.
 */
const mark = 'unfinished_restore'

export function isMark(table: string): boolean {
  return table === mark
}

function commit(store: Store, sql: string): Promise<void> {
  const statement: Statement = { sql, values: [] }
  return store.commit(() => run(statement)).then(() => {})
}

/** Marks a server's database, so that nothing takes it for a whole one. */
export function beginRestore(store: Store): Promise<void> {
  return commit(store, `CREATE TABLE IF NOT EXISTS ${mark} (id int PRIMARY KEY)`)
}

export function endRestore(store: Store): Promise<void> {
  return commit(store, `DROP TABLE ${mark}`)
}

export async function isUnfinished(store: Store): Promise<boolean> {
  const sql = `SELECT COUNT(*) AS many FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = '${mark}'`
  return (await readFirst(store, { sql, values: [], columns: { many: 'count' } }))?.many === 1
}

/** @throws {ConfigError} where a restore of a server's database was begun and has not ended */
export async function requireWholeDatabase({ DATABASE_URL: address }: Pick<Config, 'DATABASE_URL'>): Promise<void> {
  // A file is replaced at once, by a whole one.
  if (address.dialect === 'sqlite') return
  const store = await openStore(address, 1)
  try {
    if (await isUnfinished(store))
      throw new ConfigError('DATABASE_URL: a restore of this database was interrupted: run `attestor restore` again')
  } finally {
    await store.close()
  }
}
