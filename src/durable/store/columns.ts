import { type Column, type ColumnKind, type Columns, kindOf, tables } from '../../database/tables.ts'

interface ValueOfKind {
  readonly id: string
  readonly word: string
  readonly name: string
  readonly lane: string
  readonly document: string
  readonly bytes: Uint8Array
  readonly instant: number
  readonly count: number
}

type ValueOf<C extends Column> = C extends `${infer K extends ColumnKind}?`
  ? ValueOfKind[K] | null
  : C extends `${infer K extends ColumnKind} key`
    ? ValueOfKind[K]
    : C extends ColumnKind
      ? ValueOfKind[C]
      : never

/** A row that has these columns. */
export type RowOf<C extends Columns> = { readonly [N in keyof C]: ValueOf<C[N]> }

/** The name of a table. */
export type TableName = keyof typeof tables

/** The columns of a table. */
export type ColumnsOf<T extends TableName> = (typeof tables)[T]['columns']

/** The name of a column of a table. */
export type ColumnName<T extends TableName> = keyof ColumnsOf<T> & string

/** A whole row of a table. */
export type TableRow<T extends TableName> = RowOf<ColumnsOf<T>>

type NullableName<C extends Columns> = { [N in keyof C]: C[N] extends `${string}?` ? N : never }[keyof C]

/** A row on its way into a table: what may be null may be left out. */
export type NewRow<T extends TableName> = Omit<TableRow<T>, NullableName<ColumnsOf<T>>> &
  Partial<Pick<TableRow<T>, NullableName<ColumnsOf<T>>>>

const picked = new Map<string, Columns>()

/** `columnsOf('transactions', 'id', 'status')`: these columns of a table, the same object each time. */
export const columnsOf = <T extends TableName, const N extends ColumnName<T>>(
  table: T,
  ...names: readonly N[]
): Pick<ColumnsOf<T>, N> => {
  const key = `${table}: ${names.join()}`
  const known = picked.get(key)
  if (known !== undefined) return known as Pick<ColumnsOf<T>, N>
  const columns: Columns = tables[table].columns
  const made = Object.fromEntries(Object.entries(columns).filter(([name]) => names.some(wanted => wanted === name)))
  picked.set(key, made)
  return made as Pick<ColumnsOf<T>, N>
}

type Nullable<C extends Column> = C extends `${infer K extends ColumnKind} key`
  ? `${K}?`
  : C extends ColumnKind
    ? `${C}?`
    : C

/** The columns of a table that is joined by LEFT JOIN: all null where there is no row. */
export const joined = <const C extends Columns>(columns: C): { readonly [N in keyof C]: Nullable<C[N]> } =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, `${kindOf(column)}?`])) as {
    readonly [N in keyof C]: Nullable<C[N]>
  }

/** The columns as a SELECT lists them: `t.id, t.status`. */
export const listOf = (columns: Columns, table?: string): string =>
  Object.keys(columns)
    .map(name => (table === undefined ? name : `${table}.${name}`))
    .join(', ')

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'

const isOfKind: Readonly<Record<ColumnKind, (value: unknown) => boolean>> = {
  id: isText,
  word: isText,
  name: isText,
  lane: isText,
  document: isText,
  bytes: value => value instanceof Uint8Array,
  instant: isNumber,
  count: isNumber,
}

type Check = readonly [name: string, column: Column, isRight: (value: unknown) => boolean]

const checkOf = ([name, column]: readonly [string, Column]): Check => {
  const isRight = isOfKind[kindOf(column)]
  return [name, column, column.endsWith('?') ? value => value === null || isRight(value) : isRight]
}

/** What columns say is taken apart once: rows are read too often for that. */
const checks = new WeakMap<Columns, readonly Check[]>()

const checksOf = (columns: Columns): readonly Check[] => {
  const known = checks.get(columns)
  if (known !== undefined) return known
  const made = Object.entries(columns).map(checkOf)
  checks.set(columns, made)
  return made
}

/** A column that may be null where it must not be: corruption, which throws. */
export const present = <T>(value: T | null, name: string): T => {
  if (value === null) throw new TypeError(`${name}: expected a value, found null`)
  return value
}

/**
 * A row as the engine gave it, as what its columns are. Anything else in their place is corruption and throws. Columns
 * that are read often are one object, made once.
 */
export const readRow = <C extends Columns>(columns: C, row: Readonly<Record<string, unknown>>): RowOf<C> => {
  for (const [name, column, isRight] of checksOf(columns)) {
    const value = row[name]
    if (!isRight(value))
      throw new TypeError(`${name}: expected ${column}, found ${value === null ? 'null' : typeof value}`)
  }
  return row as RowOf<C>
}
