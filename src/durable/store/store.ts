import { type Columns, type RowOf, readRow } from './columns.ts'
import type { Dialect } from './dialect.ts'
import type { Query, Row, Statement, Unit } from './statement.ts'

/** The database behind one way to commit. */
export interface Store {
  readonly dialect: Dialect
  /**
   * Runs a unit as one durable transaction: when the promise resolves, what it wrote survives a power cut; the crash of
   * this program only, unless it is `is_lasting`.
   * @throws {DurableError} `unavailable` when the database can't be reached; whatever the unit throws, with nothing written.
   */
  commit<T>(unit: () => Unit<T>, options?: { readonly is_lasting?: boolean }): Promise<T>
  /** One SELECT outside any unit, with the same failures. */
  read(statement: Statement): Promise<readonly Row[]>
  /** Makes what was deleted unreadable in the engine's own files too, as far as it can; what a server keeps is its operator's. */
  scrub(): Promise<void>
  close(): Promise<void>
}

/** Whether `statement` finds a row. */
export const isThere = async (store: Pick<Store, 'read'>, statement: Statement): Promise<boolean> =>
  (await store.read(statement)).length > 0

/** The rows of one SELECT outside any unit. */
export const readAll = async <const C extends Columns>(
  store: Pick<Store, 'read'>,
  { columns, ...statement }: Query<C>,
): Promise<readonly RowOf<C>[]> => (await store.read(statement)).map(row => readRow(columns, row))

/** The first row that `query` finds, or null. */
export const readFirst = async <const C extends Columns>(
  store: Pick<Store, 'read'>,
  { columns, ...statement }: Query<C>,
): Promise<RowOf<C> | null> => {
  const [row] = await store.read(statement)
  return row === undefined ? null : readRow(columns, row)
}
