/** Many transactions as plain rows, for plans and times of searches: no such test reads their content. */

import type { Store } from 'durable-xstate-sql'
import type { Value } from 'durable-xstate-sql/sql'
import { newId } from '../../src/base/ids.ts'

export interface ManyRows {
  readonly account_id: string
  readonly other_id: string
  readonly customer_id: string
  /** When half of them had been created. */
  readonly middle: number
}

const start = Date.UTC(2026, 0, 1)
const stepMs = 10
const batchSize = 500

export async function insertRows(store: Store, into: string, rows: readonly (readonly Value[])[]): Promise<void> {
  const marks = rows.map(row => `(${row.map(() => '?').join(', ')})`).join(', ')
  await store.commit(function* () {
    yield [{ sql: `INSERT INTO ${into} VALUES ${marks}`, values: rows.flat() }]
  })
}

const customerColumns = 'customers (id, account_id, lookup, profile, data_key, created_at)'
const transactionColumns = `transactions (id, account_id, snapshot, version, chart_version, status, decision, created_at, initiated_at, completed_at, finished_at, customer_id,
  transaction_type, reference, awaiting_review_since, token_hash, config, expires_at, journal_hash, journal_at)`

/** Whether a row is one in so many: if many rows matched, the search would find one anywhere. */
function rare(n: number, every: number): boolean {
  return n % every === 0
}

function transactionOf(n: number, { account_id, customer_id }: ManyRows): readonly Value[] {
  const id = newId()
  const at = start + n * stepMs
  const awaits = rare(n, 997)
  const status = awaits ? 'PROCESSING' : n % 3 === 0 ? 'FAILED' : 'FINISHED'
  const decision = status === 'FINISHED' ? (rare(n, 100) ? 'REJECTED' : 'APPROVED') : null
  const type = rare(n, 50) ? 'BIOMETRIC_ONLY' : 'DOCUMENT_AND_BIOMETRIC'
  const reference = n % 2 === 0 ? `hash of ${n}` : null
  const own = [
    id,
    account_id,
    '{}',
    1,
    1,
    status,
    decision,
    at,
    at,
    at,
    at + n,
    customer_id,
    type,
    reference,
    awaits ? at : null,
  ]
  return [...own, id, '{}', 0, '', 0]
}

/** Fills accounts' rows in turn: of `rows`, every tenth has an issue of its own. */
export async function insertManyRows(store: Store, rows: number): Promise<ManyRows> {
  const account_id = newId()
  const otherId = newId()
  await insertRows(store, 'accounts (id, name, created_at)', [
    [account_id, 'Many', start],
    [otherId, 'Other', start],
  ])
  let last: ManyRows = { account_id, other_id: otherId, customer_id: '', middle: start + (rows * stepMs) / 2 }
  for (let from = 0; from < rows; from += batchSize) {
    const numbers = Array.from({ length: Math.min(batchSize, rows - from) }, (_, n) => from + n)
    const customers = numbers.filter(n => n % 10 === 0).map(n => [newId(), n, start + n * stepMs] as const)
    await insertRows(
      store,
      customerColumns,
      customers.map(([id, n, at]) => [
        id,
        n % 20 === 0 ? account_id : otherId,
        `lookup ${n}`,
        Buffer.alloc(1),
        Buffer.alloc(1),
        at,
      ]),
    )
    const made = numbers.map(n => {
      const [customer_id = ''] = customers[Math.floor((n - from) / 10)] ?? []
      const [own, other] = n % 20 < 10 ? [account_id, otherId] : [otherId, account_id]
      last = { ...last, customer_id, account_id: own, other_id: other }
      return transactionOf(n, last)
    })
    await insertRows(store, transactionColumns, made)
    const issues = made.flatMap(([id = '', account = ''], n) => {
      const number = from + n
      return rare(number, 10) ? [[rare(number, 1000) ? 'EXPIRED_DOCUMENT' : 'GEO_IP_MISMATCH', id, account]] : []
    })
    await insertRows(store, 'transaction_issues (code, transaction_id, account_id)', issues)
  }
  return last
}
