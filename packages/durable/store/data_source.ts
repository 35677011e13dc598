import { join } from 'node:path'
import mysql, { type Pool, type PoolOptions } from 'mysql2'
import { DataSource } from 'typeorm'
import type { DatabaseAddress, DatabaseSchema } from './database_address.ts'
import { connectionOptions } from './mysql_address.ts'
import { sessionSettings } from './mysql_session.ts'
import { createEntities } from './schema.ts'

/** Why a connection did not get its settings, which TypeORM's own error does not say. */
const faults = new WeakMap<DataSource, Error>()

/** Returns why the first connection that is no use was closed; undefined where there is none. */
export function findConnectionFault(source: DataSource): Error | undefined {
  return faults.get(source)
}

/** The driver, as TypeORM loads it, with the settings that each connection of a service has. */
function createDriver(onFault: (error: Error) => void) {
  return {
    createPool(options: PoolOptions): Pool {
      const pool = mysql.createPool(options)
      pool.on('connection', connection => {
        const close = (error: Error | null): void => {
          if (error === null) return
          onFault(error)
          // A connection without them must not be used: TypeORM's next statement fails.
          connection.destroy()
        }
        for (const sql of sessionSettings) connection.query(sql, close)
      })
      return pool
    },
  }
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
  if (address.dialect === 'sqlite') return new DataSource({ ...shared, type: 'better-sqlite3', database: address.file })
  const driver = createDriver(error => {
    if (!faults.has(source)) faults.set(source, error)
  })
  const options = { ...connectionOptions(address), username: address.user, type: 'mariadb', driver } as const
  const source = new DataSource({ ...shared, ...options })
  return source
}
