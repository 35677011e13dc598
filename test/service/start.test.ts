import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import Database from 'better-sqlite3'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/settings.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { startNode } from '../../src/node/start_node.ts'
import { callTo } from '../calls.ts'
import { sqlite } from '../database.ts'
import { sharedImageChecker } from '../image_checker.ts'
import { freePort } from '../ports.ts'
import { inLongTier } from '../tier.ts'
import { type Client, kyc, requestToken } from './client.ts'
import { attestor, startChild, startProgram } from './programs.ts'

const run = promisify(execFile)
const MASTER_KEY = Buffer.alloc(32, 9).toString('base64')
const firstStart = join(import.meta.dirname, 'first_start_child.ts')

function folder(t: ExecutionContext): string {
  const within = mkdtempSync(join(tmpdir(), 'attestor-start-'))
  t.teardown(() => rmSync(within, { recursive: true, force: true }))
  return within
}

function fresh() {
  return sqlite.fresh()
}

test('a node that listens on every address makes links to one that can be opened', async t => {
  const { address, drop } = await fresh()
  t.teardown(drop)
  const url = async (HOST: string): Promise<string> => {
    const node = await startNode({
      config: { ...readConfig({ HOST, PORT: '0', MASTER_KEY }), DATABASE_URL: address },
      clock: systemClock,
      log: silentLog,
      engine: scriptedEngine(createApprovedFindings),
      imageChecker: sharedImageChecker(),
      lingerMs: 0,
    })
    t.is((await fetch(`${node.url}/healthz`)).status, 200)
    await node.stop()
    return node.url.replace(/\d+$/, 'PORT')
  }
  t.is(await url('0.0.0.0'), 'http://127.0.0.1:PORT')
  t.is(await url('::'), 'http://[::1]:PORT')
})

test('a call that comes while a node starts is answered at once, and holds up no stop', async t => {
  const { address, drop } = await fresh()
  t.teardown(drop)
  const PORT = String(await freePort())
  const other = new Database(address.dialect === 'sqlite' ? address.file : '')
  const held = Promise.withResolvers<void>()
  const starting = startNode({
    config: { ...readConfig({ PORT, MASTER_KEY }), DATABASE_URL: address },
    clock: systemClock,
    log: silentLog,
    engine: scriptedEngine(createApprovedFindings),
    imageChecker: sharedImageChecker(),
    lingerMs: 0,
    // From its first commit on the start waits for the lock, as it would for another process's migration.
    crashHook(instant) {
      if (instant !== 'commit.durable' || !other.open || other.inTransaction) return
      other.exec('BEGIN IMMEDIATE')
      held.resolve()
    },
  })
  await held.promise
  const call = callTo(() => `http://127.0.0.1:${PORT}`)
  const early = await call('POST', '/oauth2/token', { form: { grant_type: 'client_credentials' } })
  t.deepEqual([early.status, early.body], [503, { error: 'not ready: the node is starting' }])
  t.regex(early.headers.get('retry-after') ?? '', /^[1-9]/)
  t.is((await call('GET', '/readyz')).status, 503)
  t.is((await call('GET', '/healthz')).status, 200)
  other.exec('ROLLBACK')
  other.close()
  const node = await starting
  t.is((await call('GET', '/readyz')).status, 200)
  await node.stop()
})

/** Whether the file's journal is hot: SQLite's magic number comes first once the file would be rolled back by it. */
function hasHotJournal(file: string): boolean {
  return existsSync(file) && readFileSync(file)[0] === 0xd9
}

inLongTier(test)(
  'a very first start that is killed, whatever it was writing, leaves what the next one starts from',
  async t => {
    const within = folder(t)
    const start = async (name: string, diesBefore: number): Promise<string> => {
      const DATABASE_URL = `sqlite:${join(within, name, 'attestor.sqlite')}`
      const { stdout } = await run(process.execPath, [firstStart, String(diesBefore)], {
        env: { PORT: '0', DATABASE_URL },
      })
      return stdout
    }
    const statements = Number(await start('whole', 0))
    t.true(statements > 40, 'the migrations are among them')
    let toRollBack = 0
    for (const share of [0.02, 0.5, 1]) {
      const name = `killed-${share}`
      await t.throwsAsync(start(name, Math.ceil(statements * share)), { message: /Command failed/ }, name)
      toRollBack += hasHotJournal(join(within, name, 'attestor.sqlite-journal')) ? 1 : 0
      t.true(Number(await start(name, 0)) > 0, name)
    }
    t.true(toRollBack > 0, 'the first to open the file has to write')
  },
)

test('the files that the first start makes are for their owner alone', async t => {
  const within = folder(t)
  const file = join(within, 'data', 'attestor.sqlite')
  t.is((await attestor(['migrate'], { DATABASE_URL: `sqlite:${file}` })).code, 0)
  const modeOf = (path: string): number => statSync(path).mode & 0o777
  t.deepEqual([dirname(file), file, join(within, 'data', 'master.key')].map(modeOf), [0o700, 0o600, 0o600])
  const open = new Database(file)
  open.exec('CREATE TABLE more (id)')
  t.is(modeOf(`${file}-wal`), 0o600)
  open.close()
})

inLongTier(test)(
  'a file in the place of a folder, and authorities that are none, stop the start with a sentence',
  async t => {
    const within = folder(t)
    const file = join(within, 'file')
    writeFileSync(file, 'not a certificate, and no folder')
    const broken = join(within, 'broken.pem')
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
    const DATABASE_URL = `sqlite:${join(within, 'never', 'made.sqlite')}`
    const wrong: readonly [environment: Record<string, string>, message: RegExp][] = [
      [{ DATABASE_URL: `sqlite:${file}/x.sqlite` }, /^attestor: DATABASE_URL: .*(EEXIST|ENOTDIR)/],
      [{ DATABASE_URL: `sqlite:${within}` }, /^attestor: DATABASE_URL: .*EISDIR/],
      [
        { WEBHOOK_CA_FILE: file, DATABASE_URL },
        /^attestor: WEBHOOK_CA_FILE: .*file can't be used: contains no PEM certificate/,
      ],
      [{ WEBHOOK_CA_FILE: broken, DATABASE_URL }, /^attestor: WEBHOOK_CA_FILE: .*broken\.pem can't be used/],
    ]
    for (const [environment, message] of wrong) {
      const program = startProgram({ PORT: '0', ...environment })
      t.is(await program.ended, 1)
      t.regex(program.stderr(), message)
      t.is(program.stderr().trim().split('\n').length, 1, program.stderr())
    }
    t.throws(() => statSync(join(within, 'never')), { code: 'ENOENT' })
  },
)

inLongTier(test)('a node whose disk is full is not ready, and is again when there is space', async t => {
  const within = folder(t)
  const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(within, 'attestor.sqlite')}`, MASTER_KEY }
  t.is((await attestor(['migrate'], environment)).code, 0)
  const { stdout } = await attestor(['account', 'create', '--name', 'Acme', '--json'], environment)
  const client = JSON.parse(stdout) as Client
  const program = startChild(environment, 0)
  t.teardown(() => program.child.kill('SIGKILL'))
  const url = await program.ready()
  const call = callTo(() => url)
  const token = await requestToken(call, client)
  const register = (id: string) => call('POST', `${kyc}/customer`, { token, json: { external_customer_id: id } })
  const mayWrite = (bytes: string) => run('prlimit', ['--pid', String(program.child.pid), `--fsize=${bytes}:`])
  t.is((await register('before')).status, 201)
  await mayWrite('0')
  t.is((await register('meanwhile')).status, 503)
  let readiness = await call('GET', '/readyz')
  // A successful write counts for a second.
  while (readiness.status === 200) readiness = await call('GET', '/readyz')
  t.regex(readiness.text, /not ready: the database is unavailable \(SQLITE_IOERR_WRITE\)/)
  t.is((await call('GET', '/healthz')).status, 200)
  await mayWrite('unlimited')
  t.is((await call('GET', '/readyz')).status, 200)
  t.is((await register('meanwhile')).status, 201)
  program.child.kill('SIGTERM')
  t.is(await program.ended, 0)
})
