import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import { rounds } from '../../../../test/tier.ts'
import { getColumnType, type Tables } from '../../store/columns.ts'
import type { Row, Statement, StatementResult } from '../../store/statement.ts'
import { insertJob } from '../../store/tables.ts'
import { createStream } from './draws.ts'
import { createDatabase, emptyDatabase, schema, uniqueKeys } from './tables.ts'
import { createTransaction, createTransactions } from './transactions.ts'

const url = process.env.TEST_MYSQL_URL

type Answer = StatementResult | { readonly error: string }

/** Two connections of a server, or of the simulated one. */
interface Server {
  ask(connection: number, statement: Statement): Promise<Answer>
  end(connection: number, ending: 'COMMIT' | 'ROLLBACK'): Promise<void>
  begin(connection: number): Promise<void>
}

function simulated(database: Database.Database): Server {
  const transactions = createTransactions(database)
  const open = [createTransaction(), createTransaction()]
  const of = (connection: number) => open[connection] ?? createTransaction()
  return {
    async ask(connection, statement) {
      try {
        const result = transactions.run(of(connection), statement)
        return 'by' in result ? { error: 'ER_LOCK_WAIT_TIMEOUT' } : result
      } catch (error) {
        if (error instanceof Error && 'code' in error) return { error: String(error.code) }
        throw error
      }
    },
    begin: async () => {},
    end: async (connection, ending) => transactions.end(of(connection), ending),
  }
}

function toAnswer(result: unknown): Answer {
  if (Array.isArray(result)) return { rows: result as Row[], changed: 0 }
  return { rows: [], changed: (result as mysql.ResultSetHeader).affectedRows }
}

const types = { instant: 'BIGINT', count: 'INT', document: 'LONGTEXT' } as const

async function createTables(connection: mysql.Connection): Promise<void> {
  for (const [name, { columns, indices }] of Object.entries<Tables[string]>(schema.tables)) {
    const described = Object.entries(columns).map(([column, type]) => {
      const word =
        types[getColumnType(type) as keyof typeof types] ?? 'VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin'
      return `${column} ${word} ${type.endsWith('?') ? 'NULL' : 'NOT NULL'}`
    })
    const [primary = []] = uniqueKeys[name] ?? []
    const keys = indices.map(([list, unique], index) => `${unique ? 'UNIQUE ' : ''}KEY k${index} (${list})`)
    await connection.query(
      `CREATE TABLE ${name} (${[...described, `PRIMARY KEY (${primary.join()})`, ...keys].join()})`,
    )
  }
}

function real(connections: readonly mysql.Connection[]): Server {
  const of = (connection: number) => connections[connection] as mysql.Connection
  return {
    async ask(connection, { sql, values }) {
      try {
        // MariaDB 10.11 takes a time-out of zero for an error of SKIP LOCKED, which waits for nobody.
        const text = sql.endsWith('SKIP LOCKED') ? `SET STATEMENT innodb_lock_wait_timeout = 50 FOR ${sql}` : sql
        const [result] = await of(connection).query(text, [...values])
        return toAnswer(result)
      } catch (error) {
        if (error instanceof Error && 'code' in error) return { error: String(error.code) }
        throw error
      }
    },
    begin: async connection => void (await of(connection).query('START TRANSACTION')),
    end: async (connection, ending) => void (await of(connection).query(ending)),
  }
}

/** Statements of the shapes that the core has, over few rows, so that they meet. */
function drawStatement(next: () => number): Statement {
  const draw = (below: number): number => next() % below
  const id = `job${draw(6)}`
  const actor_id = `actor${draw(3)}`
  const name = `timer${draw(2)}`
  const lease = draw(2) === 0 ? null : `lease${draw(2)}`
  const job = { account_id: 'a', queue: 'q', lane: '', actor_type: 'x', payload: '{}', claims: 0, traceparent: null }
  const ready = 'FROM scheduled_jobs WHERE queue = ? AND lane = ? AND ready_at <= ? ORDER BY ready_at, id LIMIT 2'
  const columns = 'id, actor_id, name, ready_at, lease, claims'
  const statements: readonly Statement[] = [
    insertJob({ ...job, id, actor_id, name, lease, ready_at: draw(5) }),
    { sql: `SELECT ${columns} FROM scheduled_jobs WHERE id = ? FOR UPDATE`, values: [id] },
    { sql: `SELECT ${columns} ${ready} FOR UPDATE SKIP LOCKED`, values: ['q', '', draw(6)] },
    { sql: `SELECT ${columns} FROM scheduled_jobs WHERE queue = ? ORDER BY id`, values: ['q'] },
    { sql: 'UPDATE scheduled_jobs SET ready_at = ? WHERE id = ?', values: [draw(6), id] },
    {
      sql: 'UPDATE scheduled_jobs SET claims = claims + 1, lease = ? WHERE id IN (?, ?) AND ready_at <= ?',
      values: [lease, id, `job${draw(6)}`, draw(6)],
    },
    { sql: 'DELETE FROM scheduled_jobs WHERE id = ? AND actor_id = ? AND lease IS NULL', values: [id, actor_id] },
    { sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ? AND name = ?', values: [actor_id, name] },
  ]
  return statements[draw(statements.length)] as Statement
}

/**
 * InnoDB also locks gaps and entries of indices, which the simulated server has not: sometimes a statement waits for such
 * a lock, and SKIP LOCKED leaves out such a row. Both also happen by the locks that both servers have.
 */
function isFinerLock({ sql }: Statement, ours: Answer, theirs: Answer): boolean {
  if ('error' in ours) return false
  if ('error' in theirs) return theirs.error === 'ER_LOCK_WAIT_TIMEOUT'
  const left = theirs.rows.filter(row => ours.rows.some(one => one.id === row.id))
  return sql.endsWith('SKIP LOCKED') && theirs.rows.length < ours.rows.length && left.length === theirs.rows.length
}

/** The answers in which two servers were alike, by outcome. */
interface Compared {
  readonly outcomes: Map<string, number>
  finerLocks: number
}

/** The first answer in which they differ; null where they are alike as far as the units go. */
async function compare(seed: number, ours: Server, theirs: Server, compared: Compared): Promise<string | null> {
  const next = createStream(seed)
  const isOpen = [false, false]
  const both = async (work: (server: Server) => Promise<void>): Promise<void> => {
    await work(ours)
    await work(theirs)
  }
  for (let step = 0; step < 30; step++) {
    const connection = next() % 2
    if (!isOpen[connection]) await both(server => server.begin(connection))
    else if (next() % 8 === 0) {
      const ending = next() % 4 === 0 ? 'ROLLBACK' : 'COMMIT'
      await both(server => server.end(connection, ending))
      isOpen[connection] = false
      continue
    }
    isOpen[connection] = true
    const statement = drawStatement(next)
    const answers = [await ours.ask(connection, statement), await theirs.ask(connection, statement)] as const
    if (isFinerLock(statement, ...answers)) {
      compared.finerLocks++
      break
    }
    if (!isDeepStrictEqual(...answers)) return `seed ${seed}, step ${step}: ${JSON.stringify([statement, ...answers])}`
    const outcome = 'error' in answers[0] ? answers[0].error : 'answered'
    compared.outcomes.set(outcome, (compared.outcomes.get(outcome) ?? 0) + 1)
    if (outcome === 'answered') continue
    await both(server => server.end(connection, 'ROLLBACK'))
    isOpen[connection] = false
  }
  for (const connection of [0, 1]) await both(server => server.end(connection, 'ROLLBACK'))
  return null
}

/** Two connections to a database of their own, which goes with the test. */
async function openConnections(t: ExecutionContext, address: URL): Promise<readonly mysql.Connection[]> {
  const { hostname: host, port, username: user, password } = address
  const connect = () => mysql.createConnection({ host, port: Number(port || '3306'), user, password })
  const name = `simulator_${randomUUID().replaceAll('-', '')}`
  const connections = [await connect(), await connect()] as const
  t.teardown(async () => {
    // Else the database waits for the transactions that a failure left open.
    connections[1].destroy()
    await connections[0].query('ROLLBACK')
    await connections[0].query(`DROP DATABASE ${name}`)
    await connections[0].end()
  })
  await connections[0].query(`CREATE DATABASE ${name}`)
  for (const connection of connections) {
    await connection.query(`USE ${name}`)
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
    // A statement that would wait fails at once.
    await connection.query('SET SESSION innodb_lock_wait_timeout = 0')
  }
  await createTables(connections[0])
  return connections
}

if (url !== undefined)
  test('The simulated server and MariaDB answer the same units alike', async t => {
    const connections = await openConnections(t, new URL(url))
    const database = createDatabase()
    const compared: Compared = { outcomes: new Map(), finerLocks: 0 }
    for (let seed = 1; seed <= rounds(60, 2000); seed++) {
      emptyDatabase(database)
      await connections[0]?.query('DELETE FROM scheduled_jobs')
      const difference = await compare(seed, simulated(database), real(connections), compared)
      if (difference !== null) return t.fail(difference)
    }
    const answers = [...compared.outcomes.values()].reduce((sum, count) => sum + count, 0)
    t.true(compared.finerLocks < answers / 50, `${compared.finerLocks} of ${answers}`)
    t.log({ ...Object.fromEntries(compared.outcomes), finerLocks: compared.finerLocks })
  })
