import type { Dialect } from './dialect.ts'
import type { Row, Statement, Unit } from './statement.ts'

/** The database behind one way to commit. */
export interface Store {
  readonly dialect: Dialect
  /**
   * Runs a unit as one durable transaction: when the promise resolves, what it wrote survives a power cut; the crash of
   * this program only, unless it is `is_lasting`.
   * @throws {Refusal} `unavailable` when the database can't be reached; whatever the unit throws, with nothing written.
   */
  commit<T>(unit: () => Unit<T>, options?: { readonly is_lasting?: boolean }): Promise<T>
  /** One SELECT outside any unit, with the same failures. */
  read(statement: Statement): Promise<readonly Row[]>
  /** Makes what was deleted unreadable in the engine's own files too, as far as it can; what a server keeps is its operator's. */
  scrub(): Promise<void>
  close(): Promise<void>
}

/** The first row that `statement` finds, or null. */
export const readFirst = async (store: Store, statement: Statement): Promise<Row | null> =>
  (await store.read(statement))[0] ?? null
