import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataSource } from 'typeorm'
import type { CrashHook } from '../crash_points.ts'
import { asError, readErrorCode, unavailable } from '../errors.ts'
import type { DatabaseAddress, DatabaseSchema } from './database_address.ts'
import type { HostChange } from './hosts.ts'
import { describeRefusal } from './mysql_errors.ts'
import { type OnStep, runMysqlMigrations } from './mysql_migrations.ts'
import { openSqlite } from './sqlite.ts'
import { peek } from './sqlite_file.ts'
import { toPlaceholders } from './statement.ts'
import type { Store } from './store.ts'

async function findUsable(address: DatabaseAddress): Promise<DatabaseAddress> {
  if (address.dialect === 'sqlite') return address
  const { findUsableHost } = await import('./host_health.ts')
  return { ...(await findUsableHost(address)), dialect: 'mysql' }
}

/** Runs `work` with an initialised data source, and closes it in any case. */
async function withSource<T>(
  address: DatabaseAddress,
  schema: DatabaseSchema,
  work: (source: DataSource) => Promise<T>,
): Promise<T> {
  const { createDataSource, findConnectionFault } = await import('./data_source.ts')
  // TypeORM's usual logger writes to stdout, which is the application's.
  const source = createDataSource(await findUsable(address), schema).setOptions({ logger: 'debug' })
  await source.initialize().catch(error => {
    const cause = findConnectionFault(source) ?? error
    throw unavailable(`the database is unavailable: ${describeRefusal(cause) ?? asError(cause).message}`)
  })
  try {
    return await work(source)
  } catch (error) {
    const { driverError } = error as { driverError?: Error }
    const code = readErrorCode(driverError)
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') throw unavailable(`the database is unreadable: ${code}`)
    const refusal = describeRefusal(findConnectionFault(source)) ?? describeRefusal(driverError)
    if (refusal !== null) throw unavailable(`the database is unavailable: ${refusal}`)
    throw error
  } finally {
    await source.destroy()
  }
}

/** Whether every migration has run, found without TypeORM, which is a sixth of a start; it decides where this is false. */
async function isMigrated(address: DatabaseAddress, { migrations }: DatabaseSchema): Promise<boolean> {
  if (address.dialect !== 'sqlite') return false
  const files = await readdir(join(migrations, address.dialect))
  const timestamps = files.flatMap(name => /^(\d+)-.*(?<!\.d)\.[jt]s$/.exec(name)?.[1] ?? []).map(Number)
  const sql = `SELECT COUNT(*) AS count FROM migrations WHERE timestamp IN (${toPlaceholders(timestamps)})`
  return peek(address.file, 'migrations', { sql, values: timestamps })?.count === timestamps.length
}

/** Whether the schema is older than this build. */
export async function hasPendingMigrations(address: DatabaseAddress, schema: DatabaseSchema): Promise<boolean> {
  return !(await isMigrated(address, schema)) && withSource(address, schema, source => source.showMigrations())
}

/** Whether there is no schema yet, of any build. */
export function isEmptyDatabase(address: DatabaseAddress, schema: DatabaseSchema): Promise<boolean> {
  return withSource(address, schema, async source => !(await source.createQueryRunner().hasTable('scheduled_jobs')))
}

/**
 * SQLite runs them in one transaction: of processes that start together one does the work, and no other sees it half
 * done. A server commits each change of the schema separately.
 */
function runMigrations(address: DatabaseAddress, schema: DatabaseSchema, onStep: OnStep): Promise<readonly string[]> {
  return withSource(address, schema, async source => {
    if (address.dialect === 'mysql') return runMysqlMigrations(source, onStep)
    return (await source.runMigrations({ transaction: 'all' })).map(({ name }) => name)
  })
}

/** Several processes may migrate the same SQLite file at once; a server's migrations are one step of its operator's. */
const maxTries = 5

/**
 * Brings the schema up to this build; resolves with the names of the migrations that it ran. Where it was killed, it can be
 * run again.
 */
export async function migrate(
  address: DatabaseAddress,
  schema: DatabaseSchema,
  onStep: OnStep = () => {},
): Promise<readonly string[]> {
  if (await isMigrated(address, schema)) return []
  for (let tried = 1; ; tried++) {
    try {
      return await runMigrations(address, schema, onStep)
    } catch (error) {
      // If two processes open a new database, one loses the race; the other has done the work or is doing it.
      if (!(await hasPendingMigrations(address, schema))) return []
      if (address.dialect !== 'sqlite' || tried === maxTries) throw error
    }
  }
}

/** The options of a store. */
export interface StoreOptions {
  readonly crashHook?: CrashHook
  /** Memory for pages of an SQLite file. */
  readonly cacheMb?: number
  /** Called after a move from one host of the database to another. */
  readonly onHostChange?: (change: HostChange) => void
}

/**
 * Opens the database that `address` names. `connections` is the size of the pool of a server's connections, of each of
 * its hosts. What a server needs is loaded only for one: it takes a tenth of a start.
 */
export async function openStore(
  address: DatabaseAddress,
  connections: number,
  options: StoreOptions = {},
): Promise<Store> {
  if (address.dialect === 'sqlite') return openSqlite(address.file, options)
  const { openMysql } = await import('./mysql.ts')
  return openMysql(address, connections, options)
}
