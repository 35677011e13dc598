import type Database from 'better-sqlite3'
import { readErrorCode } from '../../errors.ts'
import type { Row, Statement, StatementResult, Value } from '../../store/statement.ts'
import { uniqueKeys } from './tables.ts'

/** A failure as the driver of a server reports it. */
export function serverError(code: string, fatal = false): Error {
  return Object.assign(new Error(code), { code, fatal })
}

/** A transaction of a connection. What it has written is seen by itself alone, until it commits. */
export interface Transaction {
  /** Its writes, each bound to the rows that it changed. */
  readonly log: Statement[]
  readonly locks: Set<string>
}

export function createTransaction(): Transaction {
  return { log: [], locks: new Set() }
}

/** The transaction that has to end first. */
export interface Blocked {
  readonly by: Transaction
}

/** A column that a WHERE compares with values, and which of the statement's values these are. */
interface Named {
  readonly column: string
  readonly from: number
  readonly to: number
}

type Parsed =
  | { readonly type: 'select'; readonly sql: string }
  | {
      readonly type: 'lock'
      readonly sql: string
      /** Reads the keys of the rows that it finds. */
      readonly keys: string
      readonly table: string
      readonly limit: number | null
      readonly skips: boolean
      readonly named: readonly Named[]
    }
  | { readonly type: 'insert'; readonly sql: string; readonly table: string; readonly columns: readonly string[] }
  | {
      readonly type: 'change'
      readonly table: string
      /** The statement as far as its WHERE. */
      readonly head: string
      /** The number of values of `head`. */
      readonly marks: number
      /** Reads the keys of the rows that it changes. */
      readonly keys: string
      readonly named: readonly Named[]
      /** The statement for one row, two, and so on, by their ids. */
      readonly byIds: string[]
    }

const known = new Map<string, Parsed>()

function countMarks(sql: string): number {
  return sql.split('?').length - 1
}

function parseNamed(where: string): readonly Named[] {
  let from = 0
  return [...where.matchAll(/(\w+) = \?|(\w+) IN \(([?, ]+)\)|\?/g)].flatMap(([, equal, among, marks]) => {
    const column = equal ?? among
    const to = from + (marks === undefined ? 1 : countMarks(marks))
    const one = column === undefined ? [] : [{ column, from, to }]
    from = to
    return one
  })
}

function selectKeys(table: string, rest: string): string {
  return `SELECT ${(uniqueKeys[table] ?? []).flat().join(', ')} FROM ${table} ${rest}`
}

/** Statements of the core and of the world's own tables. Any other is refused, so that none is misunderstood. */
function parse(sql: string): Parsed {
  const text = sql.trim().replaceAll(/\s+/g, ' ')
  const insert = /^INSERT INTO (\w+) \(([^)]+)\) VALUES \(/.exec(text)
  if (insert?.[1] !== undefined && insert[2] !== undefined)
    return { type: 'insert', sql: text, table: insert[1], columns: insert[2].split(', ') }
  const change = /^((?:UPDATE (\w+) SET .+?|DELETE FROM (\w+))) WHERE (.+)$/.exec(text)
  if (change?.[1] !== undefined && change[4] !== undefined) {
    const table = change[2] ?? change[3] ?? ''
    return {
      type: 'change',
      head: change[1],
      marks: countMarks(change[1]),
      table,
      keys: selectKeys(table, `WHERE ${change[4]}`),
      named: parseNamed(change[4]),
      byIds: [],
    }
  }
  const lock = /^(SELECT .+? FROM (\w+) (.+?))(?: LIMIT (\d+))? FOR UPDATE( SKIP LOCKED)?$/.exec(text)
  if (lock?.[1] !== undefined && lock[2] !== undefined && lock[3] !== undefined)
    return {
      type: 'lock',
      sql: lock[1],
      keys: selectKeys(lock[2], lock[3]),
      table: lock[2],
      limit: lock[4] === undefined ? null : Number(lock[4]),
      skips: lock[5] !== undefined,
      named: parseNamed(lock[3]),
    }
  if (/^(SELECT|WITH) /.test(text) && !/ FOR UPDATE/.test(text)) return { type: 'select', sql: text }
  throw new Error(`the simulator does not know this statement: ${text}`)
}

const begin: Statement = { sql: 'BEGIN', values: [] }

/**
 * Transactions as InnoDB runs them under READ COMMITTED, on one SQLite connection: exclusive locks on rows and on the
 * values of unique keys, uncommitted writes that only their own transaction sees, and statements that see what others
 * have committed. SQLite's transaction holds the writes of one of them; before another one's statement it is rolled back,
 * and the other one's writes are repeated.
 */
export function createTransactions(database: Database.Database) {
  const holders = new Map<string, Transaction>()
  /** The one whose writes SQLite's transaction holds. */
  let entered: Transaction | null = null

  const execute = ({ sql, values }: Statement): StatementResult => {
    const statement = database.prepare(sql)
    if (statement.reader) return { rows: statement.all(...values) as Row[], changed: 0 }
    return { rows: [], changed: statement.run(...values).changes }
  }
  const leave = (ending: 'COMMIT' | 'ROLLBACK'): void => {
    if (entered !== null) execute({ sql: ending, values: [] })
    entered = null
  }
  const enter = (transaction: Transaction): void => {
    if (entered === transaction) return
    leave('ROLLBACK')
    execute(begin)
    entered = transaction
    for (const statement of transaction.log) execute(statement)
  }
  const read = (transaction: Transaction, statement: Statement): readonly Row[] => {
    if (transaction.log.length > 0) enter(transaction)
    else leave('ROLLBACK')
    return execute(statement).rows
  }
  const write = (transaction: Transaction, statement: Statement): StatementResult => {
    enter(transaction)
    const result = execute(statement)
    transaction.log.push(statement)
    return result
  }
  const keysOf = (table: string, row: Row): readonly string[] =>
    (uniqueKeys[table] ?? []).map(columns => [table, ...columns, ...columns.map(name => row[name])].join('|'))
  const findHolder = (transaction: Transaction, keys: readonly string[]): Transaction | null => {
    for (const key of keys) {
      const holder = holders.get(key)
      if (holder !== undefined && holder !== transaction) return holder
    }
    return null
  }
  const take = (transaction: Transaction, keys: readonly string[]): void => {
    for (const key of keys) {
      holders.set(key, transaction)
      transaction.locks.add(key)
    }
  }
  const readKeys = (transaction: Transaction, sql: string, values: readonly Value[], table: string) =>
    read(transaction, { sql, values }).map(row => ({ id: row.id ?? null, keys: keysOf(table, row) }))

  /** The keys that a WHERE names: InnoDB asks for the lock of such a row before it looks at the rest of the condition. */
  const namedKeys = (table: string, columns: readonly Named[], values: readonly Value[]): readonly string[] => {
    const named = new Map(columns.map(({ column, from, to }) => [column, values.slice(from, to)]))
    return (uniqueKeys[table] ?? []).flatMap(ofKey => {
      const [first = [], ...others] = ofKey.map(column => named.get(column) ?? [])
      if (others.some(one => one.length !== 1)) return []
      return first.map(value => [table, ...ofKey, value, ...others.flat()].join('|'))
    })
  }

  const insertNew = (transaction: Transaction, statement: Statement): StatementResult => {
    try {
      return write(transaction, statement)
    } catch (error) {
      throw readErrorCode(error).startsWith('SQLITE_CONSTRAINT') ? serverError('ER_DUP_ENTRY') : error
    }
  }
  const insert = (transaction: Transaction, parsed: Parsed & { type: 'insert' }, { values }: Statement) => {
    const { sql, table, columns } = parsed
    const rows = Array.from({ length: values.length / columns.length }, (_, index) =>
      Object.fromEntries(columns.map((name, at) => [name, values[index * columns.length + at] ?? null])),
    )
    const keys = rows.flatMap(row =>
      keysOf(table, row).map((key, at) => ({ key, row, columns: uniqueKeys[table]?.[at] ?? [] })),
    )
    const exists = ({ row: one, columns: names }: (typeof keys)[number]): boolean => {
      const where = names.map(name => `${name} = ?`).join(' AND ')
      const found = {
        sql: `SELECT 1 AS found FROM ${table} WHERE ${where}`,
        values: names.map(name => one[name] ?? null),
      }
      return read(transaction, found).length > 0
    }
    // Key by key: the first that another one holds, or that is there.
    const held = keys.findIndex(({ key }) => findHolder(transaction, [key]) !== null)
    if (keys.slice(0, Math.max(0, held)).some(exists)) throw serverError('ER_DUP_ENTRY')
    const by = findHolder(transaction, held < 0 ? [] : [keys[held]?.key ?? ''])
    if (by !== null) return { by }
    const result = insertNew(transaction, { sql, values })
    take(
      transaction,
      keys.map(({ key }) => key),
    )
    return result
  }
  const change = (transaction: Transaction, parsed: Parsed & { type: 'change' }, { values }: Statement) => {
    const { head, marks, table, keys: sqlOfKeys, named, byIds } = parsed
    const ofWhere = values.slice(marks)
    const found = readKeys(transaction, sqlOfKeys, ofWhere, table)
    // An UPDATE here changes no unique key, so it locks none of them but the primary one.
    const keys = found.flatMap(row => (head.startsWith('DELETE') ? row.keys : row.keys.slice(0, 1)))
    const by = findHolder(transaction, [...namedKeys(table, named, ofWhere), ...keys])
    if (by !== null) return { by }
    take(transaction, keys)
    if (found.length === 0) return { rows: [], changed: 0 }
    const ids = found.map(({ id }) => id)
    byIds[ids.length] ??= `${head} WHERE id IN (${ids.map(() => '?').join()})`
    return write(transaction, { sql: byIds[ids.length] ?? '', values: [...values.slice(0, marks), ...ids] })
  }
  const lock = (transaction: Transaction, parsed: Parsed & { type: 'lock' }, { values }: Statement) => {
    const { sql, keys: sqlOfKeys, table, limit, skips, named } = parsed
    const found = readKeys(transaction, sqlOfKeys, values, table)
    const free = skips ? found.filter(({ keys }) => findHolder(transaction, keys.slice(0, 1)) === null) : found
    const taken = limit === null ? free : free.slice(0, limit)
    const keys = taken.flatMap(row => row.keys.slice(0, 1))
    const by = findHolder(transaction, [...(skips ? [] : namedKeys(table, named, values)), ...keys])
    if (by !== null) return { by }
    take(transaction, keys)
    const chosen = new Set(taken.map(({ id }) => id))
    const rows = read(transaction, { sql, values })
    const isChosen = (row: Row): boolean => row.id === undefined || chosen.has(row.id)
    return { rows: chosen.size === 0 ? [] : rows.filter(isChosen), changed: 0 }
  }

  return {
    /** The result of a statement, or who has to end before it can run. @throws as the driver of a server does */
    run(transaction: Transaction, statement: Statement): StatementResult | Blocked {
      const parsed = known.get(statement.sql) ?? parse(statement.sql)
      known.set(statement.sql, parsed)
      switch (parsed.type) {
        case 'select': {
          const { sql } = parsed
          return { rows: read(transaction, { sql, values: statement.values }), changed: 0 }
        }
        case 'lock':
          return lock(transaction, parsed, statement)
        case 'insert':
          return insert(transaction, parsed, statement)
        case 'change':
          return change(transaction, parsed, statement)
      }
    },
    end(transaction: Transaction, ending: 'COMMIT' | 'ROLLBACK'): void {
      const isWritten = ending === 'COMMIT' && transaction.log.length > 0
      if (isWritten) enter(transaction)
      if (entered === transaction) leave(isWritten ? 'COMMIT' : 'ROLLBACK')
      transaction.log.length = 0
      for (const key of transaction.locks) holders.delete(key)
      transaction.locks.clear()
    },
    /** Leaves in the database what is committed, for those who read it themselves. */
    rest: () => leave('ROLLBACK'),
  }
}

export type Transactions = ReturnType<typeof createTransactions>
