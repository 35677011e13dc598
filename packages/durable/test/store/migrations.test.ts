import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { insert, schema } from '../../../../src/database/schema.ts'
import { findMissingColumns } from '../../../../src/database/schema_check.ts'
import { eachDialect, type TestDatabase, type TestEngine } from '../../../../test/database.ts'
import { isLong, rounds } from '../../../../test/tier.ts'
import { createDataSource } from '../../store/data_source.ts'
import type { DatabaseAddress } from '../../store/database_address.ts'
import { hasPendingMigrations, migrate, openStore } from '../../store/source.ts'
import { run, runAll } from '../../store/statement.ts'

async function empty(t: ExecutionContext, engine: TestEngine): Promise<TestDatabase> {
  const database = await engine.empty()
  t.teardown(database.drop)
  return database
}

/** Returns the changes that TypeORM would still make, as SQL. */
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

const root = join(import.meta.dirname, '../../../..')
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
    const store = await openStore(address, 2)
    await store.commit(() => runAll([insert('facts', { name: 'kept', value: 'yes' })]))
    await store.close()
    t.deepEqual(await migrate(address, schema), [])
    const again = await openStore(address, 2)
    t.deepEqual(
      (await again.read({ sql: 'SELECT * FROM facts', values: [] })).map(row => ({ ...row })),
      [{ name: 'kept', value: 'yes' }],
    )
    t.deepEqual(await findMissingColumns(again), [])
    for (const sql of ['ALTER TABLE nodes DROP COLUMN state', 'DROP TABLE origins'])
      await again.commit(() => run({ sql, values: [] }))
    const missing = await findMissingColumns(again)
    t.true(missing.includes('nodes.state') && missing.includes('origins.paused_at'), String(missing))
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

  test(`On ${engine.name} TypeORM's command line runs the migrations`, async t => {
    const { address } = await empty(t, engine)
    await commandLine('migration:run', address)
    t.deepEqual(await drift(address), [])
    // Each command takes a second of CPU, and nothing of the others depends on the dialect.
    if (engine.name !== 'SQLite' && !isLong) return
    await commandLine('migration:revert', address)
    t.true(await hasPendingMigrations(address, schema))
    t.regex(await commandLine('migration:show', address), /\[ \].*Initial/)
  })
}

class Killed extends Error {}

type Place = readonly ['before' | 'after', number]

/** Every place between two statements of pending migrations, each found by running them. */
async function listPlaces(address: DatabaseAddress, tables: Parameters<typeof migrate>[1]): Promise<readonly Place[]> {
  const places: Place[] = []
  await migrate(address, tables, (...place) => places.push(place))
  return places
}

/** Runs the migrations and ends at a place, as a kill would: nothing is tidied up. */
function migrateUntil(
  address: DatabaseAddress,
  tables: Parameters<typeof migrate>[1],
  [place, step]: Place,
): Promise<unknown> {
  return migrate(address, tables, (here, at) => {
    if (here === place && at === step) throw new Killed()
  })
}

/** Some of a list, evenly, and its end. */
function choose<T>(list: readonly T[], count: number): readonly T[] {
  return list.filter((_, n) => n === list.length - 1 || n % Math.max(1, Math.floor(list.length / count)) === 0)
}

for (const engine of eachDialect.filter(({ name }) => name === 'MariaDB')) {
  test(`On ${engine.name} the migrations go on where they were killed, at every statement`, async t => {
    const places = await listPlaces((await empty(t, engine)).address, schema)
    t.true(places.length > 40)
    for (const place of choose(places, rounds(5, places.length))) {
      const { address } = await empty(t, engine)
      await t.throwsAsync(migrateUntil(address, schema, place), { instanceOf: Killed }, String(place))
      t.true(await hasPendingMigrations(address, schema))
      t.true((await migrate(address, schema)).length > 0, String(place))
      t.deepEqual(await drift(address), [], String(place))
    }
  })

  test(`On ${engine.name} a later migration on data goes on where it was killed, and changes each row once`, async t => {
    const folder = mkdtempSync(join(tmpdir(), 'attestor-migrations-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'mysql'))
    const write = (number: number, statements: readonly string[]): void =>
      writeFileSync(
        join(folder, 'mysql', `${1_700_000_000_000 + number}-m${number}.ts`),
        `export class M${1_700_000_000_000 + number} {
          name = 'M${1_700_000_000_000 + number}'
          async up(runner) { for (const sql of ${JSON.stringify(statements)}) await runner.query(sql) }
          async down() {}
        }`,
      )
    write(1, ['CREATE TABLE people (id int PRIMARY KEY, visits int NOT NULL, name varchar(20))'])
    const tables = { ...schema, migrations: folder }
    const later = [
      'ALTER TABLE people ADD COLUMN given varchar(20)',
      'UPDATE people SET given = name, visits = visits + 1',
      'CREATE INDEX people_given ON people (given)',
      "INSERT INTO people VALUES (3, 0, 'c', 'c')",
      'ALTER TABLE people DROP COLUMN name',
      'ALTER TABLE people RENAME TO persons',
      'DELETE FROM persons WHERE id = 2',
    ]
    const begin = async () => {
      const { address } = await empty(t, engine)
      rmSync(join(folder, 'mysql', '1700000000002-m2.ts'), { force: true })
      await migrate(address, tables)
      const source = await createDataSource(address, tables).initialize()
      await source.query("INSERT INTO people VALUES (1, 10, 'a'), (2, 20, 'b')")
      write(2, later)
      return { address, source }
    }
    const first = await begin()
    const places = await listPlaces(first.address, tables)
    await first.source.destroy()
    t.is(places.length, 2 * later.length)
    for (const place of choose(places, rounds(4, places.length))) {
      const { address, source } = await begin()
      await t.throwsAsync(migrateUntil(address, tables, place), { instanceOf: Killed })
      t.deepEqual(await migrate(address, tables), ['M1700000000002'], String(place))
      const rows = await source.query('SELECT * FROM persons ORDER BY id')
      t.deepEqual(
        rows.map((row: object) => ({ ...row })),
        [
          { id: 1, visits: 11, given: 'a' },
          { id: 3, visits: 0, given: 'c' },
        ],
        String(place),
      )
      await source.destroy()
    }
  })

  test(`On ${engine.name} a statement that fails by itself fails again, and another build does not go on`, async t => {
    const { address } = await empty(t, engine)
    const source = await createDataSource(address, schema).initialize()
    await source.query('CREATE TABLE journal (id int)')
    const failing = async (): Promise<void> => {
      const error = await t.throwsAsync(migrate(address, schema))
      t.regex(error?.message ?? '', /journal/)
    }
    await failing()
    await failing()
    await source.query('DROP TABLE journal')
    await t.throwsAsync(migrateUntil(address, schema, ['after', 3]), { instanceOf: Killed })
    await source.query("UPDATE migration_steps SET statement_sha256 = 'other' WHERE step = 2")
    await t.throwsAsync(migrate(address, schema), { message: /another build/ })
    await source.destroy()
  })
}
