import { readErrorCode } from '../errors.ts'
import { ConflictError, type Statement, type Value } from './statement.ts'

/** The engines. MariaDB and MySQL share one dialect: only SQL common to both is used. */
export type DialectName = 'sqlite' | 'mysql'

/** The differences between the engines, each with the reason. */
export interface Dialect {
  readonly name: DialectName
  /** Whether commits run one after the other, each with the whole database locked. */
  readonly hasOneWriter: boolean
  /**
   * Appended to a SELECT of the row that the unit will write. In SQLite the only writer has already locked the whole
   * database.
   */
  readonly forUpdate: string
  /** Appended to a claim's SELECT, so that two nodes don't wait for each other's rows. */
  readonly skipLocked: string
  /**
   * `column = ?` for the first columns of an index of which a range is wanted. MariaDB would look up the equal columns
   * only and walk past all rows outside of the range. It handles two comparisons as wanted.
   */
  equals(column: string, value: Value): Statement
  /**
   * Reads the lanes of a queue by name, `limit` from the one after `after` (null is the first), each with the first
   * instant at which one of its rows is ready. It costs one index lookup a lane, even if many rows wait; each engine
   * has its own way to do that.
   */
  lanes(queue: string, after: string | null, limit: number): Statement
  /** The row exists already, by a unique index. */
  isDuplicate(error: unknown): boolean
  /** The unit lost a race and should run again from its beginning. */
  isRetryable(error: unknown): boolean
}

/** The first lane may have an empty name. */
function beyond(after: string | null): string {
  return after === null ? '>=' : '>'
}

/** Each engine's dialect. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: 'sqlite',
    hasOneWriter: true,
    forUpdate: '',
    skipLocked: '',
    equals: (column, value) => ({ sql: `${column} = ?`, values: [value] }),
    lanes: (queue, after, limit) => ({
      sql: `WITH RECURSIVE found (lane) AS (
        SELECT MIN(lane) FROM scheduled_jobs WHERE queue = ? AND lane ${beyond(after)} ?
        UNION ALL
        SELECT (SELECT MIN(lane) FROM scheduled_jobs WHERE queue = ? AND lane > found.lane)
        FROM found WHERE lane IS NOT NULL
        LIMIT ${limit}
      ) SELECT lane, (SELECT MIN(ready_at) FROM scheduled_jobs WHERE queue = ? AND scheduled_jobs.lane = found.lane) AS ready_at
        FROM found WHERE lane IS NOT NULL`,
      values: [queue, after ?? '', queue, queue],
    }),
    isDuplicate: error => ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(readErrorCode(error)),
    // A synchronous unit under BEGIN IMMEDIATE races with nobody.
    isRetryable: () => false,
  },
  mysql: {
    name: 'mysql',
    hasOneWriter: false,
    forUpdate: ' FOR UPDATE',
    skipLocked: ' FOR UPDATE SKIP LOCKED',
    equals: (column, value) => ({ sql: `${column} >= ? AND ${column} <= ?`, values: [value, value] }),
    lanes: (queue, after, limit) => ({
      sql: `SELECT lane, MIN(ready_at) AS ready_at FROM scheduled_jobs WHERE queue = ? AND lane ${beyond(after)} ?
        GROUP BY queue, lane ORDER BY queue, lane LIMIT ${limit}`,
      values: [queue, after ?? ''],
    }),
    isDuplicate: error => readErrorCode(error) === 'ER_DUP_ENTRY',
    // 1213 (deadlock) can come from any statement, also from COMMIT, where Galera certifies. 1205 (lock wait timeout)
    // and 1020 (record changed) mean the same.
    isRetryable: error =>
      error instanceof ConflictError ||
      ['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD'].includes(readErrorCode(error)),
  },
}
