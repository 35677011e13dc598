import { once } from 'node:events'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { asError } from '../errors.ts'
import { openSqliteFile } from './sqlite_file.ts'

/** Copies the write-ahead log of a file into the file, beside the event loop. */
export interface Checkpointer {
  /** Begins a copy where the log is long enough; called after each commit. */
  look(): void
  /** Resolves when no copy is under way. */
  idle(): Promise<void>
  /** Waits for the copy that is under way, and ends the thread. */
  close(): Promise<void>
}

/** A log this many times as long is copied by the commit itself: the thread could not keep up, or readers were in its way. */
const maxLogs = 4
/** A look takes some microseconds. */
const commitsPerLook = 8
const maxRounds = 8

/** SQLite's report of the log: the number of its pages; -1 if another connection copies it, or there is none. */
interface LogState {
  readonly log: number
}

/**
 * Runs in the thread. Commits go on meanwhile, and SQLite syncs the file only after a round during which none ended. So
 * it takes rounds, which become shorter, until one finds nothing new: the long sync is then done, and not left to a commit.
 */
export function copyLog(file: string): void {
  const database = openSqliteFile(file)
  const copy = database.prepare<[], LogState>('PRAGMA wal_checkpoint(PASSIVE)')
  try {
    let copied = -1
    for (let round = 0; round < maxRounds; round++) {
      const log = copy.get()?.log ?? -1
      if (log === copied) break
      copied = log
    }
  } finally {
    database.close()
  }
}

/** A thread that copies logs. It is started by the first of them, as most programs end before that. */
function createThread() {
  let thread: Worker | null = null
  return {
    async copy(file: string): Promise<void> {
      thread ??= new Worker(join(import.meta.dirname, `sqlite_checkpoint_thread${extname(import.meta.filename)}`))
      thread.ref()
      thread.postMessage(file)
      try {
        await once(thread, 'message')
        // It keeps no process alive that has nothing else to do.
        thread.unref()
      } catch (error) {
        // It has ended.
        thread = null
        throw error
      }
    },
    end: async () => void (await thread?.terminate()),
  }
}

/**
 * Copies the log in a thread once it has `pages` pages. By itself SQLite does that within a COMMIT, which then blocks the
 * event loop for the copy and its sync.
 */
export function createCheckpointer(database: Database.Database, pages: number): Checkpointer {
  database.pragma(`wal_autocheckpoint = ${maxLogs * pages}`)
  const measure = database.prepare<[], LogState>('PRAGMA wal_checkpoint(NOOP)')
  const thread = createThread()
  let commits = 0
  let beginsAt = pages
  let copying: Promise<void> | null = null

  /** SQLite's own copies may fail in the same way: commits are safe in the log, and a later copy tries again. */
  const report = (thrown: unknown): void =>
    process.emitWarning(`${database.name}-wal could not be copied: ${asError(thrown).message}`)
  const isLong = (): boolean => {
    const log = measure.get()?.log ?? -1
    if (log < pages) beginsAt = pages
    if (log < beginsAt) return false
    // While another process reads, the log can't begin again: the next copy is not worth it before as many pages more.
    beginsAt = log + pages
    return true
  }
  const copy = async (): Promise<void> => {
    await thread.copy(database.name)
    // The few pages since the last round. No commit comes between this and the next, which begins the log again.
    database.pragma('wal_checkpoint(PASSIVE)')
  }

  const idle = async (): Promise<void> => {
    while (copying !== null) await copying
  }

  return {
    look() {
      commits++
      if (commits % commitsPerLook !== 0 || copying !== null) return
      try {
        if (!isLong()) return
      } catch (thrown) {
        return report(thrown)
      }
      copying = copy()
        .catch(report)
        .finally(() => {
          copying = null
        })
    },
    idle,
    async close() {
      await idle()
      await thread.end()
    },
  }
}
