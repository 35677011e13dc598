import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type DatabaseAddress, migrate, openStore, type Store } from 'durable-xstate-sql'
import type { MysqlAddress } from 'durable-xstate-sql/sql'
import mysql from 'mysql2/promise'
import { newId } from '../src/base/ids.ts'
import { schema } from '../src/database/schema.ts'
import { isLong } from './tier.ts'

/** A migrated database of a test's own; `drop` removes it. */
export interface TestDatabase {
  readonly address: DatabaseAddress
  readonly drop: () => Promise<void>
}

/** An engine that the tests run on. */
export interface TestEngine {
  readonly name: 'SQLite' | 'MariaDB'
  fresh(): Promise<TestDatabase>
  /** Creates a database without a schema, for the tests of the migrations themselves. */
  empty(): Promise<TestDatabase>
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'attestor-test-'))
}

/**
 * Migrating takes many times as long as copying a migrated database: `npm test` does it once, and so does a file that
 * runs alone.
 */
let sqliteTemplate: Promise<string> | null = null

async function openSqliteTemplate(): Promise<string> {
  const { TEST_SQLITE_TEMPLATE } = process.env
  if (TEST_SQLITE_TEMPLATE) return TEST_SQLITE_TEMPLATE
  const within = folder()
  process.once('exit', () => rmSync(within, { recursive: true, force: true }))
  return makeSqliteTemplate(within)
}

/** Migrates a database in `within`, for the tests to copy. */
export async function makeSqliteTemplate(within: string): Promise<string> {
  const file = join(within, 'template.sqlite')
  await migrate({ dialect: 'sqlite', file }, schema)
  return file
}

function sqliteDatabase(): { address: { dialect: 'sqlite'; file: string }; drop: () => Promise<void> } {
  const within = folder()
  const drop = async (): Promise<void> => rmSync(within, { recursive: true, force: true })
  return { address: { dialect: 'sqlite', file: join(within, 'test.sqlite') }, drop }
}

/** SQLite is always there: use it where the dialect makes no difference. */
export const sqlite: TestEngine = {
  name: 'SQLite',
  empty: async () => sqliteDatabase(),
  async fresh() {
    sqliteTemplate ??= openSqliteTemplate()
    const database = sqliteDatabase()
    copyFileSync(await sqliteTemplate, database.address.file)
    return database
  },
}

/**
 * Returns the address of the server that `TEST_MYSQL_URL` names, such as `mysql://root:@127.0.0.1:3306`, without its
 * path.
 */
export function testServer(url: string): Omit<MysqlAddress, 'database'> {
  const { hostname, port, username, password } = new URL(url)
  return {
    host: hostname,
    port: Number(port || '3306'),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
}

/** The tables of a migrated database as one text, and the rows that migrations wrote. */
async function dump(connection: mysql.Connection): Promise<string> {
  const select = async (sql: string) => (await connection.query(sql))[0] as Record<string, unknown>[]
  const statements = ['SET foreign_key_checks = 0']
  for (const row of await select("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'")) {
    const table = String(Object.values(row)[0])
    const [made] = await select(`SHOW CREATE TABLE ${table}`)
    statements.push(String(made?.['Create Table']))
    for (const values of await select(`SELECT * FROM ${table}`))
      statements.push(connection.format(`INSERT INTO ${table} SET ?`, [values]))
  }
  return statements.join(';\n')
}

/** Returns the SQL that makes the tables of a new database on the server of `url`. */
export async function makeMariadbTemplate(url: string): Promise<string> {
  const database = `attestor_template_${newId().replaceAll('-', '')}`
  const connection = await mysql.createConnection(testServer(url))
  await connection.query(createDatabase(database))
  await migrate({ dialect: 'mysql', ...testServer(url), database }, schema)
  await connection.query(`USE ${database}`)
  const text = await dump(connection)
  await connection.query(`DROP DATABASE ${database}`)
  await connection.end()
  return text
}

function createDatabase(name: string): string {
  return `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`
}

let mariadbTemplate: Promise<string> | null = null

async function openMariadbTemplate(url: string): Promise<string> {
  const { TEST_MYSQL_TEMPLATE } = process.env
  return TEST_MYSQL_TEMPLATE ? readFileSync(TEST_MYSQL_TEMPLATE, 'utf8') : makeMariadbTemplate(url)
}

function mariadb(url: string): TestEngine {
  // A test's process may stand still for long, and its own end is the only one it needs.
  const server = { ...testServer(url), timeoutMs: 240_000 }
  const onServer = async (sql: string): Promise<void> => {
    const options = { ...testServer(url), connectTimeout: server.timeoutMs, multipleStatements: true }
    const connection = await mysql.createConnection(options)
    await connection.query(sql)
    await connection.end()
  }
  const create = async (tables: string): Promise<TestDatabase> => {
    const database = `attestor_test_${newId().replaceAll('-', '')}`
    await onServer(`${createDatabase(database)};\nUSE ${database};\n${tables}`)
    return {
      address: { dialect: 'mysql', ...server, database },
      drop: () => onServer(`DROP DATABASE IF EXISTS ${database}`),
    }
  }
  return {
    name: 'MariaDB',
    empty: () => create(''),
    async fresh() {
      mariadbTemplate ??= openMariadbTemplate(url)
      return create(await mariadbTemplate)
    },
  }
}

const url = process.env.TEST_MYSQL_URL

/**
 * The engines for tests that depend on the dialect: stores, jobs, hosts, migrations, hand-written SQL, paths over HTTP.
 * SQLite always; MariaDB (or MySQL) if `TEST_MYSQL_URL` names a server, as `npm test` does by itself.
 */
export const eachDialect: readonly TestEngine[] = url ? [sqlite, mariadb(url)] : [sqlite]

/**
 * The engine for tests in which a second dialect proves nothing new: pages, texts, rules, the API's document. The long
 * tier runs both.
 */
export const oneDialect: readonly TestEngine[] = isLong ? eachDialect : [sqlite]

/** Registers a test on SQLite, and on both in the long tier: other tests send its statements to MariaDB. */
export function forOneDialect<Register extends (...args: never[]) => void>(
  engine: TestEngine,
  register: Register,
): Register {
  return oneDialect.includes(engine) ? register : ((() => {}) as unknown as Register)
}

/** A store on a fresh database; both end with the test. */
export async function openTestStore(
  t: ExecutionContext,
  engine: TestEngine,
  connections: number,
): Promise<{ readonly store: Store; readonly database: TestDatabase }> {
  const database = await engine.fresh()
  const store = await openStore(database.address, connections)
  t.teardown(async () => {
    await store.close()
    await database.drop()
  })
  return { store, database }
}
