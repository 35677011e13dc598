import test from 'ava'
import { newId } from '../../src/base/ids.ts'
import type { SearchPlan, TransactionSearch } from '../../src/console/find_transactions.ts'
import { countMatches, findByDuration } from '../../src/console/matches.ts'
import { eachDialect, openTestStore } from '../database.ts'
import { insertTransactions } from './many_days.ts'

const filter = {
  ...{ status: null, transaction_type: null, decision: null, customer_id: null, reference: null },
  ...{ created_from: null, created_to: null },
}
const search: TransactionSearch = { ...filter, account_id: null, external_customer_id: null, q: null }
const newest = { after: null, limit: 10, order: 'longest' } as const

for (const engine of eachDialect)
  test(`On ${engine.name} only a bounded number of the newest matches is counted and sorted`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const [one, other] = [newId(), newId()]
    const plan: SearchPlan = { by: 'lists', targets: [one, other].map(account_id => ({ account_id, filter })) }
    const issue: SearchPlan = { by: 'issue', issue: 'FACE_MISMATCH' }
    const rejected = { status: 'FINISHED', decision: 'REJECTED', reason: 'FACE_MISMATCH', took: 1000 }
    // The oldest took longest.
    await insertTransactions(store, [
      ...[9, 8, 7, 6].map((seconds, n) => ({ ...rejected, account_id: one, at: n, took: seconds * 1000 })),
      { account_id: one, status: 'EXPIRED', at: 10 },
      { ...rejected, account_id: other, at: 5, took: 5000 },
    ])
    const customers = `INSERT INTO customers (id, account_id, lookup, profile, data_key, created_at)
      SELECT customer_id, account_id, customer_id, x'00', x'00', 0 FROM transactions`
    await store.commit(function* () {
      yield [{ sql: customers, values: [] }]
    })
    const counts = async (of: SearchPlan, max: number, given = search) => {
      const { total, is_cut, rejected: count, expired } = await countMatches(store, given, of, max)
      return [total, is_cut, count, expired]
    }
    t.deepEqual(await counts(plan, 100), [6, false, 5, 1])
    t.deepEqual(await counts(plan, 6), [4, true, 3, 1], 'three of each account')
    t.deepEqual(await counts(plan, 12), [6, false, 5, 1])
    t.deepEqual(await counts(issue, 100), [5, false, 5, 0])
    t.deepEqual(await counts(issue, 3), [3, true, 3, 0])
    t.deepEqual(await counts(issue, 3, { ...search, account_id: other }), [1, false, 1, 0])
    t.deepEqual(await counts(issue, 3, { ...search, status: ['FAILED'] }), [0, true, 0, 0], 'there may be older ones')
    const durations = async (max: number) => {
      const { ids } = await findByDuration(store, search, plan, newest, max)
      const sql = 'SELECT id, finished_at - created_at AS took FROM transactions'
      const took = new Map((await store.read({ sql, values: [] })).map(row => [String(row.id), Number(row.took)]))
      return ids.map(id => took.get(id))
    }
    t.deepEqual(await durations(100), [9000, 8000, 7000, 6000, 5000])
    t.deepEqual(await durations(6), [7000, 6000, 5000], 'of the newest')
  })
