import test, { type ExecutionContext } from 'ava'
import mysql from 'mysql2/promise'
import { insert } from '../../../../src/database/schema.ts'
import { eachDialect, type TestDatabase, type TestEngine } from '../../../../test/database.ts'
import { DurableError } from '../../errors.ts'
import { connectionOptions } from '../../store/mysql_address.ts'
import { execute } from '../../store/mysql_execute.ts'
import { isMember } from '../../store/mysql_server.ts'
import { openStore } from '../../store/source.ts'
import { run, runAll, type Statement, type Unit } from '../../store/statement.ts'

function fact(name: string): Statement {
  return insert('facts', { name, value: '' })
}

const selectNames: Statement = { sql: 'SELECT name FROM facts ORDER BY name', values: [] }

async function freshOn(t: ExecutionContext, engine: TestEngine): Promise<TestDatabase> {
  const database = await engine.fresh()
  t.teardown(database.drop)
  return database
}

const server = eachDialect.find(({ name }) => name === 'MariaDB')

/** A connection that takes texts of many statements, as a store's do. */
async function openedWithTexts(t: ExecutionContext, address: object): Promise<mysql.PoolConnection> {
  const pool = mysql.createPool({ ...address, connectionLimit: 1, multipleStatements: true })
  t.teardown(() => pool.end())
  return pool.getConnection()
}

test('A server without a host that answers is unavailable, for reading and for writing', async t => {
  const nowhere = { host: '127.0.0.1', port: 1, user: 'nobody', password: '', database: 'none' }
  const store = await openStore({ dialect: 'mysql', ...nowhere }, 2)
  for (const work of [store.commit(() => run(fact('x'))), store.read(selectNames)]) {
    const error = await t.throwsAsync<DurableError>(work, { instanceOf: DurableError })
    t.is(error?.code, 'unavailable')
  }
  await store.close()
})

if (server !== undefined) {
  const signalled = (errno: number): Statement => ({
    sql: `SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${errno}, MESSAGE_TEXT = 'as a member of a cluster says it'`,
    values: [],
  })

  test('A cluster’s error on MariaDB is a lost race, or unavailable; never an error of ours', async t => {
    const { address } = await freshOn(t, server)
    const store = await openStore(address, 2)
    t.teardown(store.close)
    const names = async () => (await store.read(selectNames)).map(({ name }) => name)
    const unavailable = async (work: Promise<unknown>): Promise<void> => {
      const error = await t.throwsAsync<DurableError>(work, { instanceOf: DurableError })
      t.is(error?.code, 'unavailable')
    }
    // Lost at its commit, waited too long for a row or for the others' writes: again, from the beginning.
    for (const errno of [1213, 1205]) {
      let runs = 0
      const kept = await store.commit(function* (): Unit<number> {
        runs += 1
        yield* run(fact(`${errno} in run ${runs}`))
        if (runs < 3) yield* run(signalled(errno))
        return runs
      })
      t.is(kept, 3)
      await unavailable(store.read(signalled(errno)))
    }
    t.deepEqual(await names(), ['1205 in run 3', '1213 in run 3'])
    // The server is not in the majority, or is shutting down: nothing can be done here now.
    for (const errno of [1047, 1053, 1180, 1290, 1317]) {
      await unavailable(store.read(signalled(errno)))
      await unavailable(store.commit(() => runAll([fact(`${errno}`), signalled(errno)])))
    }
    t.is((await names()).length, 2)
  })

  test('Statements go one by one to a member of a cluster, with the same outcomes', async t => {
    const database = await freshOn(t, server)
    if (database.address.dialect !== 'mysql') return t.fail()
    const address = connectionOptions(database.address)
    // This one takes no text of many statements.
    const pool = mysql.createPool({ ...address, connectionLimit: 1 })
    t.teardown(() => pool.end())
    const connection = await pool.getConnection()
    const statements = [fact('a'), fact('b'), selectNames]
    await t.throwsAsync(execute(connection, statements, false), { message: /syntax/ })
    const [one, two, found] = await execute(connection, statements, true)
    t.deepEqual([one?.changed, two?.changed, found?.rows.map(({ name }) => name)], [1, 1, ['a', 'b']])
    t.false(await isMember(await openedWithTexts(t, address)), 'this server is none')
  })
}
