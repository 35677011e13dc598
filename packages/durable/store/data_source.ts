import { join } from 'node:path'
import { DataSource } from 'typeorm'
import type { DatabaseAddress, DatabaseSchema } from './database_address.ts'
import { connectionOptions } from './mysql_address.ts'
import { createEntities } from './schema.ts'

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
