import { type Columns, type RowOf, readRow } from './columns.ts'

/** The values of a column: instants are epoch milliseconds, JSON is text. */
export type Value = string | number | Uint8Array | null

/** One SQL statement common to every dialect, its values bound by `?`. */
export interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}

/** A SELECT, and the columns that it is read as: each must be among those that it selects. */
export interface Query<C extends Columns> extends Statement {
  readonly columns: C
}

/** A row as the engine returns it. To use its values, read it by its columns. */
export type Row = Readonly<Record<string, Value>>

/** The result of one statement: its rows, or how many rows it wrote. */
export interface StatementResult {
  readonly rows: readonly Row[]
  readonly changed: number
}

/** Statements whose outcomes are not awaited: an engine may send them with the next ones, or with the COMMIT. */
interface DeferredStatements {
  readonly later: readonly Statement[]
}

/**
 * A unit of work: one database transaction, written once for every engine. It yields batches of statements and receives
 * their outcomes; an exception rolls everything back. It may run again from its beginning, so it must only compute
 * between two yields. SQLite runs it synchronously, MySQL asynchronously, one batch a round trip. For `DeferredStatements` it
 * receives nothing, or the outcomes where the engine had no reason to wait.
 */
export type Unit<T> = Generator<readonly Statement[] | DeferredStatements, T, readonly StatementResult[]>

/** Thrown inside a unit when its row was changed meanwhile: the whole unit runs again. */
export class ConflictError extends Error {
  override name = 'ConflictError'
}

/** Added by a caller to the end of a commit, for example an entry in the caller's own log. */
export type CommitRecord<T = void> = (result: T) => Unit<void>

/** The record of a caller who keeps none. */
export function* recordNothing(): Unit<void> {}

/** Statements that a result adds to its commit. */
export type WritesOf<T> = (result: T) => readonly Statement[]

const nothing: StatementResult = { rows: [], changed: 0 }

/** A `?` for each value, as in `id IN (?, ?)`. */
export function toPlaceholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

/** Runs one statement inside a unit. */
export function* run(statement: Statement): Unit<StatementResult> {
  const outcomes = yield [statement]
  return outcomes[0] ?? nothing
}

/** Runs statements in order, in one round trip; an empty list costs none. */
export function* runAll(statements: readonly Statement[]): Unit<readonly StatementResult[]> {
  return statements.length === 0 ? [] : yield statements
}

/**
 * Runs statements in order, together with the next ones: a unit that ends with them saves a round trip. Their outcomes
 * may be missing.
 */
export function* runLater(later: readonly Statement[]): Unit<readonly StatementResult[]> {
  return later.length === 0 ? [] : yield { later }
}

export function* findsRow(statement: Statement): Unit<boolean> {
  return (yield* run(statement)).rows.length > 0
}

export function* selectAll<const C extends Columns>({ columns, ...statement }: Query<C>): Unit<readonly RowOf<C>[]> {
  const { rows } = yield* run(statement)
  return rows.map(row => readRow(columns, row))
}

/** The first row of one statement, or null. */
export function* selectFirst<const C extends Columns>({ columns, ...statement }: Query<C>): Unit<RowOf<C> | null> {
  const { rows } = yield* run(statement)
  return rows[0] === undefined ? null : readRow(columns, rows[0])
}

/**
 * INSERTs rows of a table. The text is made once: making it for each row costs as much as running a statement. Table
 * and columns are names of the program's own, never input.
 */
export function createInsert(table: string, columns: Columns): (...rows: readonly object[]) => Statement {
  const names = Object.keys(columns)
  const marks = `(${toPlaceholders(names)})`
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES ${marks}`
  return (...rows) => ({
    sql: rows.length === 1 ? sql : sql + `, ${marks}`.repeat(rows.length - 1),
    values: rows.flatMap(row => names.map(name => (Reflect.get(row, name) ?? null) as Value)),
  })
}
