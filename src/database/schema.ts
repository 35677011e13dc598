import { join } from 'node:path'
import { defineSchema } from 'durable-xstate-sql'
import type { SchemaRow } from 'durable-xstate-sql/sql'
import { tables } from './tables.ts'

type Tables = typeof tables

export type TableName = keyof Tables

export type ColumnsOf<T extends TableName> = Tables[T]['columns']

export type ColumnName<T extends TableName> = keyof ColumnsOf<T> & string

/** A whole row of a table. */
export type TableRow<T extends TableName> = SchemaRow<Tables, T>

/** The database of Attestor: its tables, and their migrations. */
export const schema = defineSchema(tables, join(import.meta.dirname, 'migrations'))

/** Typed parts of statements, by the names of tables. */
export const { columnsOf, insert, actorTable } = schema

/** Inserts rows in place of those with the same keys. */
export const replace: typeof insert = (...given) => {
  const { sql, values } = insert(...given)
  return { sql: sql.replace('INSERT', 'REPLACE'), values }
}
