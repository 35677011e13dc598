import { connect as connectSocket, type Socket } from 'node:net'
import mysql from 'mysql2/promise'
import type { DurableClock } from '../clock.ts'
import { asError } from '../errors.ts'
import { connectionOptions, type MysqlAddress, nameHost } from './mysql_address.ts'
import { isServerFault } from './mysql_errors.ts'
import { execute } from './mysql_execute.ts'
import { sessionSettings } from './mysql_session.ts'
import type { Statement, StatementResult } from './statement.ts'

/** Makes a read or a unit see everything that was committed on any member before it began. */
const memberSettings = 'SET SESSION wsrep_sync_wait = 1'

/** Keyed by the driver's own connection, because the pool wraps it again each time. */
const members = new WeakMap<object, boolean>()

/** Returns the last result of `isMember`; undefined for a connection that has no settings yet. */
function isKnownMember(connection: mysql.PoolConnection): boolean | undefined {
  return members.get(connection.connection)
}

/**
 * Applies a connection's settings, once; resolves with whether it leads to a member of a Galera cluster. On one,
 * statements must be sent one by one. A transaction that loses against another member's between two statements of one
 * text is rolled back, and the server runs the rest of the text outside of any transaction (seen on MariaDB 10.11: rows
 * of a failed unit were kept, and a unit was acknowledged of which nothing was kept). Sent alone, the next statement,
 * COMMIT included, fails with 1213.
 */
export async function isMember(connection: mysql.PoolConnection): Promise<boolean> {
  const [results] = await connection.query([...sessionSettings, "SHOW VARIABLES LIKE 'wsrep_on'"].join('; '))
  const [variable] = (results as unknown[]).at(-1) as mysql.RowDataPacket[]
  const isMemberOfCluster = variable?.Value === 'ON'
  if (isMemberOfCluster) await connection.query(memberSettings)
  members.set(connection.connection, isMemberOfCluster)
  return isMemberOfCluster
}

/** The longest response time of the server, and the clock that measures it. */
export interface Patience {
  readonly clock: DurableClock
  readonly limitMs: number
}

function fault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/**
 * The driver's own time-outs cover neither the wait for a connection nor the preparation of a statement, and do not
 * free the connection: on a network that drops packets the pool would be used up for good. `waiting` receives a
 * function that ends the wait earlier.
 */
export async function inTime<T>(
  answer: Promise<T>,
  { clock, limitMs }: Patience,
  waiting?: Set<(error: Error) => void>,
): Promise<T> {
  const late = Promise.withResolvers<never>()
  // An error costs as much as a statement to make, so it is made only if the response is late.
  const isLate = (): void => late.reject(fault('ETIMEDOUT', 'the server did not answer in time'))
  // If this process itself was suspended, the response may have arrived unread: it is read first.
  const cancel = clock.setTimer(limitMs, () => setImmediate(isLate))
  waiting?.add(late.reject)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    waiting?.delete(late.reject)
    cancel()
  }
}

/** A connection with a time limit for each response. */
export interface Asking {
  readonly ask: (statements: readonly Statement[]) => Promise<readonly StatementResult[]>
  /** Statements travel one by one, so deferring them saves nothing. */
  readonly oneByOne: boolean
}

/** One host with its connections. */
export interface MysqlServer {
  readonly name: string
  /** Runs `work` on a connection of the pool. It returns to the pool only in a known state. */
  use<T>(work: (asking: Asking) => Promise<T>): Promise<T>
  /** Ends every wait for this host and every connection to it, because it may hang for ever. */
  abandon(): void
  close(): Promise<void>
}

/** The pool of one host. */
export function openMysqlServer(address: MysqlAddress, connections: number, patience: Patience): MysqlServer {
  const name = nameHost(address)
  const { host, port } = address
  const sockets = new Set<Socket>()
  // The driver gives no access to a connection that is not open yet, and closes a destroyed one only by half.
  const openSocket = (): Socket => {
    const socket = connectSocket({ host, port, noDelay: true, keepAlive: true })
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }
  const pool = mysql.createPool({
    ...connectionOptions(address),
    stream: openSocket,
    connectionLimit: connections,
    queueLimit: 1000,
    multipleStatements: true,
    // Else each statement keeps the stack that it was sent from.
    trace: false,
    maxPreparedStatements: 500,
  })
  const waiting = new Set<(error: Error) => void>()
  const answer = <T>(question: Promise<T>): Promise<T> => inTime(question, patience, waiting)
  const connect = async (): Promise<mysql.PoolConnection> => {
    const connecting = pool.getConnection()
    return answer(connecting).catch((error: Error) => {
      connecting.then(unused => unused.release()).catch(() => {})
      // The server refused it, of which no statement is to blame.
      throw Object.assign(error, { fatal: true })
    })
  }
  return {
    name,
    async use(work) {
      const connection = await connect()
      const destroy = (): void => connection.destroy()
      try {
        const oneByOne = isKnownMember(connection) ?? (await answer(isMember(connection)))
        const value = await work({ oneByOne, ask: statements => answer(execute(connection, statements, oneByOne)) })
        connection.release()
        return value
      } catch (thrown) {
        const error = asError(thrown)
        // After a server's fault the state of the connection is unknown: only closing it is sure to end the transaction.
        if (isServerFault(error)) destroy()
        else await answer(connection.query('ROLLBACK')).then(() => connection.release(), destroy)
        throw error
      }
    },
    abandon() {
      const error = fault('EHOSTUNREACH', `${name} is left`)
      for (const reject of waiting) reject(error)
      for (const socket of sockets) socket.destroy()
    },
    close: () => pool.end(),
  }
}
