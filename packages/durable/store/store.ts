import { type Columns, type RowOf, readRow } from './columns.ts'
import type { Dialect } from './dialect.ts'
import type { HostTime } from './host_time.ts'
import type { Query, Row, Statement, Unit } from './statement.ts'

/** A database, and the only way to commit to it. */
export interface Store {
  readonly dialect: Dialect
  /**
   * Runs a unit as one transaction. When the promise resolves, its writes survive a power cut; if `isDurable` is false,
   * only a crash of the program. @throws {DurableError} `unavailable`, or any error of the unit; nothing is written
   * then
   */
  commit<T>(unit: () => Unit<T>, options?: { readonly isDurable?: boolean }): Promise<T>
  /**
   * Commits statements with large values, beside the event loop where SQLite would block it. Byte arrays with a buffer of
   * their own may be empty afterwards. @throws {DurableError} `unavailable`
   */
  writeBeside(statements: readonly Statement[]): Promise<void>
  /** One SELECT outside any unit, with the same failures. */
  read(statement: Statement): Promise<readonly Row[]>
  /** Makes deleted values unreadable in SQLite's files. A server's files are its operator's. */
  scrub(): Promise<void>
  /** The host of a server's database that is in use, such as `db1:3306`; null for a file. */
  hostName(): string | null
  /** The time of each host that can be used, by the caller's monotonic clock; of none for a file. */
  readTimes(monotonic: () => number): Promise<readonly HostTime[]>
  close(): Promise<void>
}

/** Commits a unit; false where one of its rows is there already, by a unique index: nothing is written then. */
export async function commitNew(store: Store, unit: () => Unit<unknown>): Promise<boolean> {
  try {
    await store.commit(unit)
    return true
  } catch (error) {
    if (!store.dialect.isDuplicate(error)) throw error
    return false
  }
}

/** Whether `statement` finds a row. */
export async function rowExists(store: Pick<Store, 'read'>, statement: Statement): Promise<boolean> {
  return (await store.read(statement)).length > 0
}

/** The rows of one SELECT outside any unit. */
export async function readAll<const C extends Columns>(
  store: Pick<Store, 'read'>,
  { columns, ...statement }: Query<C>,
): Promise<readonly RowOf<C>[]> {
  return (await store.read(statement)).map(row => readRow(columns, row))
}

/** The first row that `query` finds, or null. */
export async function readFirst<const C extends Columns>(
  store: Pick<Store, 'read'>,
  { columns, ...statement }: Query<C>,
): Promise<RowOf<C> | null> {
  const [row] = await store.read(statement)
  return row === undefined ? null : readRow(columns, row)
}
