import test from 'ava'
import { openStore, run, type Store } from 'durable-xstate-sql'
import { columnsOf, insert } from '../../src/database/schema.ts'
import { gatherReads } from '../../src/webhooks/gathered_reads.ts'
import { eachDialect } from '../database.ts'

const names = ['first', 'second', 'third'] as const
const columns = columnsOf('accounts', 'id', 'name')

for (const engine of eachDialect) {
  /** Three accounts, a reader of their names, and the statements that it has sent. */
  async function open() {
    const { address, drop } = await engine.fresh()
    const store = await openStore(address, 2)
    for (const name of names) await store.commit(() => run(insert('accounts', { id: name, name, created_at: 0 })))
    const sent: string[] = []
    const read: Store['read'] = statement => {
      sent.push(statement.sql)
      return store.read(statement)
    }
    const find = gatherReads({ read }, columns, marks => `SELECT id, name FROM accounts WHERE id IN (${marks})`)
    const end = async (): Promise<void> => {
      await store.close()
      await drop()
    }
    return { store, sent, find, end }
  }

  test(`${engine.name}: rows that are asked for in one turn are read by one statement`, async t => {
    const { sent, find, end } = await open()
    const found = await Promise.all([...names, 'nobody', 'first'].map(find))
    t.deepEqual(
      found.map(row => row?.name ?? null),
      ['first', 'second', 'third', null, 'first'],
    )
    t.is(sent.length, 1)
    await end()
  })

  test(`${engine.name}: three rows and four are read by the same text`, async t => {
    const { sent, find, end } = await open()
    await Promise.all(names.map(find))
    await Promise.all([...names, 'nobody'].map(find))
    t.is(sent.length, 2)
    t.is(sent[0], sent[1])
    await end()
  })

  test(`${engine.name}: a row that is asked for after a read is read again`, async t => {
    const { store, find, end } = await open()
    await find('first')
    await store.commit(() => run({ sql: 'UPDATE accounts SET name = ? WHERE id = ?', values: ['other', 'first'] }))
    t.is((await find('first'))?.name, 'other')
    await end()
  })
}

function marksOnly(marks: string): string {
  return marks
}

test('a row with a wrong value fails for those that asked for it only', async t => {
  const rows = [
    { id: 'right', name: 'a name' },
    { id: 'wrong', name: 1 },
  ]
  const read: Store['read'] = async ({ values }) => rows.filter(({ id }) => values.includes(id))
  const find = gatherReads({ read }, columns, marksOnly)
  const [right, wrong] = await Promise.allSettled([find('right'), find('wrong')])
  t.like(right, { status: 'fulfilled', value: { name: 'a name' } })
  t.like(wrong, { status: 'rejected', reason: { message: 'name: expected name, found number' } })
})

test('a statement that fails does so for all that asked, and not for those after it', async t => {
  let isAway = true
  const read = async () => {
    if (isAway) throw new Error('the database is away')
    return [{ id: 'one', name: 'a name' }]
  }
  const find = gatherReads({ read }, columns, marksOnly)
  const both = await Promise.allSettled([find('one'), find('two')])
  t.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  isAway = false
  t.is((await find('one'))?.name, 'a name')
})
