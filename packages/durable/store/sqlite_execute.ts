import type Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import type { Row, Statement, StatementResult, Unit, Value } from './statement.ts'

/**
 * The number of prepared statements that are cached. A program has far fewer, but a claim's text changes with the number
 * of its rows.
 */
const maxPrepared = 500

/**
 * SQLite plans some statements again whenever other values are bound, because the plan might depend on them: 43 µs
 * instead of 7 for a join. A unary plus hides the value from the planner and changes nothing else.
 */
function hideFromPlanner(sql: string): string {
  return sql.replaceAll('?', '+?')
}

/** Runs one prepared statement with these values. */
type Prepared = (values: readonly Value[]) => StatementResult

function prepare(database: Database.Database, sql: string): Prepared {
  const statement = database.prepare(hideFromPlanner(sql))
  // The driver is asked once, as each question to it costs as much as a lookup.
  return statement.reader
    ? values => ({ rows: statement.all(...values) as Row[], changed: 0 })
    : values => ({ rows: [], changed: statement.run(...values).changes })
}

/** A connection keeps its statements when another store is made of it. */
const ofConnections = new WeakMap<Database.Database, LRUCache<string, Prepared>>()

function executor(database: Database.Database): (statement: Statement) => StatementResult {
  const prepared =
    ofConnections.get(database) ??
    new LRUCache<string, Prepared>({ max: maxPrepared, memoMethod: sql => prepare(database, sql) })
  ofConnections.set(database, prepared)
  return ({ sql, values }) => prepared.memo(sql)(values)
}

/** Runs single statements, and units, which may have a savepoint of their own. */
export function createUnitRunner(database: Database.Database) {
  const execute = executor(database)
  const drive = <T>(unit: () => Unit<T>): T => {
    const steps = unit()
    let step = steps.next()
    while (!step.done) step = steps.next(('later' in step.value ? step.value.later : step.value).map(execute))
    return step.value
  }
  const inSavepoint = <T>(unit: () => Unit<T>): T => {
    database.exec('SAVEPOINT unit')
    try {
      const value = drive(unit)
      database.exec('RELEASE unit')
      return value
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK TO unit; RELEASE unit')
      throw error
    }
  }
  return { execute, drive, inSavepoint }
}
