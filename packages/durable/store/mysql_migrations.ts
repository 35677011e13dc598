import { createHash } from 'node:crypto'
import type { DataSource } from 'typeorm'

/** Called before and after each statement; a test ends there. */
export type OnStep = (place: 'before' | 'after', step: number) => void

/** MySQL's errors for a change of the schema that was made already. */
const madeAlready: ReadonlySet<number> = new Set([
  1050, // The table exists.
  1051, // The table to drop is unknown.
  1054, // The column to change is unknown.
  1060, // The column exists.
  1061, // The index exists.
  1091, // The column or the index to drop is unknown.
  1146, // The table to rename is unknown.
])

const steps = `CREATE TABLE IF NOT EXISTS migration_steps (
  migration varchar(255) NOT NULL, step int NOT NULL, statement_sha256 char(64) NOT NULL, is_done tinyint NOT NULL,
  PRIMARY KEY (migration, step))`

type Query = (sql: string, values?: unknown[]) => Promise<unknown>

interface NotedStep {
  readonly statement_sha256: string
  readonly is_done: number
}

function readErrorNumber(error: unknown): number {
  return (error as { driverError?: { errno?: number } }).driverError?.errno ?? 0
}

/**
 * Runs a migration's statements once each, also where an earlier run was killed among them: a server commits each change
 * of the schema by itself, so every step is noted before and after. A step of which only the beginning is noted may have
 * been done. Changes of rows are committed together with their note.
 */
function resume(query: Query, migration: string, onStep: OnStep): Query {
  let step = 0
  const set = (isDone: 0 | 1, own: number): Promise<unknown> =>
    query('UPDATE migration_steps SET is_done = ? WHERE migration = ? AND step = ?', [isDone, migration, own])
  const changeRows = async (sql: string, values: unknown[] | undefined, own: number): Promise<unknown> => {
    await query('START TRANSACTION')
    try {
      const made = await query(sql, values)
      await set(1, own)
      await query('COMMIT')
      return made
    } catch (error) {
      await query('ROLLBACK')
      throw error
    }
  }
  const changeSchema = async (sql: string, values: unknown[] | undefined, wasBegun: boolean): Promise<void> => {
    try {
      await query(sql, values)
    } catch (error) {
      if (!wasBegun || !madeAlready.has(readErrorNumber(error))) throw error
    }
  }
  return async (sql: string, values?: unknown[]) => {
    const own = ++step
    const statement = createHash('sha256').update(sql).digest('hex')
    const look = 'SELECT statement_sha256, is_done FROM migration_steps WHERE migration = ? AND step = ?'
    const [noted] = (await query(look, [migration, own])) as NotedStep[]
    if (noted !== undefined && noted.statement_sha256 !== statement)
      throw new Error(`${migration} was begun by another build, which must end it`)
    if (noted?.is_done === 1) return
    if (noted === undefined) await query('INSERT INTO migration_steps VALUES (?, ?, ?, 0)', [migration, own, statement])
    onStep('before', own)
    try {
      if (/^\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)) await changeRows(sql, values, own)
      else await changeSchema(sql, values, noted !== undefined)
    } catch (error) {
      // It failed by itself, and was not done.
      await query('DELETE FROM migration_steps WHERE migration = ? AND step = ?', [migration, own])
      throw error
    }
    onStep('after', own)
    await set(1, own)
  }
}

/** Runs the pending migrations of a server's database; resolves with their names. A run that is killed can be repeated. */
export async function runMysqlMigrations(source: DataSource, onStep: OnStep): Promise<readonly string[]> {
  const isPending = await source.showMigrations()
  if (isPending) await source.query(steps)
  for (const migration of source.migrations) {
    const up = migration.up.bind(migration)
    migration.up = runner => {
      const query = resume(runner.query.bind(runner), migration.name ?? migration.constructor.name, onStep)
      return up(new Proxy(runner, { get: (target, key) => (key === 'query' ? query : Reflect.get(target, key)) }))
    }
  }
  // Each step is a commit of its own.
  const ran = await source.runMigrations({ transaction: 'none' })
  await source.query('DROP TABLE IF EXISTS migration_steps')
  return ran.map(({ name }) => name)
}
