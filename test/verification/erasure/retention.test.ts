import test from 'ava'
import { runAll, type Statement, type Store } from 'durable-xstate-sql'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { newId } from '../../../src/base/ids.ts'
import { insert } from '../../../src/database/schema.ts'
import { type SweepProgress, sweepCaptures, sweepTransactions } from '../../../src/verification/erasure/retention.ts'
import { eachDialect, openTestStore } from '../../database.ts'
import { insertTransaction } from '../rows.ts'

const account_id = newId()
const mebibyte = 2 ** 20

function transaction(id: string, status: TransactionStatus, of = account_id): Statement {
  return insertTransaction({ id, account_id: of, status, customer_id: newId() })
}

function image(transaction_id: string, megabytes: number): Statement {
  return insert('captures', {
    id: newId(),
    account_id,
    transaction_id,
    kind: 'selfie',
    media_type: 'image/jpeg',
    digest: newId(),
    byte_count: megabytes * mebibyte,
    content: Buffer.alloc(16),
    created_at: 0,
  })
}

/** Every commit of a sweep of transactions. */
async function sweepAll(store: Store, first = ''): Promise<readonly SweepProgress[]> {
  const progress = await sweepTransactions(store, 1, first)
  return progress.more ? [progress, ...(await sweepAll(store, progress.after))] : [progress]
}

for (const engine of eachDialect) {
  test(`On ${engine.name}: a sweep deletes 20 transactions in a commit, and 4 MB of images, until nothing is left`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const ended = Array.from({ length: 45 }, newId)
    const open = newId()
    await store.commit(() =>
      runAll([
        insert('accounts', { id: account_id, name: 'Acme', created_at: 0 }),
        ...ended.map(id => transaction(id, 'FINISHED')),
        transaction(open, 'INITIATED'),
        ...[...ended, ...ended, open].map(id => image(id, 1)),
      ]),
    )
    const images = { removed: 4, more: true, after: '' }
    const last = 22
    const first = await sweepCaptures(store, 1)
    t.deepEqual(first, images)

    const sweeps = await sweepAll(store)
    t.deepEqual(
      sweeps.filter(({ removed }) => removed > 0).map(({ removed }) => removed),
      [20, 20, 5],
    )
    const commitsOfImages = sweeps.filter(({ removed, more }) => removed === 0 && more).length
    t.true(commitsOfImages >= (90 - 4) / 4 - 3 && commitsOfImages <= last, `${commitsOfImages} commits of images alone`)
    t.deepEqual(await store.read({ sql: 'SELECT id FROM transactions', values: [] }), [{ id: open }])
    t.is((await store.read({ sql: 'SELECT id FROM captures', values: [] })).length, 1)
    t.deepEqual(await sweepAll(store), [{ removed: 0, more: false, after: account_id }])
  })

  test(`On ${engine.name}: a commit of a sweep looks at 100 accounts, and a sweep at each of them once`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const accounts = Array.from({ length: 250 }, newId).sort()
    const old = [accounts[3], accounts[120], accounts[249]].map(account => ({ id: newId(), account_id: `${account}` }))
    await store.commit(() =>
      runAll([
        ...accounts.map(id => insert('accounts', { id, name: 'Acme', created_at: 0 })),
        ...old.map(({ id, account_id }) => transaction(id, 'EXPIRED', account_id)),
      ]),
    )
    t.deepEqual(await sweepAll(store), [
      { removed: 1, more: true, after: accounts[99] ?? '' },
      { removed: 1, more: true, after: accounts[199] ?? '' },
      { removed: 1, more: false, after: accounts[249] ?? '' },
    ])
  })
}
