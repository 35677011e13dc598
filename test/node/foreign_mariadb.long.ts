import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type DatabaseAddress, migrate, openStore, runAll } from 'durable-xstate-sql'
import { hasPendingMigrations, isUnavailable } from 'durable-xstate-sql/sql'
import mysql from 'mysql2/promise'
import { insert, schema } from '../../src/database/schema.ts'
import { freePort } from '../ports.ts'
import { launch, prepare, programPath, ready, stop } from '../private_mariadb.ts'

/** A server with options that only its operator would choose, and its own database `attestor`. */
async function serverOf(t: ExecutionContext, options: readonly string[], accounts = '') {
  const program = programPath('mariadbd')
  if (program === null) throw new Error('mariadbd is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'attestor-foreign-'))
  const [password, port] = [randomBytes(8).toString('hex'), await freePort()]
  await prepare(folder, password)
  const init = join(folder, 'init.sql')
  // The options must not keep the test's own accounts from being made.
  writeFileSync(
    init,
    `SET SESSION tx_read_only = 0, autocommit = 1, sql_mode = '', max_statement_time = 0;\n${readFileSync(init, 'utf8')}`,
  )
  const server = launch(program, { folder, port }, [`--init-file=${init}`, ...options])
  t.teardown(async () => {
    await stop(server)
    rmSync(folder, { recursive: true, force: true })
  })
  const address = { host: '127.0.0.1', port, user: 'attestor', password, database: 'attestor' }
  await ready(server, `mysql://${address.user}:${address.password}@${address.host}:${port}/${address.database}`)
  if (accounts !== '') {
    const connection = await mysql.createConnection({ ...address, multipleStatements: true })
    await connection.query(accounts)
    await connection.end()
  }
  return { dialect: 'mysql', ...address } satisfies DatabaseAddress
}

async function refusalOf(address: DatabaseAddress): Promise<string> {
  const error = await migrate(address, schema).then(
    () => new Error('nothing was refused'),
    (thrown: Error) => thrown,
  )
  return isUnavailable(error) ? error.message.replace('the database is unavailable: ', '') : `${error.stack}`
}

/** Variables whose global value a server's operator may have set. */
const foreign = [
  'sql-mode=EMPTY_STRING_IS_NULL,ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH',
  'transaction-isolation=SERIALIZABLE',
  'transaction-read-only=ON',
  'autocommit=OFF',
  'completion-type=RELEASE',
  'max-sort-length=64',
  'max-statement-time=0.0005',
  'max-join-size=10',
  'default-time-zone=+09:00',
  'default-storage-engine=MyISAM',
  'character-set-server=latin1',
  'lower-case-table-names=1',
  'group-concat-max-len=4',
  'div-precision-increment=0',
].map(option => `--${option}`)

test('A server whose session variables all differ is migrated, written and read like ours', async t => {
  const address = await serverOf(t, [
    ...foreign,
    '--init-connect=SET sql_select_limit=1, sql_auto_is_null=1, sql_safe_updates=1, foreign_key_checks=0, unique_checks=0',
  ])
  t.true((await migrate(address, schema)).length > 0)
  t.false(await hasPendingMigrations(address, schema))
  const store = await openStore(address, 2)
  t.teardown(store.close)
  const written = ['', '\\', '"x" || ’y’ '].map((value, at) => ({ name: `a${at}`, value }))
  await store.commit(() => runAll(written.map(row => insert('facts', row))))
  const sql = "SELECT name, value FROM facts WHERE name LIKE 'a_' AND value IS NOT NULL ORDER BY name"
  t.deepEqual(await store.read({ sql, values: [] }), written)
})

test('A server that can’t be used says why, to whom starts, migrates or examines', async t => {
  const accounts = `CREATE USER 'plugin'@'%' IDENTIFIED VIA ed25519 USING PASSWORD('x'); CREATE USER 'other'@'%' IDENTIFIED BY 'x';
    CREATE USER 'locked'@'%' IDENTIFIED BY 'x' ACCOUNT LOCK; CREATE USER 'reader'@'%' IDENTIFIED BY 'x';
    CREATE USER 'busy'@'%' IDENTIFIED BY 'x' WITH MAX_QUERIES_PER_HOUR 1; GRANT ALL ON attestor.* TO 'busy'@'%';
    CREATE USER 'expired'@'%' IDENTIFIED BY 'x' PASSWORD EXPIRE; GRANT ALL ON attestor.* TO 'expired'@'%';
    GRANT SELECT ON attestor.* TO 'reader'@'%'; GRANT ALL ON attestor.* TO 'plugin'@'%'`
  const options = ['--log-bin=own', '--binlog-format=STATEMENT', '--plugin-load-add=auth_ed25519']
  const address = await serverOf(t, options, accounts)
  const by = (user: string): DatabaseAddress => ({ ...address, user, password: 'x' })
  t.is(await refusalOf(address), 'its binlog_format is STATEMENT: set it to MIXED or ROW')
  t.regex(await refusalOf(by('plugin')), /^its user has an authentication plugin that the driver lacks/)
  t.is(await refusalOf(by('other')), 'its user may not use the database of this name')
  t.is(await refusalOf(by('locked')), 'its user is locked')
  t.is(await refusalOf(by('expired')), 'its user has an expired password')
  t.is(await refusalOf(by('busy')), 'its user has reached its max_queries_per_hour')
  t.is(await refusalOf(by('reader')), 'its user lacks a right on the tables')
  t.regex(await refusalOf(by('nobody')), /^it refuses the user or the password/)
  t.is(await refusalOf({ ...address, database: 'none' }), 'it has no database of this name')
  const store = await openStore(by('locked'), 1)
  t.teardown(store.close)
  const refused = await t.throwsAsync(store.read({ sql: 'SELECT 1', values: [] }))
  t.is(refused?.message, 'the database is unavailable: its user is locked')
})

test('A server whose tables can only be read says so', async t => {
  const address = await serverOf(t, [])
  const { dialect: _, ...place } = address
  // A server that starts with it can’t make the test’s database.
  const connection = await mysql.createConnection({ ...place, multipleStatements: true })
  await connection.query(
    'SET GLOBAL read_only = 1; REVOKE ALL PRIVILEGES, GRANT OPTION FROM attestor; GRANT ALL ON attestor.* TO attestor',
  )
  await connection.end()
  t.is(await refusalOf(address), 'it is read-only')
})

test('A server whose default rows are too short for an index says so', async t => {
  const address = await serverOf(t, ['--innodb-default-row-format=compact'])
  t.regex(await refusalOf(address), /^its innodb_default_row_format/)
})
