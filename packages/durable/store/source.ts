import { join } from 'node:path'
import { DataSource } from 'typeorm'
import type { CrashHook } from '../crash_points.ts'
import { asError, unavailable } from '../errors.ts'
import type { Tables } from './columns.ts'
import { findUsableHost } from './host_health.ts'
import type { HostChange } from './hosts.ts'
import { openMysql } from './mysql.ts'
import { connectionOptions, type MysqlAddress } from './mysql_address.ts'
import { type OnStep, runMysqlMigrations } from './mysql_migrations.ts'
import { createEntities } from './schema.ts'
import { openSqlite } from './sqlite.ts'
import type { Store } from './store.ts'

/** Where the database is. */
export type DatabaseAddress =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | ({ readonly dialect: 'mysql' } & MysqlAddress)

/** The tables that a database should have, and the folder of the migrations that make them. */
export interface DatabaseSchema {
  readonly tables: Tables
  readonly migrations: string
}

/** TypeORM's view of the database, for migrations and the drift test only. Everything else goes through `Store`. */
export function createDataSource(address: DatabaseAddress, schema: DatabaseSchema): DataSource {
  const shared = {
    entities: createEntities(address.dialect, schema.tables),
    migrations: [join(schema.migrations, address.dialect, '*.{js,ts}')],
    migrationsTableName: 'migrations',
    synchronize: false,
  }
  // 'mariadb' works for MySQL too. 'mysql' would mistake MariaDB's notation of "no default" for a default, and report drift.
  return address.dialect === 'sqlite'
    ? new DataSource({ ...shared, type: 'better-sqlite3', database: address.file })
    : new DataSource({ ...shared, ...connectionOptions(address), username: address.user, type: 'mariadb' })
}

async function findUsable(address: DatabaseAddress): Promise<DatabaseAddress> {
  return address.dialect === 'sqlite' ? address : { ...(await findUsableHost(address)), dialect: 'mysql' }
}

/** Runs `work` with an initialised data source, and closes it in any case. */
async function withSource<T>(
  address: DatabaseAddress,
  schema: DatabaseSchema,
  work: (source: DataSource) => Promise<T>,
): Promise<T> {
  const source = await createDataSource(await findUsable(address), schema)
    // TypeORM's usual logger writes to stdout, which is the application's.
    .setOptions({ logger: 'debug' })
    .initialize()
    .catch(error => {
      throw unavailable(`the database is unavailable: ${asError(error).message}`)
    })
  try {
    return await work(source)
  } catch (error) {
    const { code } = (error as { driverError?: { code?: string } }).driverError ?? {}
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') throw unavailable(`the database is unreadable: ${code}`)
    throw error
  } finally {
    await source.destroy()
  }
}

/** Whether the schema is older than this build. */
export function hasPendingMigrations(address: DatabaseAddress, schema: DatabaseSchema): Promise<boolean> {
  return withSource(address, schema, source => source.showMigrations())
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
  for (let tried = 1; ; tried++) {
    try {
      return await runMigrations(address, schema, onStep)
    } catch (error) {
      // Of two processes on a new database one loses the race; the other has done the work or is doing it.
      if (!(await hasPendingMigrations(address, schema))) return []
      if (address.dialect !== 'sqlite' || tried === maxTries) throw error
    }
  }
}

/** What a store may be opened with. */
export interface StoreOptions {
  readonly crashHook?: CrashHook
  /** Memory for pages of an SQLite file. */
  readonly cacheMb?: number
  /** Called after a move from one host of the database to another. */
  readonly onHostChange?: (change: HostChange) => void
}

/**
 * Opens the database that `address` names. `connections` is the size of the pool of a server's connections, of each of
 * its hosts.
 */
export function openStore(address: DatabaseAddress, connections: number, options: StoreOptions = {}): Store {
  return address.dialect === 'sqlite' ? openSqlite(address.file, options) : openMysql(address, connections, options)
}
