import { join } from 'node:path'
import { DataSource } from 'typeorm'
import { asError, unavailable } from '../../base/api_error.ts'
import { type CrashHook, noCrash } from '../../base/crash_points.ts'
import { connectionOptions, type MysqlAddress, openMysql } from './mysql.ts'
import { entities } from './schema.ts'
import { openSqlite } from './sqlite.ts'
import type { Store } from './store.ts'

/** Where the data lives, as `DATABASE_URL` says. */
export type DatabaseAddress =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | ({ readonly dialect: 'mysql' } & MysqlAddress)

/** TypeORM's view of the database, for migrations and the drift test only; the service's work goes through `Store`. */
export const dataSource = (address: DatabaseAddress): DataSource => {
  const shared = {
    entities: entities(address.dialect),
    migrations: [join(import.meta.dirname, '../../database/migrations', address.dialect, '*.ts')],
    migrationsTableName: 'migrations',
    synchronize: false,
  }
  // 'mariadb' serves MySQL too; 'mysql' would take MariaDB's word for "no default" for a default, and see drift.
  return address.dialect === 'sqlite'
    ? new DataSource({ ...shared, type: 'better-sqlite3', database: address.file })
    : new DataSource({ ...shared, ...connectionOptions(address), username: address.user, type: 'mariadb' })
}

/** Runs `work` with an initialised data source, which is closed whatever happens. */
const withSource = async <T>(address: DatabaseAddress, work: (source: DataSource) => Promise<T>): Promise<T> => {
  const source = await dataSource(address)
    // Its usual logger writes to stdout, which is for JSON lines and for the command line's answers.
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
export const hasPendingMigrations = (address: DatabaseAddress): Promise<boolean> =>
  withSource(address, source => source.showMigrations())

/**
 * On the embedded database all at once: of processes that start together one does the work, and no other meets it
 * half-done. A server commits every change of the schema by itself.
 */
const runMigrations = (address: DatabaseAddress): Promise<readonly string[]> =>
  withSource(address, async source => {
    const transaction = address.dialect === 'sqlite' ? 'all' : 'each'
    return (await source.runMigrations({ transaction })).map(({ name }) => name)
  })

/** A server's migrations are one step of its operator's; on the embedded database every process brings its own. */
const most_tries = 5

/** Brings the schema up to this build; resolves with the names of the migrations that it ran. */
export const migrate = async (address: DatabaseAddress): Promise<readonly string[]> => {
  for (let tried = 1; ; tried++) {
    try {
      return await runMigrations(address)
    } catch (error) {
      // Of two processes that start at once on a new database one loses the race, and finds its work done or under way.
      if (!(await hasPendingMigrations(address))) return []
      if (address.dialect !== 'sqlite' || tried === most_tries) throw error
    }
  }
}

/** Opens the database that `address` names. `connections` is the size of the pool of a server's connections. */
export const openStore = (address: DatabaseAddress, connections: number, crashHook: CrashHook = noCrash): Store =>
  address.dialect === 'sqlite' ? openSqlite(address.file, crashHook) : openMysql(address, connections, crashHook)
