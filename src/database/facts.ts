import { readFirst, run, type Statement, type Store, selectFirst, type Unit } from 'durable-xstate-sql'
import type { Query } from 'durable-xstate-sql/sql'
import { columnsOf, insert } from './schema.ts'

/** Facts are single values of the whole service, by their names. */

const columns = columnsOf('facts', 'value')

export function selectFact(name: string): Query<typeof columns> {
  return { sql: 'SELECT value FROM facts WHERE name = ?', values: [name], columns }
}

/** Null where there is none. */
export async function readFact(store: Pick<Store, 'read'>, name: string): Promise<string | null> {
  return (await readFirst(store, selectFact(name)))?.value ?? null
}

/** `readFact` in a unit, which locks the row. */
export function* lockFact({ dialect }: Pick<Store, 'dialect'>, name: string): Unit<string | null> {
  const { sql, ...query } = selectFact(name)
  return (yield* selectFirst({ ...query, sql: sql + dialect.forUpdate }))?.value ?? null
}

export function insertFact(name: string, value: string): Statement {
  return insert('facts', { name, value })
}

/** Changes no row where the fact is not there, or is another than `from`. */
export function updateFact(name: string, value: string, from: string | null = null): Statement {
  const sql = 'UPDATE facts SET value = ? WHERE name = ?'
  return from === null ? { sql, values: [value, name] } : { sql: `${sql} AND value = ?`, values: [value, name, from] }
}

export function deleteFact(name: string): Statement {
  return { sql: 'DELETE FROM facts WHERE name = ?', values: [name] }
}

/** Writes a fact, whether it is there or not; null removes it. */
export function* setFact(name: string, value: string | null): Unit<void> {
  if (value === null) yield* run(deleteFact(name))
  else if ((yield* run(updateFact(name, value))).changed === 0) yield* run(insertFact(name, value))
}
