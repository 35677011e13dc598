/** A value that a statement was bound to. `‹n:length›` in a text is another in every lifecycle; bytes only have a length. */
export type RecordedValue = string | number | null | { readonly bytes: number }

/** One statement as the driver got it. */
export interface RecordedStatement {
  readonly sql: string
  readonly values: readonly RecordedValue[]
  readonly reads: boolean
}

/** What was asked of the database, or the sending of a webhook, in the order in which it happened. */
export type Work =
  | { readonly type: 'commit'; readonly statements: readonly RecordedStatement[]; readonly is_durable: boolean }
  | { readonly type: 'read'; readonly statement: RecordedStatement }
  | { readonly type: 'send' }

/** One call of a lifecycle: what it asks before it is answered, and what goes on afterwards. */
export interface Phase {
  readonly call: string
  readonly request: Work[]
  readonly background: Work[]
}

/** What one lifecycle asks of SQLite, with the tables that it asks. */
export interface FloorRecord {
  readonly recorded: string
  readonly schema: readonly string[]
  readonly phases: readonly Phase[]
}
