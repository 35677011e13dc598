import { randomInt } from 'node:crypto'
import mysql from 'mysql2/promise'
import { type DurableClock, machineClock } from '../clock.ts'
import { type CrashHook, noCrash } from '../crash_points.ts'
import { asError, unavailable } from '../errors.ts'
import { dialects } from './dialect.ts'
import { execute } from './mysql_execute.ts'
import { isMember } from './mysql_session.ts'
import type { Statement, StatementResult, Unit } from './statement.ts'
import type { Store } from './store.ts'

/** A unit that keeps losing races is given up as 503 after this many tries. */
const maxTries = 8
/** On a cluster a race is lost until the winner's writes have arrived: a random wait up to 2 ms, then twice as long each time. */
const restMs = (tried: number): number => randomInt(2 ** tried + 1)
/** A server that doesn't answer within this time counts as unavailable. A COMMIT on a busy disk may take 5 s. */
const answerTimeoutMs = 10_000
const connectTimeoutMs = 8_000

/** How long an answer of the server may take, and by which clock. */
interface Patience {
  readonly clock: DurableClock
  readonly limitMs: number
}

/** Where the server is. */
export interface MysqlAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** How long it may take to connect or to answer, where not as long as a service can wait. */
  readonly timeoutMs?: number
}

/** Settings of every connection, the migrations' included. */
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
  connectTimeout: address.timeoutMs ?? connectTimeoutMs,
})

const isServerFault = (error: Error): boolean => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const fatal = 'fatal' in error && error.fatal === true
  const serverCodes =
    /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ER_CON_COUNT|ER_ERROR_DURING_COMMIT|ER_SERVER_SHUTDOWN|ER_DISK_FULL|ER_OPTION_PREVENTS|ER_READ_ONLY|ER_UNKNOWN_COM|ER_QUERY_INTERR|ER_CONNECTION_KILLED)/
  const closed = /closed state|Pool is closed|Connection lost|Queue limit/i
  return fatal || serverCodes.test(code) || closed.test(error.message)
}

const toDurableError = (thrown: unknown): Error => {
  const error = asError(thrown)
  return isServerFault(error) ? unavailable('the database is unavailable') : error
}

type Connection = mysql.PoolConnection

/**
 * The driver's own time-outs cover neither the wait for a connection nor the preparing of a statement, and leave the
 * connection taken: behind a network that swallows packets the pool would run dry for good.
 */
const inTime = async <T>(answer: Promise<T>, { clock, limitMs }: Patience): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const error = Object.assign(new Error('the server did not answer in time'), { code: 'ETIMEDOUT' })
  // Where this process itself was suspended, the answer may wait unread: what has arrived is read first.
  const cancel = clock.setTimer(limitMs, () => setImmediate(() => late.reject(error)))
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    cancel()
  }
}

/** What the statements of one store share: its pool, and how long an answer may take. */
interface Server {
  readonly pool: mysql.Pool
  readonly patience: Patience
}

const connect = async ({ pool, patience }: Server): Promise<Connection> => {
  const connecting = pool.getConnection()
  return inTime(connecting, patience).catch(error => {
    connecting.then(unused => unused.release()).catch(() => {})
    throw error
  })
}

const begin: Statement = { sql: 'START TRANSACTION', values: [] }
const commitment: Statement = { sql: 'COMMIT', values: [] }

/** A connection that answers in time. */
interface Asking {
  readonly ask: (statements: readonly Statement[]) => Promise<readonly StatementResult[]>
  /** Statements travel one by one, so deferring them saves nothing. */
  readonly oneByOne: boolean
}

const drive = async <T>({ ask, oneByOne }: Asking, unit: Unit<T>, crashHook: CrashHook): Promise<T> => {
  let step = unit.next()
  let begun = false
  // These go with the next batch, or with the COMMIT. A server stops a text of several statements at the first failure.
  let waiting: Statement[] = []
  const send = async (statements: readonly Statement[]): Promise<readonly StatementResult[]> => {
    const batch = [...(begun ? [] : [begin]), ...waiting, ...statements]
    waiting = []
    const outcomes = await ask(batch)
    if (!begun) crashHook('commit.begun')
    begun = true
    return outcomes.slice(batch.length - statements.length)
  }
  while (!step.done) {
    const statements = 'later' in step.value ? step.value.later : step.value
    const waits = 'later' in step.value && !oneByOne
    if (waits) waiting.push(...statements)
    step = unit.next(waits ? [] : await send(statements))
  }
  crashHook('commit.written')
  if (begun || waiting.length > 0) await send([commitment])
  crashHook('commit.durable')
  return step.value
}

/** Runs `work` on a connection of the pool, which gets it back only in a known state. */
const withConnection = async <T>(server: Server, work: (asking: Asking) => Promise<T>): Promise<T> => {
  const connection = await connect(server)
  const answer = <T>(question: Promise<T>): Promise<T> => inTime(question, server.patience)
  try {
    const oneByOne = await answer(isMember(connection))
    const value = await work({ oneByOne, ask: statements => answer(execute(connection, statements, oneByOne)) })
    connection.release()
    return value
  } catch (thrown) {
    const error = asError(thrown)
    // After a server's fault the state of the connection is unknown: only closing it surely ends the transaction.
    if (isServerFault(error)) connection.destroy()
    else
      await answer(connection.query('ROLLBACK')).then(
        () => connection.release(),
        () => connection.destroy(),
      )
    throw error
  }
}

/** MariaDB or MySQL as a store: READ COMMITTED, row locks, and the whole unit again when it lost a race. */
export const openMysql = (
  address: MysqlAddress,
  connections: number,
  crashHook: CrashHook = noCrash,
  patience: Patience = { clock: machineClock, limitMs: address.timeoutMs ?? answerTimeoutMs },
): Store => {
  const dialect = dialects.mysql
  const pool = mysql.createPool({
    ...connectionOptions(address),
    connectionLimit: connections,
    queueLimit: 1000,
    multipleStatements: true,
    maxPreparedStatements: 500,
  })
  const server: Server = { pool, patience }
  const untilWon = async <T>(work: (asking: Asking) => Promise<T>): Promise<T> => {
    for (let tried = 1; ; tried++) {
      try {
        return await withConnection(server, work)
      } catch (error) {
        if (!dialect.isRetryable(error)) throw toDurableError(error)
        if (tried === maxTries) throw unavailable('the database is too contended')
        await new Promise<void>(resolve => machineClock.setTimer(restMs(tried), resolve))
      }
    }
  }
  return {
    dialect,
    commit: unit => untilWon(asking => drive(asking, unit(), crashHook)),
    read: statement => untilWon(async ({ ask }) => (await ask([statement]))[0]?.rows ?? []),
    scrub: async () => {},
    close: () => pool.end(),
  }
}
