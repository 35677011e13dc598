import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { asError, readErrorCode, unavailable } from '../errors.ts'
import type { Row, Statement } from './statement.ts'

/** Opening may wait for other processes: nothing else runs yet that would be delayed. */
const openingTimeoutMs = 10_000

/**
 * Turns SQLite's error into one that a caller can act on: `unavailable` if the file, the disk or another process is the
 * cause.
 */
export function toDurableError(thrown: unknown): Error {
  const error = asError(thrown)
  const code = readErrorCode(error)
  if (code === 'SQLITE_NOTADB')
    return unavailable(`the database is unavailable: its file is no SQLite database (${code})`)
  return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT)/.test(code)
    ? unavailable(`the database is unavailable (${code})`)
    : error
}

/**
 * Creates the file and its folder if they are missing, readable by their owner only. SQLite gives its journals the mode
 * of the file.
 * @throws {DurableError} `unavailable` if that fails
 */
export function makeSqliteFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    closeSync(openSync(file, 'a', 0o600))
    if (!statSync(file).isFile()) throw new Error('it is a device or a pipe')
  } catch (error) {
    throw unavailable(`${file} can't be used: ${asError(error).message}`)
  }
}

const maxTries = 20

/**
 * If processes open a new file at once, SQLite refuses all but one: a reader must not wait for the write lock, because two
 * would wait for each other. So this function waits for the exclusive lock, releases it, and tries again.
 */
function switchToWal(database: Database.Database): void {
  for (let tried = 1; ; tried++) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (readErrorCode(asError(error)) !== 'SQLITE_BUSY' || tried === maxTries) throw error
      database.exec('BEGIN EXCLUSIVE; ROLLBACK')
    }
  }
}

/** Opens the file with the settings that make a COMMIT durable: WAL and synchronous=FULL. */
export function openSqliteFile(file: string): Database.Database {
  const database = new Database(file, { timeout: openingTimeoutMs })
  switchToWal(database)
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  // Deleted values are overwritten, so that they can't be read from a free page.
  database.pragma('secure_delete = ON')
  // Savepoints keep old pages there; a file would need a system call for each.
  database.pragma('temp_store = MEMORY')
  return database
}

/** Reads the first row of a table without changing the file; null where file, table or row are missing. */
export function peek(file: string, table: string, { sql, values }: Statement): Row | null {
  if (!existsSync(file)) return null
  try {
    // It is not opened read-only: a killed process may have left a journal, which the first to open the file rolls
    // back.
    const database = new Database(file, { fileMustExist: true, timeout: openingTimeoutMs })
    try {
      const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table)
      return hasTable === undefined ? null : ((database.prepare(sql).get(...values) as Row | undefined) ?? null)
    } finally {
      database.close()
    }
  } catch (error) {
    throw toDurableError(error)
  }
}
