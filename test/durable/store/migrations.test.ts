import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import {
  createDataSource,
  type DatabaseAddress,
  hasPendingMigrations,
  migrate,
  openStore,
} from '../../../packages/durable/store/source.ts'
import { runAll } from '../../../packages/durable/store/statement.ts'
import { insert, schema } from '../../../src/database/schema.ts'
import { eachDialect, type TestDatabase, type TestEngine } from '../../database.ts'

async function empty(t: ExecutionContext, engine: TestEngine): Promise<TestDatabase> {
  const database = await engine.empty()
  t.teardown(database.drop)
  return database
}

/** What TypeORM would still change, as SQL. */
async function drift(address: DatabaseAddress): Promise<readonly string[]> {
  const source = await createDataSource(address, schema).initialize()
  try {
    return (await source.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query)
  } finally {
    await source.destroy()
  }
}

function urlOf(address: DatabaseAddress): string {
  if (address.dialect === 'sqlite') return `sqlite:${address.file}`
  const { user, password, host, port, database } = address
  return `mysql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`
}

const root = join(import.meta.dirname, '../../..')
const typeorm = join(root, 'node_modules/typeorm/cli.js')

/** TypeORM's own command line, on the project's `ormconfig.ts`. */
async function commandLine(command: string, address: DatabaseAddress): Promise<string> {
  const env = { ...process.env, DATABASE_URL: urlOf(address), NO_COLOR: '1', FORCE_COLOR: '0' }
  const { stdout } = await promisify(execFile)(process.execPath, [typeorm, command, '-d', 'ormconfig.ts'], {
    cwd: root,
    env,
  })
  return stdout
}

for (const engine of eachDialect) {
  test(`On ${engine.name} the migrations make exactly the entities' schema`, async t => {
    const { address } = await empty(t, engine)
    t.true((await drift(address)).length > 8, 'an empty database is far from it')
    t.true(await hasPendingMigrations(address, schema))
    const names = await migrate(address, schema)
    t.true(names.length > 0)
    t.deepEqual(await drift(address), [])
    t.false(await hasPendingMigrations(address, schema))
  })

  test(`On ${engine.name} migrating twice is harmless to what is there`, async t => {
    const { address } = await empty(t, engine)
    await migrate(address, schema)
    const store = openStore(address, 2)
    await store.commit(() => runAll([insert('facts', { name: 'kept', value: 'yes' })]))
    await store.close()
    t.deepEqual(await migrate(address, schema), [])
    const again = openStore(address, 2)
    t.deepEqual(
      (await again.read({ sql: 'SELECT * FROM facts', values: [] })).map(row => ({ ...row })),
      [{ name: 'kept', value: 'yes' }],
    )
    await again.close()
  })

  test(`On ${engine.name} every migration can be reverted and run again`, async t => {
    const { address } = await empty(t, engine)
    const names = await migrate(address, schema)
    const source = await createDataSource(address, schema).initialize()
    for (const _ of names) await source.undoLastMigration({ transaction: 'each' })
    await source.destroy()
    t.true(await hasPendingMigrations(address, schema))
    t.deepEqual(await migrate(address, schema), names)
    t.deepEqual(await drift(address), [])
  })

  test(`On ${engine.name} TypeORM's command line shows, runs and reverts the migrations`, async t => {
    const { address } = await empty(t, engine)
    t.regex(await commandLine('migration:show', address), /\[ \].*Initial/)
    await commandLine('migration:run', address)
    t.regex(await commandLine('migration:show', address), /\[X\].*Initial/)
    t.deepEqual(await drift(address), [])
    await commandLine('migration:revert', address)
    t.true(await hasPendingMigrations(address, schema))
  })
}
