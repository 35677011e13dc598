import test from 'ava'
import type { Store } from 'durable-xstate-sql'
import { newId } from '../../src/base/ids.ts'
import { readOverview } from '../../src/console/overview.ts'
import { eachDialect, openTestStore } from '../database.ts'
import { insertTransactions } from './many_days.ts'
import { insertRows } from './many_rows.ts'
import { explainSearch } from './searches.ts'

const day = 86_400_000
/** A quarter past ten. */
const now = Date.UTC(2026, 10, 26, 10, 15)

async function insertAccounts(store: Store) {
  const [one, other, tried] = [newId(), newId(), newId()]
  await insertRows(store, 'accounts (id, name, mode, created_at)', [
    [one, 'One', null, 0],
    [other, 'Other', null, 0],
    [tried, 'Tried', 'test', 0],
  ])
  return { one, other, tried }
}

for (const engine of eachDialect) {
  const on = `On ${engine.name} `

  test(`${on}the overview counts by day, with the reasons and the times of decisions`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const { one, other, tried } = await insertAccounts(store)
    const midnight = now - (now % day)
    const approved = { account_id: one, status: 'FINISHED', decision: 'APPROVED' }
    const rejected = { account_id: one, status: 'FINISHED', decision: 'REJECTED' }
    await insertTransactions(store, [
      // 1 to 10 seconds, in no order.
      ...[7, 3, 10, 1, 4, 2, 9, 6, 5, 8].map(seconds => ({ ...approved, at: midnight, took: seconds * 1000 })),
      { ...approved, at: midnight - 1, took: 11_000 },
      { ...rejected, reason: 'FACE_MISMATCH', at: now, took: 12_000 },
      { ...rejected, reason: 'FACE_MISMATCH', at: midnight - 6 * day, took: 13_000 },
      { ...rejected, reason: 'EXPIRED_DOCUMENT', at: midnight - 6 * day - 1, took: 99_000 },
      { account_id: one, status: 'FINISHED', decision: 'UNDETERMINED', reason: 'FACE_NOT_EVALUABLE', at: now, took: 0 },
      { account_id: one, status: 'FAILED', decision: 'UNDETERMINED', reason: 'CANCELLED', at: now, took: 77_000 },
      { account_id: one, status: 'EXPIRED', at: now },
      { account_id: one, status: 'INITIATED', at: now },
      // It awaits review: the reason is known, and nothing is decided.
      { account_id: one, status: 'PROCESSING', reason: 'FACE_NOT_EVALUABLE', at: now },
      { account_id: one, status: 'FINISHED', at: now, took: 1 },
      { ...rejected, account_id: other, reason: 'FACE_MISMATCH', at: now, took: 1000 },
      { ...approved, account_id: tried, at: now, took: 1000 },
    ])
    const week = await readOverview(store, now, one, 7)
    const none = { approved: 0, rejected: 0, undetermined: 0, failed: 0, expired: 0, open: 0, erased: 0 }
    t.like(week, { from: '2026-11-20T00:00:00.000Z', to: '2026-11-26T10:15:00.000Z', is_cut: false })
    t.deepEqual(week.days, [
      { date: '2026-11-20', created: 1, ...none, rejected: 1 },
      ...['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'].map(date => ({ date, created: 0, ...none })),
      { date: '2026-11-25', created: 1, ...none, approved: 1 },
      {
        date: '2026-11-26',
        created: 17,
        ...{ approved: 10, rejected: 1, undetermined: 1, failed: 1, expired: 1, open: 2, erased: 1 },
      },
    ])
    t.like(week.totals, { created: 19, approved: 11, rejected: 2, undetermined: 1 })
    t.is(week.approval_rate, 11 / 14)
    t.deepEqual(week.reasons, [
      { code: 'FACE_MISMATCH', count: 2 },
      { code: 'CANCELLED', count: 1 },
      { code: 'FACE_NOT_EVALUABLE', count: 1 },
    ])
    // The sorted times are 0 to 13 seconds: these are the seventh and the thirteenth of fourteen.
    t.deepEqual(week.time_to_decide, { median_ms: 6000, p90_ms: 12_000 })

    t.is((await readOverview(store, now, one, 30)).totals.created, 20)
    const live = await readOverview(store, now, null, 7)
    t.is(live.totals.created, 20, 'both live accounts, and no test account')
    t.deepEqual(live.reasons[0], { code: 'FACE_MISMATCH', count: 3 })
    t.like((await readOverview(store, now, tried, 7)).totals, { created: 1, approved: 1 })
    const empty = await readOverview(store, now, newId(), 90)
    t.like(empty, { approval_rate: null, reasons: [], time_to_decide: { median_ms: null, p90_ms: null } })
    t.is(empty.days.length, 90)

    const steps = await explainSearch(store, counted => readOverview(counted, now, one, 90))
    const reads = steps.filter(({ table }) => table === 'transactions')
    t.true(reads.length > 2)
    for (const { text, isIndexed } of reads) {
      t.true(isIndexed, text)
      t.regex(text, /COVERING INDEX|Using index/, 'no row is read')
    }
  })

  test(`${on}the overview leaves out earlier days of an account that has too many`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const { one } = await insertAccounts(store)
    const ages = Array.from({ length: 60 }, (_, age) => age)
    await insertTransactions(
      store,
      ages.map(age => ({ account_id: one, status: 'EXPIRED', at: now - age * day })),
    )
    const whole = await readOverview(store, now, one, 30, 100)
    t.like(whole, { is_cut: false, totals: { created: 30, expired: 30 } })
    // It reads 1, 1, 2 and 4 days.
    const cut = await readOverview(store, now, one, 30, 5)
    t.like(cut, { is_cut: true, from: '2026-11-19T00:00:00.000Z', totals: { created: 8 } })
    t.is(cut.days.length, 8)
  })
}
