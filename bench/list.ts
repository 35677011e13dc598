/**
 * `node bench/list.ts [rows]`: a page of `GET /transaction` by every filter, over a million transactions of one
 * account of which few have the status asked for. Prints for each engine the index that it takes, the rows that it looks
 * at, and how long a page of 20 takes. MariaDB where `TEST_MYSQL_URL` names a server.
 */

import { openStore } from '../packages/durable/store/source.ts'
import type { Row, Statement, Value } from '../packages/durable/store/statement.ts'
import type { Store } from '../packages/durable/store/store.ts'
import { newId } from '../src/base/ids.ts'
import { selectPage, type TransactionPage } from '../src/verification/transactions/list_transactions.ts'
import { eachDialect } from '../test/database.ts'

const rows = Number(process.argv[2] ?? '1000000')
const account_id = newId()
const customers = Array.from({ length: Math.max(1, rows / 10) }, newId)
const start = Date.UTC(2026, 0, 1)

const batchSize = 1000
const marks = `(${Array.from({ length: 11 }, () => '?').join(', ')})`
const into = `INSERT INTO transactions (id, account_id, snapshot, version, chart_version, status, created_at, customer_id, transaction_type, reference, token_hash, config, expires_at, journal_hash, journal_at) VALUES `

function rowOf(n: number): Value[] {
  const status = n % 50_000 === 0 ? 'PROCESSING' : n % 3 === 0 ? 'FAILED' : 'FINISHED'
  const type = n % 1000 === 0 ? 'BIOMETRIC_ONLY' : 'DOCUMENT_AND_BIOMETRIC'
  const id = newId()
  const customer_id = customers[n % customers.length] ?? ''
  const reference = n % 2 === 0 ? `order ${n}` : null
  return [id, account_id, '{}', 1, 1, status, start + n * 10, customer_id, type, reference, id]
}

async function fill(store: Store): Promise<void> {
  for (let from = 0; from < rows; from += batchSize) {
    const values = Array.from({ length: batchSize }, (_, n) => rowOf(from + n)).flat()
    const sql = into + Array.from({ length: batchSize }, () => `${marks.slice(0, -1)}, '{}', 0, '', 0)`).join(', ')
    await store.commit(function* () {
      yield [{ sql, values }]
    })
  }
}

const nothing = { status: null, transaction_type: null, decision: null, customer_id: null, reference: null }
const whole: TransactionPage = {
  filter: { ...nothing, created_from: null, created_to: null },
  after: null,
  limit: 20,
  order: 'newest',
}
const middle = start + rows * 5

const pages: Readonly<Record<string, TransactionPage>> = {
  'no filter': whole,
  'no filter, half-way': { ...whole, after: { created_at: middle, id: newId() } },
  'rare status': { ...whole, filter: { ...whole.filter, status: ['PROCESSING'] } },
  'three statuses': { ...whole, filter: { ...whole.filter, status: ['PROCESSING', 'FAILED', 'EXPIRED'] } },
  'rare type': { ...whole, filter: { ...whole.filter, transaction_type: 'BIOMETRIC_ONLY' } },
  'rare type and status, half-way': {
    ...whole,
    filter: { ...whole.filter, transaction_type: 'BIOMETRIC_ONLY', status: ['FAILED'] },
    after: { created_at: middle, id: newId() },
  },
  'common status, half-way': {
    ...whole,
    filter: { ...whole.filter, status: ['FINISHED'] },
    after: { created_at: middle, id: newId() },
  },
  customer: { ...whole, filter: { ...whole.filter, customer_id: customers[7] ?? '' } },
  'customer and status': { ...whole, filter: { ...whole.filter, customer_id: customers[7] ?? '', status: ['FAILED'] } },
  reference: { ...whole, filter: { ...whole.filter, reference: 'hmac:none' } },
  'an hour half-way': { ...whole, filter: { ...whole.filter, created_from: middle, created_to: middle + 3_600_000 } },
}

async function explained(store: Store, { sql, values }: Statement): Promise<string> {
  const plan = await store.read({
    sql: `${store.dialect.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`,
    values,
  })
  const line = (row: Row): string =>
    store.dialect.name === 'sqlite'
      ? String(row.detail)
      : `${row.table} ${row.type} ${row.key} ${row.rows} ${row.Extra}`
  return [...new Set(plan.map(line))].slice(0, 4).join(' | ')
}

for (const engine of eachDialect) {
  const database = await engine.fresh()
  const store = openStore(database.address, 4)
  await fill(store)
  for (const [name, page] of Object.entries(pages)) {
    const statement = selectPage(store.dialect, account_id, page)
    await store.read(statement)
    const began = performance.now()
    for (let n = 0; n < 20; n++) await store.read(statement)
    const ms = (performance.now() - began) / 20
    const found = (await store.read(statement)).length
    process.stdout.write(
      `${engine.name}  ${name}: ${ms.toFixed(2)} ms, ${found} rows\n    ${await explained(store, statement)}\n`,
    )
  }
  await store.close()
  await database.drop()
}
