import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MysqlAddress } from 'durable-xstate-sql/sql'
import { connectionOptions } from 'durable-xstate-sql/testing'
import mysql from 'mysql2/promise'
import type { BoundStatement, Replay } from './floor_database.ts'

/** The service's default number of connections. */
const connections = 10

/** The tables of the recorded commit, as its migration made them. */
function readSchema(): readonly string[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'floor_mariadb.generated.json'), 'utf8')).schema
}

/**
 * The statement as the service made it for MariaDB: without the sign before a value, which hides it from SQLite's planner,
 * and with the locks that SQLite's only writer does without.
 */
function translate(sql: string, inUnit: boolean): string {
  const text = sql.replaceAll('+?', '?')
  if (!inUnit || !text.startsWith('SELECT')) return text
  if (/FROM scheduled_jobs WHERE queue/.test(text)) return `${text} FOR UPDATE SKIP LOCKED`
  return /WHERE id = \?/.test(text) ? `${text} FOR UPDATE` : text
}

const begin: BoundStatement = { sql: 'START TRANSACTION', reads: false, values: [] }
const commitment: BoundStatement = { sql: 'COMMIT', reads: false, values: [] }

/**
 * Splits a unit into texts. One that reads under a lock needs the result before it writes, so it is two texts; any
 * other is one.
 */
function toTexts(statements: readonly BoundStatement[]): readonly (readonly BoundStatement[])[] {
  const firstWrite = statements.findIndex(({ reads }) => !reads)
  const reads = statements.slice(0, firstWrite)
  const rest = statements.slice(firstWrite)
  return firstWrite <= 0
    ? [[begin, ...statements, commitment]]
    : [
        [begin, ...reads],
        [...rest, commitment],
      ]
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && error.errno === 1213
}

/** Opens MariaDB by hand: a unit's statements travel as few texts of several, and units run side by side. */
export async function openMariadbReplay(address: MysqlAddress): Promise<Replay> {
  const pool = mysql.createPool({
    ...connectionOptions(address),
    connectionLimit: connections,
    multipleStatements: true,
  })
  for (const sql of readSchema()) await pool.query(sql)
  pool.pool.on('connection', connection => {
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  })
  const counted = { commits: 0, statements: 0, reads: 0, round_trips: 0 }
  const send = (connection: mysql.PoolConnection, text: readonly BoundStatement[]): Promise<unknown> => {
    counted.round_trips++
    return connection.query(
      text.map(({ sql }) => sql).join(';'),
      text.flatMap(({ values }) => [...values]),
    )
  }
  const tryCommit = async (texts: readonly (readonly BoundStatement[])[]): Promise<boolean> => {
    const connection = await pool.getConnection()
    try {
      for (const text of texts) await send(connection, text)
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
    counted,
    translate,
    async read({ sql, values }) {
      counted.reads++
      counted.round_trips++
      await pool.execute(sql, [...values])
    },
    async commit(statements) {
      counted.commits++
      for (const { reads } of statements) counted[reads ? 'reads' : 'statements']++
      const texts = toTexts(statements)
      while (!(await tryCommit(texts)));
    },
  }
}
