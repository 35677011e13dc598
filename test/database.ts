import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import { newId } from '../src/base/ids.ts'
import { schema } from '../src/database/schema.ts'
import type { MysqlAddress } from '../src/durable/store/mysql_address.ts'
import { type DatabaseAddress, migrate } from '../src/durable/store/source.ts'

/** A migrated database of a test's own; `drop` removes it. */
export interface TestDatabase {
  readonly address: DatabaseAddress
  readonly drop: () => Promise<void>
}

/** An engine that the tests run on. */
export interface TestEngine {
  readonly name: 'SQLite' | 'MariaDB'
  fresh(): Promise<TestDatabase>
  /** Without a schema, for the tests of the migrations themselves. */
  empty(): Promise<TestDatabase>
}

const folder = (): string => mkdtempSync(join(tmpdir(), 'attestor-test-'))

/** Migrating takes ten times as long as copying what was migrated: each test process does it once. */
let template: Promise<string> | null = null

const migratedTemplate = async (): Promise<string> => {
  const within = folder()
  process.once('exit', () => rmSync(within, { recursive: true, force: true }))
  const file = join(within, 'template.sqlite')
  await migrate({ dialect: 'sqlite', file }, schema)
  return file
}

const sqliteDatabase = (): { address: { dialect: 'sqlite'; file: string }; drop: () => Promise<void> } => {
  const within = folder()
  const drop = async (): Promise<void> => rmSync(within, { recursive: true, force: true })
  return { address: { dialect: 'sqlite', file: join(within, 'test.sqlite') }, drop }
}

const sqlite: TestEngine = {
  name: 'SQLite',
  empty: async () => sqliteDatabase(),
  async fresh() {
    template ??= migratedTemplate()
    const database = sqliteDatabase()
    copyFileSync(await template, database.address.file)
    return database
  },
}

/** The server that `TEST_MYSQL_URL` names, such as `mysql://root:@127.0.0.1:3306`; a path is left out of account. */
export const testServer = (url: string): Omit<MysqlAddress, 'database'> => {
  const { hostname, port, username, password } = new URL(url)
  return {
    host: hostname,
    port: Number(port || '3306'),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
}

const mariadb = (url: string): TestEngine => {
  // A test's process may stand still for long, and its own end is the only one it needs.
  const server = { ...testServer(url), timeoutMs: 240_000 }
  const onServer = async (sql: string): Promise<void> => {
    const connection = await mysql.createConnection({ ...testServer(url), connectTimeout: server.timeoutMs })
    await connection.query(sql)
    await connection.end()
  }
  const empty = async (): Promise<TestDatabase & { address: DatabaseAddress }> => {
    const database = `attestor_test_${newId().replaceAll('-', '')}`
    await onServer(`CREATE DATABASE ${database} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`)
    return {
      address: { dialect: 'mysql', ...server, database },
      drop: () => onServer(`DROP DATABASE IF EXISTS ${database}`),
    }
  }
  return {
    name: 'MariaDB',
    empty,
    async fresh() {
      const database = await empty()
      await migrate(database.address, schema)
      return database
    },
  }
}

const url = process.env.TEST_MYSQL_URL

/** SQLite always; MariaDB (or MySQL) where `TEST_MYSQL_URL` names a server, as `npm test` does by itself. */
export const databases: readonly TestEngine[] = url ? [sqlite, mariadb(url)] : [sqlite]
