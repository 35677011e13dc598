import mysql from 'mysql2/promise'
import { systemClock } from '../base/clock.ts'
import { passBy, type Reach } from '../base/instants.ts'
import { asError, unavailable } from '../base/refusal.ts'
import { dialects } from './dialect.ts'
import { execute } from './mysql_execute.ts'
import type { Statement, Unit } from './statement.ts'
import type { Store } from './store.ts'

/** A unit that keeps losing races is given up as 503 after this many tries. */
const most_tries = 8
/** A server that doesn't answer within this long is taken for gone (facts: at least 5 s at COMMIT). */
const answer_timeout_ms = 10_000
const connect_timeout_ms = 8_000
/**
 * What a server's own configuration must not decide: the driver escapes with backslashes, which NO_BACKSLASH_ESCAPES
 * would take for text, and values that don't fit are refused, never cut.
 */
const session_settings = `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', autocommit = 1`

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
    /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ER_CON_COUNT|ER_SERVER_SHUTDOWN|ER_DISK_FULL|ER_OPTION_PREVENTS|ER_READ_ONLY|ER_UNKNOWN_COM|ER_QUERY_INTERR|ER_CONNECTION_KILLED)/
  const closed = /closed state|Pool is closed|Connection lost|Queue limit/i
  return fatal || server_codes.test(code) || closed.test(error.message)
}

const refusalOf = (thrown: unknown): Error => {
  const error = asError(thrown)
  return isServerFault(error) ? unavailable('the database is unavailable') : error
}

type Connection = mysql.PoolConnection

/**
 * The driver's own time-outs cover neither the wait for a connection nor the preparing of a statement, and leave the
 * connection taken: behind a network that swallows packets the pool would run dry for good.
 */
const inTime = async <T>(answer: Promise<T>, limit_ms: number): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const error = Object.assign(new Error('the server did not answer in time'), { code: 'ETIMEDOUT' })
  const cancel = systemClock.setTimer(limit_ms, () => late.reject(error))
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    cancel()
  }
}

/** What the statements of one store share: its pool, and how long an answer may take. */
interface Server {
  readonly pool: mysql.Pool
  readonly limit_ms: number
}

const connect = async ({ pool, limit_ms }: Server): Promise<Connection> => {
  const connecting = pool.getConnection()
  return inTime(connecting, limit_ms).catch(error => {
    connecting.then(unused => unused.release()).catch(() => {})
    throw error
  })
}

const begin: Statement = { sql: 'START TRANSACTION', values: [] }

/** Runs what is handed to it on a connection, in time. */
type Ask = <T>(question: (connection: Connection) => Promise<T>) => Promise<T>

const drive = async <T>(ask: Ask, unit: Unit<T>, reach: Reach): Promise<T> => {
  let step = unit.next()
  let begun = false
  while (!step.done) {
    // The first batch carries the BEGIN, which saves a round trip.
    const batch = begun ? step.value : [begin, ...step.value]
    const outcomes = await ask(connection => execute(connection, batch))
    if (!begun) reach('commit.begun')
    step = unit.next(begun ? outcomes : outcomes.slice(1))
    begun = true
  }
  reach('commit.written')
  if (begun) await ask(connection => connection.query('COMMIT'))
  reach('commit.durable')
  return step.value
}

/** Borrows a connection for `work`; it goes back to the pool only in a state that is known. */
const withConnection = async <T>(server: Server, work: (ask: Ask) => Promise<T>): Promise<T> => {
  const connection = await connect(server)
  const ask: Ask = question => inTime(question(connection), server.limit_ms)
  try {
    const value = await work(ask)
    connection.release()
    return value
  } catch (thrown) {
    const error = asError(thrown)
    // After a server's fault nobody knows what the connection still holds: only its end ends the transaction surely.
    if (isServerFault(error)) connection.destroy()
    else
      await ask(held => held.query('ROLLBACK')).then(
        () => connection.release(),
        () => connection.destroy(),
      )
    throw error
  }
}

/** MariaDB or MySQL behind the one way to commit: READ COMMITTED, row locks, the whole unit again when a race is lost. */
export const openMysql = (
  address: MysqlAddress,
  connections: number,
  reach: Reach = passBy,
  limit_ms = answer_timeout_ms,
): Store => {
  const dialect = dialects.mysql
  const pool = mysql.createPool({
    ...connectionOptions(address),
    connectionLimit: connections,
    queueLimit: 1000,
    multipleStatements: true,
    maxPreparedStatements: 500,
  })
  pool.pool.on('connection', connection => {
    connection.query(session_settings, error => {
      if (error !== null) connection.destroy()
    })
  })

  const server: Server = { pool, limit_ms }
  const commit = async <T>(unit: () => Unit<T>): Promise<T> => {
    for (let tried = 1; ; tried++) {
      try {
        return await withConnection(server, ask => drive(ask, unit(), reach))
      } catch (error) {
        if (!dialect.isRetryable(error)) throw refusalOf(error)
        if (tried === most_tries) throw unavailable('the database is too contended')
      }
    }
  }
  return {
    dialect,
    commit,
    read: async statement => {
      try {
        const [outcome] = await withConnection(server, ask => ask(connection => execute(connection, [statement])))
        return outcome?.rows ?? []
      } catch (error) {
        throw refusalOf(error)
      }
    },
    scrub: async () => {},
    close: () => pool.end(),
  }
}
