import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSchema } from './database_address.ts'
import type { DialectName } from './dialect.ts'
import { run } from './statement.ts'
import { readAll, readFirst, type Store } from './store.ts'

/** The migrations that made the schema of a database, the oldest first. */
export async function readMigrations(store: Store): Promise<readonly string[]> {
  const sql = 'SELECT name FROM migrations ORDER BY id'
  return (await readAll(store, { sql, values: [], columns: { name: 'name' } })).map(({ name }) => name)
}

/** The timestamp in a migration's name, `Initial1795500000000`, or in its file name, `1795500000000-initial.ts`. */
const instantPattern = /\d{13}/

/** The migrations that this build does not have, because a newer one wrote the schema. */
export function findUnknownMigrations(
  names: readonly string[],
  dialect: DialectName,
  { migrations }: DatabaseSchema,
): readonly string[] {
  const known = readdirSync(join(migrations, dialect)).map(file => instantPattern.exec(file)?.[0])
  return names.filter(name => !known.includes(instantPattern.exec(name)?.[0]))
}

/** The rows of every table of a server's database. */
export async function countServerRows(store: Store): Promise<Readonly<Record<string, number>>> {
  const sql = 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1'
  const rows: Record<string, number> = {}
  for (const { name } of await readAll(store, { sql, values: [], columns: { name: 'name' } })) {
    const count = { sql: `SELECT COUNT(*) AS many FROM \`${name}\``, values: [], columns: { many: 'count' } } as const
    rows[name] = (await readFirst(store, count))?.many ?? 0
  }
  return rows
}

/** Returns the number of other connections to a server's database, as far as this user may see them. */
export async function countServerConnections(store: Store): Promise<number> {
  const sql = `SELECT COUNT(*) AS many FROM information_schema.processlist
    WHERE db = DATABASE() AND id <> CONNECTION_ID()`
  return (await readFirst(store, { sql, values: [], columns: { many: 'count' } }))?.many ?? 0
}

/** Drops tables of a server's database. No rollback brings them back. */
export async function dropServerTables(store: Store, names: readonly string[]): Promise<void> {
  for (const name of names) await store.commit(() => run({ sql: `DROP TABLE \`${name}\``, values: [] }))
}
