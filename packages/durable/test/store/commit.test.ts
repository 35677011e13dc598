import test, { type ExecutionContext } from 'ava'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import mysql from 'mysql2/promise'
import { newId } from '../../../../src/base/ids.ts'
import { columnsOf, insert } from '../../../../src/database/schema.ts'
import { anyText } from '../../../../test/any_text.ts'
import { poll } from '../../../../test/awaited.ts'
import { eachDialect, type TestDatabase, type TestEngine } from '../../../../test/database.ts'
import { rounds } from '../../../../test/tier.ts'
import { DurableError } from '../../errors.ts'
import { connectionOptions } from '../../store/mysql_address.ts'
import { openStore } from '../../store/source.ts'
import { openSqliteFile } from '../../store/sqlite_file.ts'
import { run, runAll, runLater, type Statement, selectFirst, type Unit } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'

function fact(name: string, value = ''): Statement {
  return insert('facts', { name, value })
}

async function open(t: ExecutionContext, engine: TestEngine): Promise<{ store: Store; database: TestDatabase }> {
  const database = await engine.fresh()
  const store = await openStore(database.address, 6)
  t.teardown(async () => {
    await store.close().catch(() => {})
    await database.drop()
  })
  return { store, database }
}

async function names(store: Store): Promise<readonly unknown[]> {
  return (await store.read({ sql: 'SELECT name FROM facts ORDER BY name', values: [] })).map(({ name }) => name)
}

function keep(store: Store, name: string, value = ''): Promise<void> {
  return store.commit(function* (): Unit<void> {
    yield* run(fact(name, value))
  })
}

class Unwanted extends Error {}

for (const engine of eachDialect) {
  test(`On ${engine.name} a unit that throws half-way leaves nothing, and undoes none of 200 others`, async t => {
    const { store, database } = await open(t, engine)
    const units = Array.from({ length: 200 }, (_, index) => {
      const name = String(index).padStart(3, '0')
      return store.commit(function* (): Unit<string> {
        yield* run(fact(name))
        if (index % 7 === 3) throw new Unwanted(name)
        yield* runAll([fact(`${name} second`), fact(`${name} third`)])
        if (index % 7 === 5) throw new Unwanted(name)
        return name
      })
    })
    const settled = await Promise.allSettled(units)
    const kept = settled.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
    const refused = settled.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
    t.is(kept.length, settled.filter((_, index) => index % 7 !== 3 && index % 7 !== 5).length)
    t.true(refused.every(error => error instanceof Unwanted))
    const expected = kept.flatMap(name => [name, `${name} second`, `${name} third`]).sort()
    t.deepEqual(await names(store), expected)
    await store.close()
    const again = await openStore(database.address, 2)
    t.deepEqual(await names(again), expected, 'what was acknowledged is there after a restart')
    await again.close()
  })

  test(`On ${engine.name} a unit sees what it has written, and another sees it only afterwards`, async t => {
    const { store } = await open(t, engine)
    const seen = await store.commit(function* (): Unit<{ readonly value: string } | null> {
      yield* run(fact('mine', 'written'))
      return yield* selectFirst({
        sql: 'SELECT value FROM facts WHERE name = ?',
        values: ['mine'],
        columns: columnsOf('facts', 'value'),
      })
    })
    t.deepEqual({ ...seen }, { value: 'written' })
    t.is(await store.commit(() => runAll([])).then(outcomes => outcomes.length), 0, 'a unit without a statement')
  })

  test(`On ${engine.name} the statements that a unit leaves for later are written in order, of any size, and undone with the rest`, async t => {
    const { store } = await open(t, engine)
    const picture = new Uint8Array(200_000).fill(7)
    const row = (id: string) => ({ id, account_id: id, lookup: id, profile: picture, data_key: picture, created_at: 1 })
    const rename = { sql: "UPDATE facts SET value = CONCAT(value, '!') WHERE name = ?", values: ['a'] }
    const seen = await store.commit(function* (): Unit<{ readonly value: string } | null> {
      yield* runLater([fact('a', 'x'), rename])
      yield* runLater([insert('customers', row(newId())), rename])
      const found = yield* selectFirst({
        sql: 'SELECT value FROM facts WHERE name = ?',
        values: ['a'],
        columns: columnsOf('facts', 'value'),
      })
      yield* runLater([rename, insert('customers', row(newId())), rename])
      return found
    })
    t.is(seen?.value, 'x!!')
    await store.commit(() => runLater([rename]))
    const facts = { sql: 'SELECT value FROM facts', values: [] }
    t.deepEqual(
      (await store.read(facts)).map(({ value }) => value),
      ['x!!!!!'],
    )
    const kept = await store.read({ sql: 'SELECT profile FROM customers', values: [] })
    t.deepEqual(
      kept.map(({ profile }) => Buffer.from(profile as Uint8Array).equals(picture)),
      [true, true],
    )
    const duplicate = await t.throwsAsync(store.commit(() => runLater([fact('b'), fact('a'), fact('c')])))
    t.true(store.dialect.isDuplicate(duplicate))
    const throwing = function* (): Unit<void> {
      yield* runLater([fact('d')])
      throw new Unwanted()
    }
    await t.throwsAsync(store.commit(throwing), { instanceOf: Unwanted })
    t.deepEqual(await names(store), ['a'])
  })

  test(`On ${engine.name} a statement that fails undoes its unit, and a duplicate differs from other failures`, async t => {
    const { store } = await open(t, engine)
    await keep(store, 'one')
    const duplicate = await t.throwsAsync(
      store.commit(function* (): Unit<void> {
        yield* runAll([fact('two'), fact('one')])
      }),
    )
    t.true(store.dialect.isDuplicate(duplicate))
    t.false(store.dialect.isRetryable(duplicate))
    const missing = await t.throwsAsync(store.commit(() => run({ sql: 'SELECT 1 FROM nowhere', values: [] })))
    t.false(store.dialect.isDuplicate(missing))
    t.false(missing instanceof DurableError)
    t.deepEqual(await names(store), ['one'])
  })

  test(`On ${engine.name} large values written beside commits are whole, durable, and all or nothing`, async t => {
    const { store, database } = await open(t, engine)
    const large = (name: string): Statement => fact(name, name.repeat(300_000))
    const writeFirst = store.writeBeside([large('a')])
    const sides = ['b', 'c', 'd'].map(name => store.writeBeside([large(name)]))
    const commits = Array.from({ length: 30 }, (_, n) => keep(store, `commit ${n}`))
    const failing = t.throwsAsync(writeFirst.then(() => store.writeBeside([large('e'), fact('a')])))
    await Promise.all([writeFirst, ...sides, ...commits])
    t.true(store.dialect.isDuplicate(await failing))
    await store.writeBeside([fact('f')])
    await store.close()
    const again = await openStore(database.address, 2)
    t.teardown(() => again.close())
    const kept = await again.read({
      sql: "SELECT name, LENGTH(value) AS length FROM facts WHERE name < 'commit'",
      values: [],
    })
    t.deepEqual(
      kept.map(({ name, length }) => [name, Number(length)]),
      ['a', 'b', 'c'].map(name => [name, 300_000]),
    )
    t.is((await names(again)).length, 30 + 5, 'd, f and every commit, but nothing of the one that failed')
  })

  test(`On ${engine.name} every value comes back as it was, alone or in a batch`, async t => {
    const { store } = await open(t, engine)
    const strings = fc.oneof(
      anyText(),
      fc.constantFrom("'", '\\', "\\'; DROP TABLE facts; --", '?', '??', '\0', '\u{1F600}', 'x ', '%_', '\r\n\u001a'),
    )
    const value = fc.record({
      id: fc.uuid(),
      text: strings.filter(text => text.isWellFormed()),
      bytes: fc.uint8Array({ maxLength: 300 }),
      instant: fc.oneof(fc.maxSafeNat(), fc.constant(Number.MAX_SAFE_INTEGER)),
    })
    const roundTrip = async ({
      id,
      text,
      bytes,
      instant,
    }: {
      id: string
      text: string
      bytes: Uint8Array
      instant: number
    }) => {
      const row = { id, account_id: id, lookup: 'x', profile: bytes, data_key: bytes, face: null, created_at: instant }
      const statements = [insert('customers', row), fact(id, text)]
      await store.commit(function* (): Unit<void> {
        if (instant % 2 === 0) yield* runAll(statements)
        else for (const statement of statements) yield* run(statement)
      })
      const sql = 'SELECT profile, data_key, face, created_at, value FROM customers, facts WHERE id = ? AND name = id'
      const [found] = await store.read({ sql, values: [id] })
      const [{ value: alike } = {}] = await store.read({
        sql: 'SELECT value FROM facts WHERE value = ? AND name = ?',
        values: [text, id],
      })
      t.deepEqual(
        found && [Buffer.from(found.profile as Uint8Array), found.face, found.created_at, found.value, alike],
        [Buffer.from(bytes), null, instant, text, text],
      )
    }
    await fc.assert(fc.asyncProperty(value, roundTrip), { numRuns: rounds(25, 100) })
  })
}

test('SQLite makes a commit durable: write-ahead log, and a sync at each', async t => {
  const engine = eachDialect[0]
  if (engine === undefined) return t.fail()
  const { database } = await open(t, engine)
  if (database.address.dialect !== 'sqlite') return t.fail()
  const file = openSqliteFile(database.address.file)
  t.is(file.pragma('journal_mode', { simple: true }), 'wal')
  t.is(file.pragma('synchronous', { simple: true }), 2, 'FULL')
  file.close()
})

test('On SQLite a failure that undoes the whole group rejects every unit of it', async t => {
  const engine = eachDialect[0]
  if (engine === undefined) return t.fail()
  const { store, database } = await open(t, engine)
  if (database.address.dialect !== 'sqlite') return t.fail()
  const other = new Database(database.address.file)
  other.exec(`CREATE TRIGGER fuse BEFORE INSERT ON facts WHEN NEW.name = 'fuse'
    BEGIN SELECT RAISE(ROLLBACK, 'blown'); END`)
  other.close()
  const asked = ['a', 'b', 'fuse', 'c', 'd']
  const settled = await Promise.allSettled(asked.map(name => keep(store, name)))
  const acknowledged = asked.filter((_, index) => settled[index]?.status === 'fulfilled')
  t.deepEqual(await names(store), acknowledged, 'exactly what was acknowledged is there')
  t.false(acknowledged.includes('fuse'))
  await keep(store, 'after')
  t.true((await names(store)).includes('after'), 'and the next commit works')
})

test('On SQLite a lock that another process holds answers 503, and the next commit after it succeeds', async t => {
  const engine = eachDialect[0]
  if (engine === undefined) return t.fail()
  const { store, database } = await open(t, engine)
  if (database.address.dialect !== 'sqlite') return t.fail()
  const other = new Database(database.address.file)
  other.exec('BEGIN IMMEDIATE')
  const error = await t.throwsAsync(keep(store, 'locked out'), { instanceOf: DurableError })
  t.is(error.code, 'unavailable')
  const aside = await t.throwsAsync(store.writeBeside([fact('locked out, too')]), { instanceOf: DurableError })
  t.is(aside.code, 'unavailable')
  t.deepEqual(await names(store), [], 'reading goes on')
  other.exec('ROLLBACK')
  other.close()
  await Promise.all([keep(store, 'back'), store.writeBeside([fact('beside')])])
  t.deepEqual(await names(store), ['back', 'beside'])
  await Promise.all([store.writeBeside([fact('last')]), store.close()])
})

const server = eachDialect.find(({ name }) => name === 'MariaDB')

/** A connection beside the store's own. */
async function beside(t: ExecutionContext, { address }: TestDatabase): Promise<mysql.Connection> {
  if (address.dialect !== 'mysql') throw new Error('not a server')
  const admin = await mysql.createConnection(connectionOptions(address))
  t.teardown(() => admin.end())
  return admin
}

/** Resolves with the connections to this database, other than `admin`, that are at a statement, once there are so many. */
async function waiting(admin: mysql.Connection, statement: string, count: number): Promise<readonly unknown[]> {
  const sql = `SELECT ID FROM information_schema.PROCESSLIST
    WHERE DB = DATABASE() AND ID <> CONNECTION_ID() AND INFO LIKE ?`
  for (;;) {
    const [rows] = await admin.query<mysql.RowDataPacket[]>(sql, [statement])
    if (rows.length >= count) return rows.map(({ ID }) => ID)
  }
}

if (server !== undefined) {
  test('On MariaDB units that deadlock run again, each as a whole, and both succeed', async t => {
    const { store, database } = await open(t, server)
    const admin = await beside(t, database)
    for (const name of ['a', 'b', 'gate']) await keep(store, name, '0')
    const add = (name: string): Statement => ({
      sql: 'UPDATE facts SET value = value + 1 WHERE name = ?',
      values: [name],
    })
    const pass: Statement = { sql: "SELECT value FROM facts WHERE name = 'gate' LOCK IN SHARE MODE", values: [] }
    let runs = 0
    const inOrder = (from: string, to: string) =>
      function* (): Unit<void> {
        runs += 1
        for (const statement of [add(from), pass, add(to)]) yield* run(statement)
      }
    await admin.query('START TRANSACTION')
    await admin.query("SELECT value FROM facts WHERE name = 'gate' FOR UPDATE")
    const both = Promise.all([store.commit(inOrder('a', 'b')), store.commit(inOrder('b', 'a'))])
    // Each has its first row when it stands at the gate.
    await waiting(admin, '%IN SHARE MODE', 2)
    await admin.query('COMMIT')
    await both
    t.is(runs, 3, 'one of them began again')
    const values = await store.read({ sql: "SELECT value FROM facts WHERE name <> 'gate'", values: [] })
    t.deepEqual(
      values.map(({ value }) => Number(value)),
      [2, 2],
    )
  })

  test('On MariaDB connections that are killed cost 503s, never an acknowledged write', async t => {
    const { store, database } = await open(t, server)
    const admin = await beside(t, database)
    const others = async (): Promise<readonly unknown[]> => {
      const sql = 'SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()'
      return (await admin.query<mysql.RowDataPacket[]>(sql))[0].map(({ ID }) => ID)
    }
    const killAll = async (): Promise<number> => {
      const ids = await others()
      for (const id of ids) await admin.query(`KILL ${id}`).catch(() => {})
      // A killed connection ends in its own time: wait, so that the next round does not meet it.
      await poll(async () => !(await others()).some(id => ids.includes(id)))
      return ids.length
    }
    const acknowledged: string[] = []
    const refused: unknown[] = []
    let killed = 0
    for (let round = 0; round < 5; round++) {
      const work = Array.from({ length: 20 }, async () => {
        const name = newId()
        await keep(store, name).then(
          () => acknowledged.push(name),
          error => refused.push(error),
        )
      })
      killed += await killAll()
      await Promise.all(work)
    }
    t.true(killed > 0)
    for (const error of refused) t.is((error as DurableError).code, 'unavailable', String(error))
    const present = new Set(await names(store))
    t.deepEqual(
      acknowledged.filter(name => !present.has(name)),
      [],
    )
    await keep(store, 'back')
  })

  test('On MariaDB a unit whose connection is killed half-way leaves nothing and answers 503', async t => {
    const { store, database } = await open(t, server)
    const admin = await beside(t, database)
    await keep(store, 'hold')
    await admin.query('START TRANSACTION')
    await admin.query("SELECT * FROM facts WHERE name = 'hold' FOR UPDATE")
    const unit = store.commit(function* (): Unit<void> {
      yield* run(fact('half'))
      yield* run({ sql: 'UPDATE facts SET value = ? WHERE name = ?', values: ['x', 'hold'] })
    })
    const [id] = await waiting(admin, 'UPDATE facts%', 1)
    await admin.query(`KILL ${id}`)
    const error = await t.throwsAsync(unit)
    t.is((error as DurableError).code, 'unavailable', String(error))
    await admin.query('COMMIT')
    t.deepEqual(await names(store), ['hold'])
  })
}

test('the event loop goes on while another process holds the lock of SQLite, and the write follows', async t => {
  const engine = eachDialect[0]
  if (engine === undefined) return t.fail()
  const { store, database } = await open(t, engine)
  const { address } = database
  if (address.dialect !== 'sqlite') return t.fail()
  const other = openSqliteFile(address.file)
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const kept = keep(store, 'late')
  for (let turn = 0; turn < 20; turn++) await new Promise<void>(resolve => void setImmediate(resolve))
  other.exec('ROLLBACK')
  await kept
  t.deepEqual(await names(store), ['late'])
})
