import type { ResultData } from '@attestor/rules'
import { readAll, readFirst } from 'durable-xstate-sql'
import { listColumns, type RowOf, toPlaceholders } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import { decryptJson } from '../base/encryption.ts'
import { columnsOf } from '../database/schema.ts'
import type { HttpDeps } from '../http/deps.ts'
import { decryptProfile, readCustomer } from '../identity/customers/customers.ts'
import { decryptReviewReason } from '../verification/analysis/review.ts'
import { decryptReference } from '../verification/transactions/reference.ts'
import { decryptExpectedData, findTransaction, openDataKey, transactionAad } from '../verification/transactions/rows.ts'
import { readResult } from '../verification/transactions/transactions.ts'
import { listDeliveries } from '../webhooks/deliveries.ts'

const ownColumns = {
  ...columnsOf(
    'transactions',
    'id',
    'customer_id',
    'reference',
    'encrypted_reference',
    'expected_data',
    'review_reason',
  ),
  ...columnsOf('transactions', 'result', 'awaiting_review_since'),
} as const

const columns = { ...ownColumns, ...columnsOf('customers', 'data_key') } as const

/** The result of a transaction that awaits review. */
function readOpenResult(key: Uint8Array, row: RowOf<typeof columns>): ResultData | null {
  const { result } = row
  if (row.awaiting_review_since === null || result === null) return null
  const found = decryptJson<ResultData>(key, transactionAad(row.id, 'result'), result)
  return { ...found, issues: found.issues.filter(({ code }) => code !== 'REVIEW_LAPSED') }
}

const referenceColumns = {
  ...columnsOf('transactions', 'id', 'account_id', 'customer_id', 'encrypted_reference'),
  ...columnsOf('customers', 'data_key', 'profile'),
} as const

/** The integrators' own ids: of transactions that are not erased, and of their customers. */
export async function readReferences(
  { transactions, customers }: Pick<HttpDeps, 'transactions' | 'customers'>,
  ids: readonly string[],
) {
  const sql = `SELECT t.id, t.account_id, t.customer_id, t.encrypted_reference, c.data_key, c.profile FROM transactions t
    JOIN customers c ON c.id = t.customer_id
    WHERE t.id IN (${toPlaceholders(ids)}) AND t.erasure_id IS NULL`
  const rows = await readAll(transactions.store, { sql, values: ids, columns: referenceColumns })
  return rows.map(row => ({
    transaction_id: row.id,
    account_id: row.account_id,
    reference: decryptReference(transactions, row),
    external_customer_id: decryptProfile(customers.serviceKeys, { ...row, id: row.customer_id }).external_customer_id,
  }))
}

const customerColumns = columnsOf('customers', 'id', 'account_id', 'data_key', 'profile')

/** The integrators' own ids of customers. */
export async function readExternalIds({ customers }: Pick<HttpDeps, 'customers'>, ids: readonly string[]) {
  const sql = `SELECT id, account_id, data_key, profile FROM customers WHERE id IN (${toPlaceholders(ids)})`
  const rows = await readAll(customers.store, { sql, values: ids, columns: customerColumns })
  return rows.map(row => ({
    customer_id: row.id,
    account_id: row.account_id,
    external_customer_id: decryptProfile(customers.serviceKeys, row).external_customer_id,
  }))
}

/** All personal data of a transaction, except its images. @throws {ApiError} `not_found`, also after erasure */
export async function readPersonalData(
  { transactions, customers, deliveries }: Pick<HttpDeps, 'transactions' | 'customers' | 'deliveries'>,
  account_id: string,
  id: string,
) {
  const transaction = await findTransaction(transactions, account_id, id)
  const sql = `SELECT ${listColumns(ownColumns, 't')}, c.data_key FROM transactions t
    JOIN customers c ON c.id = t.customer_id WHERE t.id = ? AND t.erasure_id IS NULL`
  const row = await readFirst(transactions.store, { sql, values: [id], columns })
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  const key = openDataKey(transactions, row)
  const { created_at: _, ...customer } = await readCustomer(customers, account_id, row.customer_id)
  const reason = row.review_reason
  const sent = await listDeliveries(deliveries, account_id, id)
  return {
    reference: decryptReference(transactions, row),
    customer,
    expected_data: decryptExpectedData(key, row),
    result_data: readOpenResult(key, row) ?? (await readResult(transactions, transaction)),
    review_reason: reason === null ? null : decryptReviewReason(key, id, reason),
    delivery_answers: sent.flatMap(({ delivery_id, attempts }) =>
      attempts.flatMap(({ attempt, started_at, answer }) =>
        answer === null ? [] : { delivery_id, attempt, started_at, answer },
      ),
    ),
  }
}
