import mysql from 'mysql2/promise'
import { passBy, type Reach } from '../base/instants.ts'
import { asError, unavailable } from '../base/refusal.ts'
import { dialects } from './dialect.ts'
import type { Outcome, Row, Statement, Unit } from './statement.ts'
import type { Store } from './store.ts'

/** A unit that keeps losing races is given up as 503 after this many tries. */
const most_tries = 8
/** A server that doesn't answer within this long is taken for gone (facts: at least 5 s at COMMIT). */
const query_timeout_ms = 10_000
const connect_timeout_ms = 3_000

/** Where the server is. */
export interface MysqlAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

/** Settings that every connection of ours shares, the migrations' included. */
export const connectionOptions = (address: MysqlAddress) => ({
  host: address.host,
  port: address.port,
  user: address.user,
  password: address.password,
  database: address.database,
  charset: 'utf8mb4_bin',
  timezone: 'Z',
  supportBigNumbers: true,
  bigNumberStrings: false,
  connectTimeout: connect_timeout_ms,
})

const isServerFault = (error: Error): boolean => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const fatal = 'fatal' in error && error.fatal === true
  const server_codes =
    /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ER_CON_COUNT|ER_SERVER_SHUTDOWN|ER_DISK_FULL)/
  const closed = /closed state|Pool is closed|Connection lost|Queue limit/i
  return fatal || server_codes.test(code) || closed.test(error.message)
}

const refusalOf = (thrown: unknown): Error => {
  const error = asError(thrown)
  return isServerFault(error) ? unavailable('the database is unavailable') : error
}

const outcomeOf = (result: unknown): Outcome => {
  if (Array.isArray(result)) return { rows: result as Row[], changed: 0 }
  const header = result as mysql.ResultSetHeader
  return { rows: [], changed: header.affectedRows }
}

type Connection = mysql.PoolConnection

/** One statement goes prepared (binary values travel as they are); several go as one text of many, one round trip. */
const execute = async (connection: Connection, statements: readonly Statement[]): Promise<Outcome[]> => {
  const [only] = statements
  if (only !== undefined && statements.length === 1) {
    const [result] = await connection.execute({ sql: only.sql, timeout: query_timeout_ms }, [...only.values])
    return [outcomeOf(result)]
  }
  const sql = statements.map(statement => statement.sql).join(';')
  const values = statements.flatMap(statement => [...statement.values])
  const [results] = await connection.query({ sql, values, timeout: query_timeout_ms })
  return (results as unknown[]).map(outcomeOf)
}

const begin: Statement = { sql: 'START TRANSACTION', values: [] }

const drive = async <T>(connection: Connection, unit: Unit<T>, reach: Reach): Promise<T> => {
  let step = unit.next()
  let begun = false
  while (!step.done) {
    // The first batch carries the BEGIN, which saves a round trip.
    const outcomes = await execute(connection, begun ? step.value : [begin, ...step.value])
    if (!begun) reach('commit.begun')
    step = unit.next(begun ? outcomes : outcomes.slice(1))
    begun = true
  }
  reach('commit.written')
  if (begun) await connection.query({ sql: 'COMMIT', timeout: query_timeout_ms })
  reach('commit.durable')
  return step.value
}

const attempt = async <T>(pool: mysql.Pool, unit: () => Unit<T>, reach: Reach): Promise<T> => {
  const connection = await pool.getConnection()
  try {
    const value = await drive(connection, unit(), reach)
    connection.release()
    return value
  } catch (thrown) {
    const error = asError(thrown)
    // After a server's fault nobody knows what the connection still holds: only its end ends the transaction surely.
    if (isServerFault(error)) connection.destroy()
    else
      await connection.query({ sql: 'ROLLBACK', timeout: query_timeout_ms }).then(
        () => connection.release(),
        () => connection.destroy(),
      )
    throw error
  }
}

/** MariaDB or MySQL behind the one way to commit: READ COMMITTED, row locks, the whole unit again when a race is lost. */
export const openMysql = (address: MysqlAddress, connections: number, reach: Reach = passBy): Store => {
  const dialect = dialects.mysql
  const pool = mysql.createPool({
    ...connectionOptions(address),
    connectionLimit: connections,
    queueLimit: 1000,
    multipleStatements: true,
    maxPreparedStatements: 500,
  })
  pool.pool.on('connection', connection => {
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', error => {
      if (error !== null) connection.destroy()
    })
  })

  const commit = async <T>(unit: () => Unit<T>): Promise<T> => {
    for (let tried = 1; ; tried++) {
      try {
        return await attempt(pool, unit, reach)
      } catch (error) {
        if (!dialect.isRetryable(error)) throw refusalOf(error)
        if (tried === most_tries) throw unavailable('the database is too contended')
      }
    }
  }
  return {
    dialect,
    commit,
    read: async ({ sql, values }) => {
      try {
        const [rows] = await pool.execute({ sql, timeout: query_timeout_ms }, [...values])
        return rows as Row[]
      } catch (error) {
        throw refusalOf(error)
      }
    },
    close: () => pool.end(),
  }
}
