/** The types of columns; each engine has its own name for them (schema.ts). */
export type ColumnType = 'id' | 'word' | 'name' | 'lane' | 'document' | 'bytes' | 'instant' | 'count'

/** `'id'` is a column of that type, `'id key'` part of the primary key, `'instant?'` may be null. */
export type Column = ColumnType | `${ColumnType} key` | `${ColumnType}?`

/** A `word` of a fixed set. The compiler checks writes; a row that is read is trusted. */
type WordOf<W extends string, C extends 'word' | 'word?' = 'word'> = C & { readonly oneOf: W }

export function wordOf<W extends string>(): WordOf<W> {
  return 'word' as WordOf<W>
}

export function wordOrNullOf<W extends string>(): WordOf<W, 'word?'> {
  return 'word?' as WordOf<W, 'word?'>
}

/** Columns by their names. */
export type Columns = Readonly<Record<string, Column>>

/** Names of columns, and whether no two rows may have the same values there. */
type Index = readonly [columns: string, unique?: 'unique']

/** A table's columns, beside those of its indices that are not its primary key. */
interface Table {
  readonly columns: Columns
  readonly indices: readonly Index[]
}

/** Tables by their names. */
export type Tables = Readonly<Record<string, Table>>

interface ValueOfType {
  readonly id: string
  readonly word: string
  readonly name: string
  readonly lane: string
  readonly document: string
  readonly bytes: Uint8Array
  readonly instant: number
  readonly count: number
}

type ValueOf<C extends Column> = C extends { readonly oneOf: infer W }
  ? W | (C extends 'word' ? never : null)
  : C extends `${infer K extends ColumnType}?`
    ? ValueOfType[K] | null
    : C extends `${infer K extends ColumnType} key`
      ? ValueOfType[K]
      : C extends ColumnType
        ? ValueOfType[C]
        : never

/** A row that has these columns. */
export type RowOf<C extends Columns> = { readonly [N in keyof C]: ValueOf<C[N]> }

type NullableName<C extends Columns> = { [N in keyof C]: C[N] extends `${string}?` ? N : never }[keyof C]

/** A row on its way into a table: columns that may be null may be left out. */
export type NewRowOf<C extends Columns> = Omit<RowOf<C>, NullableName<C>> & Partial<Pick<RowOf<C>, NullableName<C>>>

/** The type of a column, without ` key` and `?`. */
export function getColumnType(column: Column): ColumnType {
  return column.replace(/\?| key/, '') as ColumnType
}

type Nullable<C extends Column> = C extends { readonly oneOf: infer W extends string }
  ? WordOf<W, 'word?'>
  : C extends `${infer K extends ColumnType} key`
    ? `${K}?`
    : C extends ColumnType
      ? `${C}?`
      : C

/** Columns that may all be null. */
export type Joined<C extends Columns> = { readonly [N in keyof C]: Nullable<C[N]> }

/** The columns of a table that is joined by LEFT JOIN: all null where there is no row. */
export function toNullableColumns<const C extends Columns>(columns: C): Joined<C> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, `${getColumnType(column)}?`]),
  ) as Joined<C>
}

/** The columns as a SELECT lists them: `t.id, t.status`. */
export function listColumns(columns: Columns, table?: string): string {
  return Object.keys(columns)
    .map(name => (table === undefined ? name : `${table}.${name}`))
    .join(', ')
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

const isOfType: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
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

function createCheck([name, column]: readonly [string, Column]): Check {
  const isRight = isOfType[getColumnType(column)]
  return [name, column, column.endsWith('?') ? value => value === null || isRight(value) : isRight]
}

/** Columns are parsed once, because rows are read often. */
const knownChecks = new WeakMap<Columns, readonly Check[]>()

function findChecks(columns: Columns): readonly Check[] {
  const known = knownChecks.get(columns)
  if (known !== undefined) return known
  const checks = Object.entries(columns).map(createCheck)
  knownChecks.set(columns, checks)
  return checks
}

/** The value of a column that may be null where it must not be. Null is corruption there, and throws. */
export function requireValue<T>(value: T | null, name: string): T {
  if (value === null) throw new TypeError(`${name}: expected a value, found null`)
  return value
}

/**
 * The row as the engine returned it, typed by its columns. A value of another type is corruption, and throws. Columns
 * that are read often should be one object, made once.
 */
export function readRow<C extends Columns>(columns: C, row: Readonly<Record<string, unknown>>): RowOf<C> {
  for (const [name, column, isRight] of findChecks(columns)) {
    const value = row[name]
    if (!isRight(value))
      throw new TypeError(`${name}: expected ${column}, found ${value === null ? 'null' : typeof value}`)
  }
  return row as RowOf<C>
}
