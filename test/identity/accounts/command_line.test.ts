import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { migrate, openStore } from 'durable-xstate-sql'
import { openSqliteFile } from 'durable-xstate-sql/testing'
import { systemClock } from '../../../src/base/clock.ts'
import { schema } from '../../../src/database/schema.ts'
import { findClient, isClientSecret } from '../../../src/identity/accounts/accounts.ts'
import { openServiceKeys } from '../../../src/identity/keys/key_slots.ts'
import { openWebhookKeys } from '../../../src/identity/keys/webhook_keys.ts'
import { attestor, startCommand } from '../../service/programs.ts'
import { inLongTier } from '../../tier.ts'

function folder(): { within: string; drop: () => void } {
  const within = mkdtempSync(join(tmpdir(), 'attestor-test-'))
  return { within, drop: () => rmSync(within, { recursive: true, force: true }) }
}

test('a command creates neither database nor key, and says that they are missing', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const file = join(within, 'data', 'attestor.sqlite')
  const environment = { DATABASE_URL: `sqlite:${file}` }
  const id = '01890a5d-ac96-774b-bcce-b302099a8057'
  const commands = [
    ['account', 'create', '--name', 'a'],
    ['account', 'list'],
    ['account', 'show', id],
    ['client', 'list', id],
    ['client', 'revoke', id],
    ['customer', 'erase', id],
    ['transaction', 'trace', id],
    ['keys', 'list'],
    ['webhook', 'paused'],
  ]
  const refused = { code: 1, stdout: '' }
  const says = `DATABASE_URL: there is no database at ${file}: the service or \`attestor migrate\` creates it\n`
  for (const words of commands) t.deepEqual(await attestor(words, environment), { ...refused, stderr: says })
  t.throws(() => statSync(join(within, 'data')), { code: 'ENOENT' })

  // Empty, as a first start that was killed may leave it; then without the key that seals it; then of another build.
  mkdirSync(join(within, 'data'))
  writeFileSync(file, '')
  t.deepEqual(await attestor(['account', 'list'], environment), { ...refused, stderr: says })
  await migrate({ dialect: 'sqlite', file }, schema)
  const withoutKey = await attestor(['account', 'list'], environment)
  t.regex(
    withoutKey.stderr,
    /^MASTER_KEY: there is none at .*master\.key: the service or `attestor migrate` creates it\n$/,
  )
  t.deepEqual(readdirSync(join(within, 'data')), ['attestor.sqlite'])
  t.is((await attestor(['migrate'], environment)).code, 0)
  const changed = openSqliteFile(file)
  changed.exec('ALTER TABLE transactions RENAME COLUMN origin_mac TO another')
  changed.close()
  for (const words of [['account', 'list'], ['doctor'], ['migrate']]) {
    const { code, stdout, stderr } = await attestor(words, environment)
    t.not(code, 0, words[0])
    t.regex(`${stdout}${stderr}`, /the schema is another build's: it lacks transactions\.origin_mac/, words[0])
    t.notRegex(`${stdout}${stderr}`, /^ {4}at /m)
  }
  t.regex((await attestor(['doctor'], environment)).stdout, /Run the build that made this database/)
  const old = openSqliteFile(file)
  old.exec('ALTER TABLE transactions RENAME COLUMN another TO origin_mac')
  old.exec('DELETE FROM migrations WHERE id = (SELECT MAX(id) FROM migrations)')
  old.close()
  const older = await attestor(['account', 'list'], environment)
  t.is(older.stderr, 'DATABASE_URL: the schema is older than this build: run `npm run migrate`\n')
})

inLongTier(test)('several processes that make a database at once make one, with one key', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const environment = { DATABASE_URL: `sqlite:${join(within, 'data', 'attestor.sqlite')}` }
  const migrations = [1, 2, 3].map(() => startCommand(['migrate'], environment))
  for (const { ended, stderr } of migrations) t.is(await ended, 0, stderr())
  t.is(migrations.filter(({ stderr }) => stderr().includes('MASTER_KEY is not set')).length, 1)
  t.is((await attestor(['account', 'list'], environment)).code, 0)
})

test('a database is made before the first start, and accounts in it, printed and nothing else', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const file = join(within, 'data', 'attestor.sqlite')
  const environment = { DATABASE_URL: `sqlite:${file}` }
  const migrated = await attestor(['migrate'], environment)
  t.is(migrated.code, 0, migrated.stderr)
  t.regex(migrated.stderr, /^MASTER_KEY is not set: created one/)
  const create = (name: string) => attestor(['account', 'create', '--name', name, '--json'], environment)
  const made = await Promise.all(['a', '-c'].map(create))
  const master = Buffer.from(readFileSync(join(within, 'data', 'master.key'), 'utf8'), 'base64')
  t.is(master.length, 32)
  const store = await openStore({ dialect: 'sqlite', file }, 2)
  t.teardown(() => store.close())
  for (const { code, stdout, stderr } of made) {
    t.deepEqual([code, stderr], [0, ''])
    const account = JSON.parse(stdout) as Record<string, string>
    t.deepEqual(Object.keys(account), ['account_id', 'client_id', 'client_secret'])
    const client = await findClient(store, account.client_id ?? '')
    t.is(client?.account_id, account.account_id)
    t.true(isClientSecret(await openServiceKeys(store, master), account.client_secret ?? '', client?.secret_hmac ?? ''))
  }
  const other = { ...environment, MASTER_KEY: Buffer.alloc(32).toString('base64') }
  const refused = await attestor(['account', 'create', '--name', 'd', '--json'], other)
  t.deepEqual([refused.code, refused.stdout], [1, ''])
  t.is(refused.stderr, 'MASTER_KEY: is not the key that this database is encrypted with\n')
  t.is((await attestor(['migrate'], environment)).stdout, 'The schema is up to date.\n')
})

test('an encrypted database whose key file is missing is rejected, and nothing is written', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const environment = { DATABASE_URL: `sqlite:${join(within, 'attestor.sqlite')}` }
  const keyFile = join(within, 'master.key')
  const create = () => attestor(['account', 'create', '--name', 'a', '--json'], environment)
  t.is((await attestor(['migrate'], environment)).code, 0)
  const key = readFileSync(keyFile)
  rmSync(keyFile)
  const before = readFileSync(environment.DATABASE_URL.slice('sqlite:'.length))
  const { code, stdout, stderr } = await create()
  t.deepEqual([code, stdout], [1, ''])
  t.is(stderr, `MASTER_KEY: ${keyFile} is missing, and the database is encrypted with it\n`)
  t.false(existsSync(keyFile))
  t.true(readFileSync(environment.DATABASE_URL.slice('sqlite:'.length)).equals(before))
  writeFileSync(keyFile, key)
  t.is((await create()).code, 0)
})

test('a secret is changed without a gap: a further client of the account, and then the old one is revoked', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const file = join(within, 'attestor.sqlite')
  const environment = { DATABASE_URL: `sqlite:${file}`, MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
  t.is((await attestor(['migrate'], environment)).code, 0)
  const made = JSON.parse((await attestor(['account', 'create', '--name', 'a', '--json'], environment)).stdout)
  const next = await attestor(['client', 'create', made.account_id, '--json'], environment)
  t.is(next.code, 0, next.stderr)
  const client = JSON.parse(next.stdout) as Record<string, string>
  t.is(client.account_id, made.account_id)
  t.not(client.client_id, made.client_id)
  const store = await openStore({ dialect: 'sqlite', file }, 2)
  t.teardown(() => store.close())
  t.truthy(await findClient(store, made.client_id))
  for (const _ of [1, 2]) t.is((await attestor(['client', 'revoke', made.client_id], environment)).code, 0)
  t.is(await findClient(store, made.client_id), null)
  t.is((await findClient(store, client.client_id ?? ''))?.account_id, made.account_id)
  const linesOf = async (...words: string[]): Promise<readonly Record<string, unknown>[]> => {
    const { stdout } = await attestor(words, environment)
    return stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
  }
  const other = JSON.parse(
    (await attestor(['account', 'create', '--name', 'b', '--test', '--json'], environment)).stdout,
  )
  const accounts = await linesOf('account', 'list')
  t.deepEqual(
    accounts.map(({ account_id, name, mode }) => [account_id, name, mode]),
    [
      [made.account_id, 'a', 'live'],
      [other.account_id, 'b', 'test'],
    ],
  )
  const clients = await linesOf('client', 'list', made.account_id)
  t.deepEqual(
    clients.map(({ client_id, revoked_at }) => [client_id, revoked_at === null]),
    [
      [made.client_id, false],
      [client.client_id, true],
    ],
  )
  t.regex(String(clients[0]?.revoked_at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const shown = await attestor(['account', 'show', made.account_id], environment)
  t.deepEqual(JSON.parse(shown.stdout), { ...accounts[0], clients })
  t.deepEqual((await attestor(['client', 'list', made.client_id], environment)).stderr, 'account_id: not found\n')
  const unknown = await attestor(['client', 'revoke', made.account_id], environment)
  t.deepEqual([unknown.code, unknown.stderr], [1, 'client_id: not found\n'])
  t.is((await attestor(['client', 'create', 'x'], environment)).code, 2)
})

test('an unknown command shows the usage, and changes nothing', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const environment = { DATABASE_URL: `sqlite:${join(within, 'data', 'x.sqlite')}` }
  const calls = [
    [],
    ['bogus'],
    ['account'],
    ['account', 'create'],
    ['account', 'create', '--nmae', 'x'],
    ['account', 'create', '--name', '--json'],
    ['migrate', '--jsno'],
    ['keys'],
    ['keys', 'rotate', '--in', 'soon'],
    ['keys', 'rotate', '--in', '-1'],
    ['webhook', 'redeliver'],
    ['webhook', 'redeliver', '01890a5d-ac96-774b-bcce-b302099a8057', '--from', '2026-11-21'],
    ['webhook', 'redeliver', '--from', '5'],
    ['webhook', 'redeliver', '--from', '2026-11-21T08:00'],
    ['webhook', 'redeliver', '--from', '2026-02-30'],
    ['webhook', 'list', '--from', '2026-11-21', '--to', '2026-11-20T23:59:59Z'],
  ]
  for (const words of calls) {
    const { code, stdout, stderr } = await attestor(words, environment)
    t.deepEqual([code, stdout], [2, ''], words.join(' '))
    t.true(stderr.includes('Usage:'))
  }
  const setting = await attestor(['migrate'], { ...environment, DATABASE_URL: 'oracle:x' })
  t.deepEqual([setting.code, setting.stdout], [1, ''])
  const file = join(within, 'no.sqlite')
  writeFileSync(file, 'what is no database, and long enough to be seen as none. '.repeat(100))
  const unreadable = await attestor(['migrate'], { ...environment, DATABASE_URL: `sqlite:${file}` })
  t.deepEqual(
    [unreadable.code, unreadable.stderr],
    [1, 'the database is unavailable: its file is no SQLite database (SQLITE_NOTADB)\n'],
  )
  t.true(setting.stderr.startsWith('DATABASE_URL: '))
  t.throws(() => statSync(join(within, 'data')), { code: 'ENOENT' })
})

test('help covers the commands that the words name, and closing the output early is no fault', async t => {
  const helpOf = async (...words: string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await attestor([...words, '--help'], {})
    t.deepEqual([code, stderr], [0, ''])
    return stdout.split('\n').flatMap(line => /^ {2}(\w+)( \[options\])?( <\w+>)? {2,}\w/.exec(line)?.[1] ?? [])
  }
  t.deepEqual(await helpOf('keys'), ['rotate', 'list'])
  t.deepEqual(await helpOf('keys', 'rotate'), [])
  t.true((await helpOf()).includes('client'))
  t.regex((await attestor(['--version'], {})).stdout, /^\d+\.\d+\.\d+\n$/)
  const { child, ended, stderr } = startCommand(['--help'], {})
  child.stdout?.destroy()
  t.deepEqual([await ended, stderr()], [0, ''])
})

test('a trace is asked for by the id of a transaction that there is', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const MASTER_KEY = Buffer.alloc(32, 1).toString('base64')
  const environment = { MASTER_KEY, DATABASE_URL: `sqlite:${join(within, 'attestor.sqlite')}` }
  t.is((await attestor(['migrate'], environment)).code, 0)
  const unknown = await attestor(['transaction', 'trace', '01890a5d-ac96-774b-bcce-b302099a8057'], environment)
  t.deepEqual([unknown.code, unknown.stdout, unknown.stderr], [1, '', 'transaction_id: not found\n'])
  const odd = await attestor(['transaction', 'trace', 'x'], environment)
  t.is(odd.code, 2)
})

test('a webhook key is rotated while no node runs, shown, listed, and not twice', async t => {
  const { within, drop } = folder()
  t.teardown(drop)
  const environment = { DATABASE_URL: `sqlite:${join(within, 'data', 'x.sqlite')}` }
  t.is((await attestor(['migrate'], environment)).code, 0)
  const early = await attestor(['keys', 'rotate'], environment)
  t.deepEqual([early.code, early.stdout], [1, ''])
  t.true(early.stderr.includes('none exists yet'), early.stderr)
  const key = Buffer.from(readFileSync(join(within, 'data', 'master.key'), 'utf8'), 'base64')
  const store = await openStore({ dialect: 'sqlite', file: join(within, 'data', 'x.sqlite') }, 2)
  t.teardown(() => store.close())
  const serviceKeys = await openServiceKeys(store, key)
  await openWebhookKeys({ store, clock: systemClock, serviceKeys, algorithm: 'RS256' })
  const { code, stdout } = await attestor(['keys', 'rotate', '--in', '48', '--json'], environment)
  t.is(code, 0)
  const { kid, alg, active_at } = JSON.parse(stdout) as Record<string, string>
  t.is(alg, 'RS256')
  t.true(Math.abs(Date.parse(active_at ?? '') - systemClock.now() - 48 * 3600_000) < 60_000)
  const again = await attestor(['keys', 'rotate'], environment)
  t.deepEqual([again.code, again.stdout], [1, ''])
  t.true(again.stderr.includes('is next already'))
  const lines = (await attestor(['keys', 'list'], environment)).stdout.trim().split('\n')
  t.is(lines.length, 2)
  t.true(lines[0]?.startsWith(`${kid}  RS256  next  from ${active_at}`))
  t.regex(lines[1] ?? '', /RS256 {2}active {2}from .* until /)
})
