import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import type { DatabaseAddress } from '../../src/durable/store/source.ts'

/** One statement of the floor. */
export interface Write {
  readonly sql: string
  readonly values: readonly (string | number | Buffer | null)[]
}

/** One durable transaction: what it reads under its lock, then what it writes. */
export type Commit = (reads: readonly Write[], writes: readonly Write[]) => Promise<void>

/** The floor's database, by hand: `tuned` shares COMMITs (SQLite) or round trips (MySQL), `plain` does neither. */
export interface FloorDatabase {
  readonly commit: Commit
  readonly lock: string
  readonly read: (statement: Write) => Promise<unknown>
  readonly counted: { commits: number; statements: number }
  close(): Promise<void>
}

type Style = 'plain' | 'tuned'

const openSqlite = (file: string, style: Style): FloorDatabase => {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  const counted = { commits: 0, statements: 0 }
  const prepared = new Map<string, Database.Statement>()
  const prepare = (sql: string): Database.Statement => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  const write = (reads: readonly Write[], writes: readonly Write[]): void => {
    for (const { sql, values } of reads) prepare(sql).all(...values)
    for (const { sql, values } of writes) prepare(sql).run(...values)
    counted.statements += reads.length + writes.length
    counted.commits++
  }
  const alone = database.transaction(write)
  const queue: { reads: readonly Write[]; writes: readonly Write[]; done: () => void }[] = []
  const together = database.transaction((group: typeof queue) => {
    for (const { reads, writes } of group) write(reads, writes)
  })
  const flush = (): void => {
    const group = queue.splice(0, 64)
    together.immediate(group)
    for (const { done } of group) done()
    if (queue.length > 0) setImmediate(flush)
  }
  const shared: Commit = (reads, writes) =>
    new Promise(done => {
      if (queue.push({ reads, writes, done }) === 1) setImmediate(flush)
    })
  return {
    commit: style === 'tuned' ? shared : async (reads, writes) => alone.immediate(reads, writes),
    lock: '',
    read: async ({ sql, values }) => prepare(sql).get(...values),
    counted,
    close: async () => void database.close(),
  }
}

type Address = Extract<DatabaseAddress, { dialect: 'mysql' }>

const openMysql = ({ host, port, user, password, database }: Address, style: Style): FloorDatabase => {
  const counted = { commits: 0, statements: 0 }
  const pool = mysql.createPool({
    ...{ host, port, user, password, database },
    connectionLimit: 10,
    multipleStatements: true,
    charset: 'utf8mb4_bin',
  })
  const plain = async (connection: mysql.PoolConnection, reads: readonly Write[], writes: readonly Write[]) => {
    await connection.query('START TRANSACTION')
    for (const { sql, values } of [...reads, ...writes]) await connection.execute(sql, [...values])
    await connection.query('COMMIT')
  }
  const batch = (connection: mysql.PoolConnection, statements: readonly Write[]) =>
    connection.query(
      statements.map(({ sql }) => sql).join(';'),
      statements.flatMap(({ values }) => [...values]),
    )
  const begin = { sql: 'START TRANSACTION', values: [] }
  const end = { sql: 'COMMIT', values: [] }
  const tuned = async (connection: mysql.PoolConnection, reads: readonly Write[], writes: readonly Write[]) => {
    if (reads.length > 0) await batch(connection, [begin, ...reads])
    await batch(connection, reads.length > 0 ? [...writes, end] : [begin, ...writes, end])
  }
  pool.pool.on('connection', connection => {
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  })
  const isDeadlock = (error: unknown): boolean => error instanceof Error && 'errno' in error && error.errno === 1213
  const once = async (reads: readonly Write[], writes: readonly Write[]): Promise<boolean> => {
    const connection = await pool.getConnection()
    try {
      await (style === 'tuned' ? tuned : plain)(connection, reads, writes)
      return true
    } catch (error) {
      await connection.query('ROLLBACK')
      if (!isDeadlock(error)) throw error
      return false
    } finally {
      connection.release()
    }
  }
  return {
    async commit(reads, writes) {
      counted.commits++
      counted.statements += reads.length + writes.length
      while (!(await once(reads, writes)));
    },
    lock: ' FOR UPDATE',
    read: async ({ sql, values }) => (await pool.execute(sql, [...values]))[0],
    counted,
    close: () => pool.end(),
  }
}

/** Opens a migrated database with the service's own settings for durability. */
export const openFloor = (address: DatabaseAddress, style: Style): FloorDatabase =>
  address.dialect === 'sqlite' ? openSqlite(address.file, style) : openMysql(address, style)
