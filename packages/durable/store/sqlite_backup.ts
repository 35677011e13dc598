import { closeSync, openSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { readErrorCode } from '../errors.ts'
import { toDurableError } from './sqlite_file.ts'

/** The content of a file: the number of rows of each table, and the faults that SQLite finds. */
interface SqliteContent {
  /** Empty where the file is whole. */
  readonly faults: readonly string[]
  readonly rows: Readonly<Record<string, number>>
}

/** The thread's task: the file to read, and whether to write a copy of `source` there first. */
export interface SqliteTask {
  readonly file: string
  readonly source: string | null
}

const listTables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"

function readContent(file: string): SqliteContent {
  const database = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const found = database.pragma('integrity_check') as { readonly integrity_check: string }[]
    const names = database.prepare(listTables).pluck().all() as string[]
    const count = (name: string) => database.prepare(`SELECT COUNT(*) FROM "${name}"`).pluck().get() as number
    return {
      faults: found.map(row => row.integrity_check).filter(fault => fault !== 'ok'),
      rows: Object.fromEntries(names.map(name => [name, count(name)])),
    }
  } finally {
    database.close()
  }
}

/** Runs in the thread, which it blocks for as long as the disk takes. */
export function runSqliteTask({ file, source }: SqliteTask): SqliteContent {
  if (source !== null) {
    // SQLite takes an empty file for a new one, and keeps its mode: nobody else may read it.
    closeSync(openSync(file, 'wx', 0o600))
    const database = new Database(source, { readonly: true, fileMustExist: true })
    try {
      database.prepare('VACUUM INTO ?').run(file)
    } finally {
      database.close()
    }
  }
  return readContent(file)
}

function runInThread(workerData: SqliteTask): Promise<SqliteContent> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(join(import.meta.dirname, `sqlite_backup_thread${extname(import.meta.filename)}`), {
      workerData,
    })
    thread.once('message', resolve)
    thread.once('error', error => reject(toDurableError(error)))
  })
}

/**
 * Writes a copy of `source` to `file`, which must not exist, and reads it again. The copy is the database at one instant:
 * SQLite reads it in one transaction (`VACUUM INTO`), while other processes go on writing. SQLite's backup API would begin
 * again with each of their commits, and never end on a busy service.
 */
export function copySqlite(source: string, file: string): Promise<SqliteContent> {
  return runInThread({ source, file })
}

/** Checks every page of a file that nobody writes, and counts its rows. */
export function inspectSqlite(file: string): Promise<SqliteContent> {
  return runInThread({ source: null, file })
}

/**
 * Moves the content of the write-ahead log into the file and removes the log, so that the file can be moved. False if
 * another process has the file open.
 */
export function settleSqliteFile(file: string): boolean {
  const database = new Database(file, { fileMustExist: true })
  try {
    database.pragma('journal_mode = DELETE')
    return true
  } catch (error) {
    if (readErrorCode(error).startsWith('SQLITE_BUSY')) return false
    throw toDurableError(error)
  } finally {
    database.close()
  }
}
