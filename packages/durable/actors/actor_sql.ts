import { type Column, type Columns, listColumns, type RowOf } from '../store/columns.ts'
import { createInsert, type Statement } from '../store/statement.ts'
import { actorColumns, journalColumns } from '../store/tables.ts'
import type { AnyActorDefinition } from './definition.ts'

const { created_at: _, held_until: __, ...stepColumns } = actorColumns

/** An actor's row as a step reads it, beside what its definition's actions read. */
export type ActorRow = RowOf<typeof stepColumns> & Partial<RowOf<typeof journalColumns>>

/** The statements of a table of actors. Their texts are cached. */
interface ActorSql {
  readonly hasJournal: boolean
  /** The columns that a step reads: those that all actors have, and those that the definition's actions read. */
  readonly columns: Columns
  readonly select: string
  readonly insert: (row: object) => Statement
  /** Texts of UPDATE by the names of the changed columns. */
  readonly updates: Map<string, string>
}

const known = new WeakMap<AnyActorDefinition, ActorSql>()

function createActorSql({ table, reads }: AnyActorDefinition): ActorSql {
  const own = Object.entries<Column>(table.columns).filter(([name]) => reads.includes(name))
  const hasJournal = 'journal_hash' in table.columns
  const columns: Columns = { ...stepColumns, ...(hasJournal ? journalColumns : {}), ...Object.fromEntries(own) }
  return {
    hasJournal,
    columns,
    select: `SELECT ${listColumns(columns)} FROM ${table.name} WHERE id = ?`,
    insert: createInsert(table.name, table.columns),
    updates: new Map(),
  }
}

/** The same object each time. */
export function findActorSql(definition: AnyActorDefinition): ActorSql {
  const sql = known.get(definition) ?? createActorSql(definition)
  known.set(definition, sql)
  return sql
}

/** The row lock serialises one node's events; the version is the fence where locks are local to a node (Galera). */
export function findUpdateText(definition: AnyActorDefinition, columns: readonly string[]): string {
  const { updates } = findActorSql(definition)
  const key = columns.join()
  const changes = columns.map(column => `${column} = ?`).join(', ')
  const text = updates.get(key) ?? `UPDATE ${definition.table.name} SET ${changes} WHERE id = ? AND version = ?`
  updates.set(key, text)
  return text
}
