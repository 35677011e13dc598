/** What a database column can hold here: instants are epoch milliseconds, JSON is text, sealed things are bytes. */
export type Value = string | number | Uint8Array | null

/** One SQL statement common to every dialect, its values bound by `?`. */
export interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}

/** A row as the database gives it: column names are snake_case. */
export type Row = Readonly<Record<string, Value>>

/** What one statement answered: its rows, or how many rows it wrote. */
export interface Outcome {
  readonly rows: readonly Row[]
  readonly changed: number
}

/** Statements whose outcomes nobody waits for: an engine may send them along with the next ones, or with the COMMIT. */
export interface Later {
  readonly later: readonly Statement[]
}

/**
 * A unit of work: one database transaction, written once for every engine. It yields batches of statements and is
 * handed their outcomes; what it throws rolls everything back. It may be run again from its beginning, so it must do
 * nothing but compute between two yields. SQLite runs it synchronously, MySQL asynchronously, a batch a round trip. For
 * `Later` it is handed nothing, or the outcomes where the engine had no reason to wait.
 */
export type Unit<T> = Generator<readonly Statement[] | Later, T, readonly Outcome[]>

/** Thrown inside a unit that found the row changed under it: the whole unit runs again. */
export class LostRace extends Error {
  override name = 'LostRace'
}

/** What a result adds to the commit that makes it. */
export type WritesOf<T> = (result: T) => readonly Statement[]

const nothing: Outcome = { rows: [], changed: 0 }

/** Runs one statement inside a unit. */
export function* run(statement: Statement): Unit<Outcome> {
  const outcomes = yield [statement]
  return outcomes[0] ?? nothing
}

/** Runs statements in order, in one round trip; an empty list costs none. */
export function* runAll(statements: readonly Statement[]): Unit<readonly Outcome[]> {
  return statements.length === 0 ? [] : yield statements
}

/**
 * Runs statements in order, with whatever comes next: a unit that ends with them saves a round trip. An outcome that is
 * not there yet is none to judge by.
 */
export function* runLater(later: readonly Statement[]): Unit<readonly Outcome[]> {
  return later.length === 0 ? [] : yield { later }
}

/** The first row of one statement, or null. */
export function* first(statement: Statement): Unit<Row | null> {
  const { rows } = yield* run(statement)
  return rows[0] ?? null
}

/** `insert('journal', {actor_id: …})`. Table and columns are names of ours, never input. */
export const insert = (table: string, row: Readonly<Record<string, Value>>): Statement => {
  const columns = Object.keys(row)
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    values: Object.values(row),
  }
}

/** A value known to be text; anything else in its place is corruption and throws. */
export const text = (row: Row, column: string): string => {
  const value = row[column]
  if (typeof value !== 'string') throw new TypeError(`${column}: expected text, found ${typeof value}`)
  return value
}

/** A value known to be a number. */
export const number = (row: Row, column: string): number => {
  const value = row[column]
  if (typeof value !== 'number') throw new TypeError(`${column}: expected a number, found ${typeof value}`)
  return value
}

/** A value known to be bytes. */
export const bytes = (row: Row, column: string): Uint8Array => {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new TypeError(`${column}: expected bytes, found ${typeof value}`)
  return value
}

/** A nullable column read by `read`, such as `optional(row, 'finished_at', number)`. */
export const optional = <T>(row: Row, column: string, read: (row: Row, column: string) => T): T | null =>
  row[column] === null || row[column] === undefined ? null : read(row, column)
