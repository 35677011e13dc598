import type { Hosts } from '../../store/hosts.ts'
import { singleHost, watchHosts } from '../../store/hosts.ts'
import type { MysqlServer } from '../../store/mysql_server.ts'
import type { Statement, StatementResult } from '../../store/statement.ts'
import type { Draws } from './draws.ts'
import type { CountFault } from './faults.ts'
import type { Life, Schedule } from './schedule.ts'
import { createTransaction, serverError, type Transaction, type Transactions } from './transactions.ts'

/** The faults of a world's servers, as likelihoods for each statement. */
export interface ServerFaults {
  /** The connection is lost before the statement, whose transaction is rolled back. */
  readonly lost: number
  /** The COMMIT happens, and its answer is lost. */
  readonly answerLost: number
  /** The statement loses a race: 1213. */
  readonly deadlock: number
  /** It waits for a lock for too long: 1205. */
  readonly timeout: number
  /** Another statement comes between two of one text. */
  readonly between: number
}

const serverFaultNames: Readonly<Record<keyof ServerFaults, string>> = {
  lost: 'a connection is lost',
  answerLost: 'the answer of a COMMIT is lost',
  deadlock: 'a race is lost (1213)',
  timeout: 'a lock comes too late (1205)',
  between: 'another’s statement comes inside a text',
}

export const noServerFaults: ServerFaults = { lost: 0, answerLost: 0, deadlock: 0, timeout: 0, between: 0 }

/** The state of a host of the database, as the world changes it. */
export interface HostState {
  readonly name: string
  isDown: boolean
  isReadOnly: boolean
  isFull: boolean
}

/** The servers of a world: one database, reached by one host or several. */
export interface Servers {
  readonly states: readonly HostState[]
  faults: ServerFaults
  /** The number of races that units have lost. */
  readonly races: () => number
  /** The hosts as one node uses them. */
  connect(life: Life): Hosts
  /** A week passes for the fences: the next node that makes one removes those of all others. */
  ageFences(): void
  /** Ends the transactions of all nodes that have died. */
  dropDead(): void
}

interface Connection {
  readonly life: Life
  readonly transaction: Transaction
  /** Whom its statement waits for. */
  blockedBy: Transaction | null
  /** Inside of a transaction; else each statement is one of its own. */
  isBegun: boolean
  /** The server has ended it. */
  isClosed: boolean
  /** Its unit's fence is gone. */
  isUnfenced: boolean
}

const start = 'START TRANSACTION'
const nothing: StatementResult = { rows: [], changed: 0 }

function isWrite({ sql }: Statement): boolean {
  return !/^\s*(SELECT|START|COMMIT)\b/i.test(sql)
}

export interface ServerParts {
  readonly schedule: Schedule
  readonly draws: Draws
  readonly transactions: Transactions
  readonly hosts: number
  /** Whether statements travel one by one, as to the members of a cluster. */
  readonly oneByOne: boolean
  readonly faults: ServerFaults
  /** Called where the core breaks a promise. */
  readonly onBroken: (broken: string) => void
  readonly countFault: CountFault
}

/** A fence of this instant is older than any unit. */
const ageSql = 'UPDATE commit_fences SET made_at = ? WHERE made_at > ?'

export function createServers(parts: ServerParts): Servers {
  const { schedule, draws, transactions, hosts, oneByOne, faults: first, onBroken, countFault } = parts
  const own = schedule.createLife('server')
  const connections = new Set<Connection>()
  const sleepers = new Set<() => void>()
  const states = Array.from({ length: hosts }, (_, index) => ({
    name: `db${index}`,
    isDown: false,
    isReadOnly: false,
    isFull: false,
  }))
  let races = 0
  const lose = (code: string): Error => {
    races++
    return serverError(code)
  }
  const end = (connection: Connection, ending: 'COMMIT' | 'ROLLBACK'): void => {
    transactions.end(connection.transaction, ending)
    connection.blockedBy = null
    connection.isBegun = false
    connection.isUnfenced = false
    for (const wake of sleepers) wake()
    sleepers.clear()
  }
  const isDeadlock = (start: Connection): boolean => {
    let holder = start.blockedBy
    while (holder !== null) {
      if (holder === start.transaction) return true
      const held = holder
      holder = [...connections].find(({ transaction }) => transaction === held)?.blockedBy ?? null
    }
    return false
  }
  const servers: Servers = {
    states,
    faults: first,
    races: () => races,
    connect(life) {
      const open = (state: HostState): MysqlServer => ({
        name: state.name,
        async use(work) {
          if (state.isDown) throw serverError('ECONNREFUSED', true)
          const connection = {
            life,
            transaction: createTransaction(),
            blockedBy: null,
            isBegun: false,
            isClosed: false,
            isUnfenced: false,
          }
          connections.add(connection)
          try {
            return await work({ oneByOne, ask: statements => ask(state, connection, statements) })
          } finally {
            end(connection, 'ROLLBACK')
            connections.delete(connection)
          }
        },
        abandon() {},
        close: async () => {},
      })
      const ofNode = states.map(open)
      const [one, ...others] = ofNode
      if (one === undefined) throw new Error('a world has a host')
      if (others.length === 0) return singleHost(one)
      const watch = (server: MysqlServer, index: number) => ({
        server,
        probe: {
          async look() {
            await schedule.wait(life, `looks at ${server.name}`)
            const state = states[index]
            if (state?.isDown) return 'it is down'
            return state?.isReadOnly ? 'it is read-only' : null
          },
          close: () => {},
        },
      })
      return watchHosts(
        [watch(one, 0), ...others.map((server, index) => watch(server, index + 1))],
        life.clock,
        () => {},
      )
    },
    ageFences() {
      const transaction = createTransaction()
      transactions.run(transaction, { sql: ageSql, values: [0, 0] })
      transactions.end(transaction, 'COMMIT')
    },
    dropDead() {
      for (const connection of connections) {
        if (connection.life.isAlive()) continue
        connection.isClosed = true
        end(connection, 'ROLLBACK')
        connections.delete(connection)
      }
    },
  }

  const has = (kind: keyof ServerFaults): boolean => {
    const isDrawn = draws.chance(servers.faults[kind])
    if (isDrawn) countFault(serverFaultNames[kind])
    return isDrawn
  }
  const runOne = async (connection: Connection, statement: Statement): Promise<StatementResult> => {
    for (;;) {
      if (connection.isClosed) throw serverError('PROTOCOL_CONNECTION_LOST', true)
      const result = transactions.run(connection.transaction, statement)
      if (!('by' in result)) {
        connection.blockedBy = null
        return result
      }
      connection.blockedBy = result.by
      if (isDeadlock(connection)) {
        end(connection, 'ROLLBACK')
        throw lose('ER_LOCK_DEADLOCK')
      }
      if (has('timeout')) throw lose('ER_LOCK_WAIT_TIMEOUT')
      await new Promise<void>(resolve => sleepers.add(resolve))
      await schedule.wait(own, 'grants a lock')
    }
  }
  /** Throws the fault that keeps a statement from being run at all. */
  const refuse = (state: HostState, connection: Connection, statement: Statement): void => {
    if (connection.isClosed || state.isDown || has('lost')) {
      end(connection, 'ROLLBACK')
      throw serverError('ECONNRESET', true)
    }
    if (isWrite(statement) && state.isReadOnly) throw serverError('ER_OPTION_PREVENTS_STATEMENT')
    if (isWrite(statement) && state.isFull) throw serverError('ER_DISK_FULL')
    if (statement.sql !== start && has('deadlock')) {
      end(connection, 'ROLLBACK')
      throw lose('ER_LOCK_DEADLOCK')
    }
  }
  const answer = async (connection: Connection, statement: Statement): Promise<StatementResult> => {
    if (statement.sql === start) {
      connection.isBegun = true
      return nothing
    }
    if (statement.sql === 'COMMIT') {
      if (connection.isUnfenced) onBroken('a unit was committed whose fence is gone')
      end(connection, 'COMMIT')
      if (has('answerLost')) throw serverError('ECONNRESET', true)
      return nothing
    }
    const result = await runOne(connection, statement)
    if (statement.sql.startsWith('UPDATE commit_fences')) {
      connection.isUnfenced = result.changed === 0
      if (connection.isUnfenced) races++
    }
    if (!connection.isBegun) end(connection, 'COMMIT')
    return result
  }
  const ask = async (
    state: HostState,
    connection: Connection,
    statements: readonly Statement[],
  ): Promise<readonly StatementResult[]> => {
    await schedule.wait(connection.life, `asks ${state.name}`)
    const results: StatementResult[] = []
    for (const statement of statements) {
      if (results.length > 0 && has('between')) await schedule.wait(own, 'goes on with a text')
      refuse(state, connection, statement)
      results.push(await answer(connection, statement))
    }
    await schedule.wait(connection.life, `hears from ${state.name}`)
    return results
  }
  return servers
}
