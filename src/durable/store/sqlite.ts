import Database from 'better-sqlite3'
import { type CrashHook, noCrash } from '../crash_points.ts'
import { asError, unavailable } from '../errors.ts'
import { dialects } from './dialect.ts'
import { createUnitRunner } from './sqlite_execute.ts'
import { openSqliteFile, toDurableError } from './sqlite_file.ts'
import type { Unit } from './statement.ts'
import type { Store } from './store.ts'

/** The most units that share one COMMIT: bounds how long the event loop is held and how much one failure undoes. */
const maxGroup = 64
/** While more units arrive in each turn of the event loop, so many turns are waited for theirs to share the COMMIT. */
const maxTurns = 16
/** Another process (a migration, the command line) may hold the write lock for this long before a write is refused. */
const busyTimeoutMs = 2000
/** SQLite itself waits by holding the event loop: for this long only, and then again. */
const busyPauseMs = 10
/** Waits are counted: a process that stood still meanwhile has not waited for the lock. */
const maxPauses = busyTimeoutMs / busyPauseMs

interface Waiting {
  /** Runs the unit and says what to tell its caller once the group is durable; `alone`, its failure is its own. */
  readonly run: (alone: boolean) => () => void
  readonly reject: (error: Error) => void
  readonly is_lasting: boolean
}

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * One COMMIT for all units of a group; where it throws, nothing of them is written. If a unit fails they run again, each in
 * a savepoint of its own, so that it takes no other with it: savepoints cost as much as three statements, and hardly ever
 * does one fail.
 */
const commitGroup = (database: Database.Database, group: readonly Waiting[], crashHook: CrashHook): void => {
  const is_lasting = group.some(waiting => waiting.is_lasting)
  const rollBack = (): void => {
    if (database.inTransaction) database.exec('ROLLBACK')
  }
  const write = (alone: boolean): readonly (() => void)[] => {
    database.exec('BEGIN IMMEDIATE')
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
    if (!is_lasting) database.exec('PRAGMA synchronous = NORMAL')
    const settlements = write(false)
    crashHook('commit.written')
    database.exec('COMMIT')
    crashHook('commit.durable')
    for (const settle of settlements) settle()
  } finally {
    rollBack()
    if (!is_lasting) database.exec('PRAGMA synchronous = FULL')
  }
}

const openFile = (file: string): Database.Database => {
  try {
    return openSqliteFile(file)
  } catch (error) {
    throw toDurableError(error)
  }
}

/**
 * SQLite behind the one way to commit. Units are synchronous and queue up; one turn of the event loop's units share a
 * COMMIT (group commit).
 */
export const openSqlite = (file: string, crashHook: CrashHook = noCrash): Store => {
  const database = openFile(file)
  database.pragma(`busy_timeout = ${busyPauseMs}`)
  const { execute, drive, inSavepoint } = createUnitRunner(database)
  // Not while another process reads; the next time then.
  const scrub = (): unknown => database.pragma('wal_checkpoint(TRUNCATE)')
  scrub()
  const queue: Waiting[] = []
  let flushing = false
  /** How often in a row another process had the lock. */
  let pauses = 0

  const flush = (): void => {
    const group = queue.splice(0, maxGroup)
    try {
      commitGroup(database, group, crashHook)
      pauses = 0
    } catch (error) {
      pauses = isBusy(error) ? (pauses + 1) % maxPauses : 0
      if (pauses > 0) queue.unshift(...group)
      else for (const { reject } of group) reject(toDurableError(error))
    }
    flushing = queue.length > 0
    if (flushing) setImmediate(gather, 1, 1)
  }
  /**
   * A COMMIT holds the event loop for as long as the disk takes, so under load a group is let grow first: as long as
   * the last turn brought more units. One that comes alone is written at once.
   */
  const gather = (seen: number, turns: number): void => {
    if (queue.length > seen && queue.length < maxGroup && turns < maxTurns)
      setImmediate(gather, queue.length, turns + 1)
    else flush()
  }
  const enqueue = (waiting: Waiting): void => {
    queue.push(waiting)
    if (flushing) return
    flushing = true
    setImmediate(gather, 1, 1)
  }

  return {
    dialect: dialects.sqlite,
    commit: <T>(unit: () => Unit<T>, { is_lasting = true } = {}) =>
      new Promise<T>((resolve, reject) => {
        const run = (alone: boolean): (() => void) => {
          try {
            const value = alone ? inSavepoint(unit) : drive(unit)
            return () => resolve(value)
          } catch (error) {
            if (!alone) throw error
            // A full disk or an I/O error undoes the whole transaction: going on would commit outside of one.
            if (!database.inTransaction) throw unavailable(`the database is unavailable (${asError(error).message})`)
            return () => reject(toDurableError(error))
          }
        }
        enqueue({ run, reject, is_lasting })
      }),
    read: async statement => {
      try {
        return execute(statement).rows
      } catch (error) {
        throw toDurableError(error)
      }
    },
    // The log still holds the pages as they were before.
    scrub: async () => void scrub(),
    close: async () => {
      while (queue.length > 0) flush()
      database.close()
    },
  }
}
