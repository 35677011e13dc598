import { openSqliteFile } from 'durable-xstate-sql/testing'

/** A statement with its values. */
export interface BoundStatement {
  readonly sql: string
  readonly reads: boolean
  readonly values: readonly (string | number | Buffer | null)[]
}

/** The database of a floor. */
export interface Replay {
  readonly counted: { commits: number; statements: number; reads: number; round_trips: number }
  /** A statement of the record as this database takes it. */
  translate(sql: string, inUnit: boolean): string
  read(statement: BoundStatement): Promise<void>
  /** One unit. */
  commit(statements: readonly BoundStatement[], isDurable: boolean): Promise<void>
}

interface Waiting {
  readonly statements: readonly BoundStatement[]
  readonly isDurable: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Largest group, as in the service: a group grows for as long as each turn of the event loop brings more units. */
const maxGroup = 64
const maxTurns = 16

/** An SQLite file with `schema` and the service's own settings. Units that wait at the same time share a COMMIT. */
export function openSqliteReplay(file: string, schema: readonly string[]): Replay {
  const database = openSqliteFile(file)
  for (const sql of schema) database.exec(sql)
  const counted = { commits: 0, statements: 0, reads: 0, round_trips: 0 }
  const prepared = new Map<string, ReturnType<typeof database.prepare>>()
  const execute = ({ sql, reads, values }: BoundStatement): void => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    counted[reads ? 'reads' : 'statements']++
    if (reads) statement.all(...values)
    else statement.run(...values)
  }
  const queue: Waiting[] = []
  const flush = (): void => {
    const group = queue.splice(0, maxGroup)
    const isDurable = group.some(one => one.isDurable)
    try {
      if (!isDurable) database.exec('PRAGMA synchronous = NORMAL')
      database.exec('BEGIN IMMEDIATE')
      for (const { statements } of group) for (const statement of statements) execute(statement)
      database.exec('COMMIT')
      for (const { resolve } of group) resolve()
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      if (!isDurable) database.exec('PRAGMA synchronous = FULL')
    }
    if (queue.length > 0) setImmediate(gather, 1, 1)
  }
  const gather = (seen: number, turns: number): void => {
    if (queue.length > seen && queue.length < maxGroup && turns < maxTurns)
      setImmediate(gather, queue.length, turns + 1)
    else flush()
  }
  return {
    counted,
    translate: sql => sql,
    read: async statement => execute(statement),
    commit: (statements, isDurable) =>
      new Promise<void>((resolve, reject) => {
        counted.commits++
        if (queue.push({ statements, isDurable, resolve, reject }) === 1) setImmediate(gather, 1, 1)
      }),
  }
}
