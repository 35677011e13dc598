/** A value that a statement was bound to. `‹n:length›` in a text is another in every lifecycle; bytes only have a length. */
export type RecordedValue = string | number | null | { readonly bytes: number }

/** One statement as the driver got it. */
export interface RecordedStatement {
  readonly sql: string
  readonly values: readonly RecordedValue[]
  readonly reads: boolean
}

/**
 * One piece of work: a request to the database, or the sending of a webhook. They are listed in the order in which they
 * happened.
 */
export type Work =
  | { readonly type: 'commit'; readonly statements: readonly RecordedStatement[]; readonly is_durable: boolean }
  | { readonly type: 'read'; readonly statement: RecordedStatement }
  | { readonly type: 'send' }

/** One call of a lifecycle: the work before its answer, and the work that goes on afterwards. */
export interface Phase {
  readonly call: string
  readonly request: Work[]
  readonly background: Work[]
}

/** The work of one lifecycle in SQLite, with its tables. */
export interface FloorRecord {
  readonly recorded: string
  readonly schema: readonly string[]
  readonly phases: readonly Phase[]
}
