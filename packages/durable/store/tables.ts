import type { Columns, NewRowOf, RowOf, Tables } from './columns.ts'
import { createInsert, type Statement } from './statement.ts'

/**
 * The columns of every actor's row. An application's table of actors has them and its own; with `journalColumns` its
 * actors keep a journal.
 */
export const actorColumns = {
  id: 'id key',
  /** The tenant that owns the actor, and the key by which a sharded database would split the table. */
  account_id: 'id',
  /** This actor's own clock is ahead of the machine's by this many milliseconds; null means 0. */
  clock_offset_ms: 'instant?',
  /** XState's persisted snapshot, as JSON. */
  snapshot: 'document',
  /** Counts the accepted events. It is the fence of every write, and the sequence of a journal. */
  version: 'count',
  chart_version: 'count',
  status: 'word',
  created_at: 'instant',
  /** The job that began with the actor's last step, as JSON: it has no row of its own until it has to wait. */
  held_job: 'document?',
  /** The end of the lease of `held_job`. */
  held_until: 'instant?',
} as const satisfies Columns

/** Further columns of actors with a journal, which keeps every event that they accept. */
export const journalColumns = {
  /** The hash of the journal's last entry. */
  journal_hash: 'word',
  /** `occurred_at` of the journal's last entry. The next entry's is not earlier, even if the nodes' clocks differ. */
  journal_at: 'instant',
} as const satisfies Columns

/** The columns of a table of actors. */
export type ActorColumns = Columns & typeof actorColumns

export interface ActorTable<C extends ActorColumns = ActorColumns> {
  readonly name: string
  readonly columns: C
}

/** The library's own tables. */
export const durableTables = {
  /** Every event that an actor with a journal accepted, in order: its timeline and audit trail. */
  journal: {
    columns: {
      actor_id: 'id key',
      sequence: 'count key',
      account_id: 'id',
      actor_type: 'word',
      event: 'document',
      /** The status after the event. */
      status: 'word',
      occurred_at: 'instant',
      chart_version: 'count',
      /** Over the entry and the hash before it (actors/chain.ts). */
      hash: 'word',
    },
    indices: [],
  },
  /** Timers that run, and jobs that wait, or that were claimed after they had waited. */
  scheduled_jobs: {
    columns: {
      id: 'id key',
      account_id: 'id',
      queue: 'word',
      /** Lanes of a queue are served side by side: no row waits for another lane's. */
      lane: 'lane',
      actor_type: 'word',
      actor_id: 'id',
      /** The timer's or the invoked job's id in the chart. */
      name: 'word',
      payload: 'document',
      /** The row may be claimed from this instant on; while it is leased, the instant is the lease's end. */
      ready_at: 'instant',
      /** The fence: only a result that carries it is accepted. */
      lease: 'id?',
      claims: 'count',
      /** The trace that it continues (W3C Trace Context), if any. */
      traceparent: 'word?',
    },
    indices: [['queue, lane, ready_at, id'], ['actor_id, name', 'unique'], ['lease']],
  },
  /** They show a node whether a COMMIT without a response happened (commit_fences.ts). */
  commit_fences: {
    columns: { id: 'id key', token: 'id', made_at: 'instant' },
    indices: [['made_at']],
  },
} as const satisfies Tables

export const insertEntry: (row: NewRowOf<typeof durableTables.journal.columns>) => Statement = createInsert(
  'journal',
  durableTables.journal.columns,
)

/** INSERTs a timer or a job. */
export const insertJob: (row: NewRowOf<typeof durableTables.scheduled_jobs.columns>) => Statement = createInsert(
  'scheduled_jobs',
  durableTables.scheduled_jobs.columns,
)

/** The names of those tables whose rows are actors. */
type ActorTableName<T extends Tables> = {
  [N in keyof T]: T[N]['columns'] extends typeof actorColumns ? N : never
}[keyof T]

/** An application's tables: typed columns and rows for its statements, and the source of its migrations. */
export interface Schema<T extends Tables> {
  readonly tables: T
  /** The folder of the migrations, one folder below it for each dialect. */
  readonly migrations: string
  /** `columnsOf('orders', 'id', 'status')`: these columns of a table, the same object each time. */
  columnsOf<N extends keyof T & string, const C extends keyof T[N]['columns'] & string>(
    table: N,
    ...names: readonly C[]
  ): Pick<T[N]['columns'], C>
  /** `insert('orders', {id: …}, …)`: at least one row. Table and columns are names of the program's own, never input. */
  insert<N extends keyof T & string>(table: N, ...rows: readonly NewRowOf<T[N]['columns']>[]): Statement
  /** The table of an actor definition. */
  actorTable<N extends ActorTableName<T> & string>(table: N): ActorTable<T[N]['columns'] & typeof actorColumns>
}

export type SchemaRow<T extends Tables, N extends keyof T> = RowOf<T[N]['columns']>

/** Binds an application's tables, the library's among them, and the folder of their migrations. */
export function defineSchema<const T extends Tables & typeof durableTables>(tables: T, migrations: string): Schema<T> {
  const picked = new Map<string, Columns>()
  const inserts = new Map<string, ReturnType<typeof createInsert>>()
  return {
    tables,
    migrations,
    columnsOf(table, ...names) {
      const key = `${table}: ${names.join()}`
      const known = picked.get(key) ?? pickColumns(tables, table, names)
      picked.set(key, known)
      return known as Pick<T[typeof table]['columns'], (typeof names)[number]>
    },
    insert(table, ...rows) {
      const insertInto = inserts.get(table) ?? createInsert(table, (tables as Tables)[table]?.columns ?? {})
      inserts.set(table, insertInto)
      return insertInto(...rows)
    },
    actorTable: name => ({ name, columns: (tables as Tables)[name]?.columns as never }),
  }
}

function pickColumns(tables: Tables, table: string, names: readonly string[]): Columns {
  return Object.fromEntries(Object.entries(tables[table]?.columns ?? {}).filter(([name]) => names.includes(name)))
}
