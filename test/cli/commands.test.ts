import test from 'ava'
import { createProgress } from '../../src/cli/progress.ts'
import { describeCommands } from '../../tools/commands_table.ts'
import { manualClock } from '../clock.ts'
import { oneDialect } from '../database.ts'
import { attestor, urlOf } from '../service/programs.ts'
import { openRig } from '../service/rig.ts'
import { inLongTier } from '../tier.ts'

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

for (const engine of oneDialect)
  inLongTier(test)(`${engine.name}: whatever has an id is listed and shown, without anything personal`, async t => {
    const rig = await openRig(engine)
    t.teardown(() => rig.close())
    const opened = await rig.open()
    await rig.open()
    await opened.phone.start()
    await opened.phone.upload('document/front')
    await rig.idle()
    const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY }
    const run = async (...words: string[]): Promise<string> => {
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
      run('transaction', 'list', '--account', rig.account.account_id).then(rows),
      run('transaction', 'list', '--status', 'INITIATED', '--json').then(rows),
      run('capture', 'list', '--transaction', opened.id).then(rows),
      run('customer', 'list').then(rows),
      run('webhook', 'list').then(rows),
      run('session', 'list').then(rows),
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
      run('transaction', 'show', opened.id),
      run('capture', 'show', String(capture?.capture_id)),
      run('customer', 'show', String(customers[0]?.customer_id)),
      run('webhook', 'show', String(deliveries[0]?.delivery_id)),
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

test('every command that ends prints JSON where it is asked to', t => {
  const without = describeCommands().filter(({ options }) => !options.includes('--json'))
  t.deepEqual(
    without.map(({ name }) => name),
    ['listen', 'inspect'],
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
