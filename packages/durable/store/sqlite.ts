import Database from 'better-sqlite3'
import { type CrashHook, noCrash } from '../crash_points.ts'
import { asError, unavailable } from '../errors.ts'
import { dialects } from './dialect.ts'
import { type Checkpointer, createCheckpointer } from './sqlite_checkpoint.ts'
import { createUnitRunner } from './sqlite_execute.ts'
import { openSqliteFile, toDurableError } from './sqlite_file.ts'
import { createSqliteWriter, type SqliteWriter } from './sqlite_writer.ts'
import { runAll, type Statement, type Unit } from './statement.ts'
import type { Store } from './store.ts'

/** The most units that share one COMMIT. It bounds how long the event loop is blocked and how much one failure undoes. */
const maxGroup = 64
/** While each turn of the event loop brings more units, a COMMIT waits for this many turns, so that they share it. */
const maxTurns = 16
/** Another process may hold the write lock for this long before a write fails as `unavailable`. */
const busyTimeoutMs = 2000
/** SQLite blocks the event loop while it waits for the lock: for this long only, then it tries again. */
const busyPauseMs = 10
/** Waits are counted, not timed: a process that was suspended meanwhile has not waited for the lock. */
const maxPauses = busyTimeoutMs / busyPauseMs

/** Megabytes of the file's pages that stay in memory. */
const defaultCacheMb = 64
/** Pages of 4 KiB in the log before they are copied into the file. A page that changes often is then copied once. */
const defaultCheckpointPages = 8000

interface Waiting {
  /**
   * Runs the unit; the returned function settles its caller's promise once the group is durable. If it runs `alone`,
   * its failure does not affect others.
   */
  readonly run: (alone: boolean) => () => void
  readonly reject: (error: Error) => void
  readonly isDurable: boolean
}

/** Each group has these statements, so they are prepared once. */
interface Connection {
  readonly database: Database.Database
  readonly begin: Database.Statement
  readonly commit: Database.Statement
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

/**
 * One COMMIT for all units of a group; where it throws, none of them is written. If a unit fails they run again, each in a
 * savepoint of its own, so that only the failed one is undone. Savepoints cost as much as three statements and units
 * rarely fail, so the first try does without.
 */
function commitGroup({ database, begin, commit }: Connection, group: readonly Waiting[], crashHook: CrashHook): void {
  const isDurable = group.some(waiting => waiting.isDurable)
  const rollBack = (): void => {
    if (database.inTransaction) database.exec('ROLLBACK')
  }
  const write = (alone: boolean): readonly (() => void)[] => {
    begin.run()
    crashHook('commit.begun')
    try {
      return group.map(waiting => waiting.run(alone))
    } catch (error) {
      if (alone) throw error
      rollBack()
      return write(true)
    }
  }
  try {
    if (!isDurable) database.exec('PRAGMA synchronous = NORMAL')
    const settlements = write(false)
    crashHook('commit.written')
    commit.run()
    crashHook('commit.durable')
    for (const settle of settlements) settle()
  } finally {
    rollBack()
    if (!isDurable) database.exec('PRAGMA synchronous = FULL')
  }
}

function openFile(file: string, cacheMb: number): Database.Database {
  try {
    const database = openSqliteFile(file)
    // A negative number counts KiB, not pages.
    database.pragma(`cache_size = -${cacheMb * 1024}`)
    database.pragma(`busy_timeout = ${busyPauseMs}`)
    return database
  } catch (error) {
    throw toDurableError(error)
  }
}

/** The options of an SQLite file. */
export interface SqliteOptions {
  readonly crashHook?: CrashHook
  readonly cacheMb?: number
  readonly checkpointPages?: number
}

/** The parts of a store on a file that is open. */
export interface SqliteParts {
  readonly database: Database.Database
  readonly crashHook: CrashHook
  /** Copies the log into the file. */
  readonly checkpointer: Checkpointer
  /** Writes large values beside the event loop; null: they are written as all others. */
  readonly writer: SqliteWriter | null
  /** Calls `go` in the next turn of the event loop. */
  readonly defer: (go: () => void) => void
}

/** SQLite as a store. Units are synchronous and queue up; those of one turn of the event loop share a COMMIT (group commit). */
export function openSqlite(
  file: string,
  { crashHook = noCrash, cacheMb = defaultCacheMb, checkpointPages = defaultCheckpointPages }: SqliteOptions = {},
): Store {
  const database = openFile(file, cacheMb)
  const checkpointer = createCheckpointer(database, checkpointPages)
  return createSqliteStore({ database, crashHook, checkpointer, writer: createSqliteWriter(file), defer: setImmediate })
}

/** A store on a database that is open. */
export function createSqliteStore({ database, crashHook, checkpointer, writer, defer }: SqliteParts): Store {
  const { execute, drive, inSavepoint } = createUnitRunner(database)
  const connection = { database, begin: database.prepare('BEGIN IMMEDIATE'), commit: database.prepare('COMMIT') }
  // It does nothing while another process reads; then the next call does it.
  const scrub = (): void => void database.pragma('wal_checkpoint(TRUNCATE)')
  scrub()
  const queue: Waiting[] = []
  /** Work that nobody may commit beside, such as the writer's. */
  const asideWork: (() => Promise<void>)[] = []
  /** Whether a COMMIT is planned, or the writer has the file: SQLite has one writer at a time, and would block this one. */
  let flushing = false
  /** The number of times in a row that another process held the lock. */
  let pauses = 0

  const flush = (): void => {
    const group = queue.splice(0, maxGroup)
    try {
      commitGroup(connection, group, crashHook)
      pauses = 0
      checkpointer.look()
    } catch (error) {
      pauses = isBusy(error) ? (pauses + 1) % maxPauses : 0
      if (pauses > 0) queue.unshift(...group)
      else for (const { reject } of group) reject(toDurableError(error))
    }
    goOn(true)
  }
  /** The writer and the queue take turns, so that neither waits for all of the other. */
  const goOn = (isWritersTurn: boolean): void => {
    const beside = isWritersTurn || queue.length === 0 ? asideWork.shift() : undefined
    flushing = beside !== undefined || queue.length > 0
    if (beside !== undefined) void beside().then(() => goOn(false))
    else if (flushing) defer(() => gather(1, 1))
  }
  /**
   * A COMMIT blocks the event loop for as long as the disk takes. So under load a group first grows, while each turn
   * brings more units. A unit that comes alone is written at once.
   */
  const gather = (seen: number, turns: number): void => {
    const { length } = queue
    if (length > seen && length < maxGroup && turns < maxTurns) defer(() => gather(length, turns + 1))
    else flush()
  }
  const enqueue = (waiting: Waiting): void => {
    queue.push(waiting)
    if (!flushing) goOn(false)
  }
  const commit = <T>(unit: () => Unit<T>, { isDurable = true } = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const run = (alone: boolean): (() => void) => {
        try {
          const value = alone ? inSavepoint(unit) : drive(unit)
          return () => resolve(value)
        } catch (error) {
          if (!alone) throw error
          // A full disk or an I/O error rolls back the whole transaction: later statements would be outside of one.
          if (!database.inTransaction) throw unavailable(`the database is unavailable (${asError(error).message})`)
          return () => reject(toDurableError(error))
        }
      }
      enqueue({ run, reject, isDurable })
    })
  /** Works while no commit is under way, and none begins. */
  const takeTurn = (work: () => Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      asideWork.push(() => work().then(resolve, (error: unknown) => reject(asError(error))))
      if (!flushing) goOn(true)
    })
  const writeBeside = async (by: SqliteWriter, statements: readonly Statement[]): Promise<void> => {
    await takeTurn(async () => {
      crashHook('commit.begun')
      await by.write(statements)
      crashHook('commit.durable')
    })
    checkpointer.look()
  }

  return {
    dialect: dialects.sqlite,
    commit,
    writeBeside: async statements => {
      if (writer === null) await commit(() => runAll(statements))
      else await writeBeside(writer, statements)
    },
    read: async statement => {
      try {
        return execute(statement).rows
      } catch (error) {
        throw toDurableError(error)
      }
    },
    // The log still holds the pages as they were before.
    scrub: () => checkpointer.idle().then(() => takeTurn(async () => scrub())),
    hostName: () => null,
    readTimes: async () => [],
    close: async () => {
      await takeTurn(async () => {})
      while (queue.length > 0) flush()
      await writer?.close()
      await checkpointer.close()
      database.close()
    },
  }
}
