import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'ava'
import { openStore, run } from 'durable-xstate-sql'
import { newId } from '../../src/base/ids.ts'
import { createProgress } from '../../src/cli/progress.ts'
import { trimPackages } from '../../src/cli/trim.ts'
import { isPassword } from '../../src/identity/operators/passwords.ts'
import { describeCommands } from '../../tools/commands_table.ts'
import { manualClock } from '../clock.ts'
import { oneDialect, sqlite } from '../database.ts'
import { kyc } from '../service/client.ts'
import { attestor, urlOf } from '../service/programs.ts'
import { openTestRig } from '../service/rig.ts'

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

test('a name turns no line around, and drives no terminal', async t => {
  const database = await sqlite.fresh()
  t.teardown(database.drop)
  const environment = { DATABASE_URL: urlOf(database), MASTER_KEY }
  await attestor(['account', 'create', '--name', 'evil\u202e \u001b[2J'], environment)
  const { stdout } = await attestor(['account', 'list'], environment)
  t.regex(stdout, /evil\\u202e/)
  t.false(['\u202e', '\u001b'].some(sign => stdout.includes(sign)))
})

for (const engine of oneDialect)
  test(`${engine.name}: everything that has an id is listed and shown, without anything personal`, async t => {
    const rig = await openTestRig(t, engine)
    const opened = await rig.open()
    await rig.open()
    await opened.phone.start()
    await opened.phone.upload('document/front')
    await rig.idle()
    const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY }
    const read = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await attestor(words, environment)
      t.deepEqual([code, stderr], [0, ''], words.join(' '))
      return stdout
    }
    const rows = (text: string): Record<string, unknown>[] =>
      text
        .trim()
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as Record<string, unknown>)
    const [transactions, initiated, captures, customers, deliveries, sessions] = await Promise.all([
      read('transaction', 'list', '--account', rig.account.account_id).then(rows),
      read('transaction', 'list', '--status', 'INITIATED', '--json').then(rows),
      read('capture', 'list', '--transaction', opened.id).then(rows),
      read('customer', 'list').then(rows),
      read('webhook', 'list').then(rows),
      read('session', 'list').then(rows),
    ])
    t.is(transactions.length, 2)
    t.deepEqual(
      initiated.map(({ transaction_id }) => transaction_id),
      [opened.id],
    )
    t.deepEqual([customers.length, sessions.length], [2, 0])
    t.false(JSON.stringify(customers).includes('person-'))
    const [capture] = captures.filter(({ media_type }) => String(media_type).startsWith('image/'))
    t.truthy(capture?.capture_id, JSON.stringify(captures))
    const [transaction, shown, customer, delivery] = await Promise.all([
      read('transaction', 'show', opened.id),
      read('capture', 'show', String(capture?.capture_id)),
      read('customer', 'show', String(customers[0]?.customer_id)),
      read('webhook', 'show', String(deliveries[0]?.delivery_id)),
    ])
    t.deepEqual(JSON.parse(transaction), initiated[0])
    t.deepEqual(JSON.parse(shown), capture)
    t.deepEqual(JSON.parse(customer), customers[0])
    t.like(JSON.parse(delivery), {
      state: 'DELIVERED',
      attempts: [{ attempt: 1, outcome: 'delivered', http_status: 204 }],
    })
    const none = await attestor(['transaction', 'show', rig.account.account_id], environment)
    t.deepEqual([none.code, none.stderr], [1, 'transaction_id: not found\n'])
  })

for (const engine of oneDialect)
  test(`${engine.name}: deliveries are listed, and repeated: one, a transaction's, or those of a time`, async t => {
    const rig = await openTestRig(t, engine)
    const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY }
    const webhook = async (...words: string[]): Promise<string> => {
      const { stdout, stderr } = await attestor(['webhook', ...words], environment)
      return `${stdout}${stderr}`.trim()
    }
    const started = async (): Promise<string> => {
      const { id, phone } = await rig.open({ webhook: { url: rig.hook.url, events: ['INITIATED'] } })
      await phone.start()
      return id
    }
    const deliveryOf = async (id: string) => JSON.parse(await webhook('list', '--transaction', id))
    /** The command line uses the machine's clock: its due work is due now by the node's, too. */
    const sameHour = async (): Promise<void> => {
      const due = { sql: 'UPDATE scheduled_jobs SET ready_at = ?', values: [rig.clock.now()] }
      await rig.node().service.store.commit(() => run(due))
      await rig.advance(60_000)
    }
    await rig.hook.down()
    const from = new Date(rig.clock.now()).toISOString()
    const one = await started()
    const two = await started()
    await rig.advance(30 * 60_000)
    await rig.hook.up()
    const after = new Date(rig.clock.now()).toISOString()
    const lines = (await webhook('list', '--status', 'EXHAUSTED', '--from', from)).split('\n')
    t.deepEqual(
      lines.map(line => JSON.parse(line).transaction_id),
      [one, two],
    )
    for (const line of lines)
      t.like(JSON.parse(line), { account_id: rig.account.account_id, origin: new URL(rig.hook.url).origin })
    t.is(await webhook('list', '--from', after), '')
    t.is(await webhook('redeliver', '--from', after), '0 redelivered')
    t.is(await webhook('redeliver', '--transaction', one), '1 redelivered')
    t.is(await webhook('redeliver', '--from', from, '--to', after), '1 redelivered', 'the other')
    await sameHour()
    for (const id of [one, two]) t.is((await deliveryOf(id)).state, 'DELIVERED')
    const { delivery_id: named } = await deliveryOf(one)
    const { delivery_id: other } = await deliveryOf(two)
    t.is(await webhook('redeliver', named), '1 redelivered')
    await rig.hook.down()
    await webhook('redeliver', other)
    t.is(await webhook('redeliver', other), 'delivery_id: is in flight')
    await rig.hook.up()
    await sameHour()
    t.is(JSON.parse(await webhook('show', named)).attempts.at(-1).attempt, 1)
  })

test('the command line erases while the service runs, and open transactions are queued for notification', async t => {
  const rig = await openTestRig(t, sqlite)
  const customer_id = await rig.customer()
  const { id, phone } = await rig.open({}, { customer_id })
  await phone.start()
  const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY }
  const erase = (...words: string[]) => attestor(['customer', 'erase', ...words], environment)
  const receipt = JSON.parse((await erase(customer_id)).stdout)
  t.like(receipt, { subject_id: customer_id, erased_by: 'command_line', counts: { transactions: 1, cancelled: 1 } })
  t.deepEqual(JSON.parse((await erase(customer_id)).stdout), receipt)
  t.deepEqual((await rig.call('DELETE', `${kyc}/customer/${customer_id}`, { token: await rig.token() })).body, receipt)
  t.deepEqual(await erase(newId()), { code: 1, stdout: '', stderr: 'customer_id: not found\n' })
  t.regex((await erase()).stderr, /missing required argument 'customer_id'/)
  t.is((await phone.session()).status, 410)
  // They are due by the real clock, which the command line goes by.
  const deliveries = await rig.rows(
    'SELECT notified_status FROM deliveries WHERE transaction_id = ? ORDER BY sequence',
    id,
  )
  t.deepEqual(
    deliveries.map(({ notified_status }) => notified_status),
    ['INITIATED', 'FAILED'],
  )
})

test('an operator’s password comes through stdin, is not printed, and is not empty', async t => {
  const database = await sqlite.fresh()
  t.teardown(database.drop)
  const environment = { DATABASE_URL: urlOf(database), MASTER_KEY }
  t.is((await attestor(['migrate'], environment)).code, 0)
  const create = (input: string) =>
    attestor(['operator', 'create', 'ada', '--role', 'admin', '--password-stdin', '--json'], environment, input)
  t.deepEqual(await create('\n'), { code: 1, stdout: '', stderr: 'stdin: has no password\n' })
  const { code, stdout, stderr } = await create('correct horse battery\r\n')
  t.deepEqual([code, stderr, JSON.parse(stdout).password], [0, '', undefined])
  const store = await openStore(database.address, 1)
  t.teardown(() => store.close())
  const [row] = await store.read({ sql: 'SELECT password FROM operators', values: [] })
  t.true(await isPassword('correct horse battery', String(row?.password)))
})

test('every command that ends prints JSON where it is asked to', t => {
  const without = describeCommands().filter(({ options }) => !options.includes('--json'))
  t.deepEqual(
    without.map(({ name }) => name),
    ['start', 'demo', 'listen', 'inspect'],
  )
})

test('progress is shown on a terminal, after two seconds, and goes away', async t => {
  const clock = manualClock()
  const written: string[] = []
  const stream = { isTTY: true, write: (text: string) => written.push(text) > 0 }
  const progress = createProgress(stream as never, clock)
  progress.report('early')
  progress.done()
  t.deepEqual(written, [])
  await clock.advance(2000)
  progress.report('half')
  progress.report('too soon')
  progress.done()
  t.deepEqual(written, ['\r\u001b[2Khalf', '\r\u001b[2K'])
  createProgress({ ...stream, isTTY: false } as never, clock).report('a file')
  t.is(written.length, 2)
})

test('trim removes what this machine never loads, and follows no link', t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-trim-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const own = join(process.platform, process.arch)
  const kept = [
    'koa/lib/index.js',
    `onnxruntime-node/bin/napi-v6/${own}/libonnxruntime.so`,
    `better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`,
    'outside/types.d.ts',
  ]
  const removed = [
    'koa/lib/index.js.map',
    'koa/lib/index.d.mts',
    'onnxruntime-node/bin/napi-v6/plan9/x64/libonnxruntime.so',
    'better-sqlite3/prebuilds/plan9-x64.node',
    'better-sqlite3/deps/sqlite3.c',
    'attestor/node_modules/typeorm/browser/index.js',
  ]
  for (const file of [...kept, ...removed]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '12345')
  }
  const packages = join(folder, 'packages')
  mkdirSync(packages)
  for (const name of ['koa', 'onnxruntime-node', 'better-sqlite3', 'attestor'])
    renameSync(join(folder, name), join(packages, name))
  symlinkSync(join(folder, 'outside'), join(packages, 'linked'))
  t.is(trimPackages(packages), removed.length * 5)
  for (const file of kept) t.true(existsSync(join(file.startsWith('outside') ? folder : packages, file)), file)
  t.deepEqual(readdirSync(packages).sort(), ['better-sqlite3', 'koa', 'linked', 'onnxruntime-node'])
})

test('trim leaves the packages of a developer as they are', async t => {
  const { code, stderr } = await attestor(['trim'], {})
  t.is(code, 1)
  t.regex(stderr, /^these packages are for development/)
})
