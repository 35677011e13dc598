import { join } from 'node:path'
import mysql, { type Pool, type PoolOptions } from 'mysql2'
import { DataSource } from 'typeorm'
import type { DatabaseAddress, DatabaseSchema } from './database_address.ts'
import { connectionOptions } from './mysql_address.ts'
import { sessionSettings } from './mysql_session.ts'
import { createEntities } from './schema.ts'

/** The driver, as TypeORM loads it, with the settings that each connection of a service has. */
const driver = {
  createPool(options: PoolOptions): Pool {
    const pool = mysql.createPool(options)
    pool.on('connection', connection => {
      // A connection without them must not be used: TypeORM's next statement fails.
      for (const sql of sessionSettings) connection.query(sql, error => error && connection.destroy())
    })
    return pool
  },
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
    : new DataSource({ ...shared, ...connectionOptions(address), username: address.user, type: 'mariadb', driver })
}
