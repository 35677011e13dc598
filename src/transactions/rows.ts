import type { TransactionContext } from '../../machines/transaction.ts'
import { Refusal } from '../base/refusal.ts'
import { unsealJson } from '../base/seal.ts'
import { contextOf, type PersistedSnapshot } from '../host/xstate.ts'
import { bytes, number, optional, type Row, text, type Value } from '../store/statement.ts'
import { readFirst } from '../store/store.ts'
import type { ExpectedData } from './config.ts'
import type { TransactionRoom } from './room.ts'

/** Where a sealed column of a transaction belongs, so that it opens nowhere else. */
export const place = (transaction_id: string, column: 'result' | 'expected_data' | 'trace' | 'reference'): string =>
  `transactions/${transaction_id}/${column}`

/** What calls need to know of a transaction, but for what is large and seldom looked at. */
const columns = [
  ...['id', 'account_id', 'customer_id', 'transaction_type', 'status', 'version', 'snapshot', 'config', 'result'],
  ...['clock_offset_ms', 'created_at', 'initiated_at', 'completed_at', 'processing_at', 'finished_at', 'expires_at'],
]

const selectTransaction = `SELECT ${columns.map(column => `t.${column}`).join(', ')}, c.data_key
  FROM transactions t LEFT JOIN customers c ON c.id = t.customer_id`

/** A transaction and its customer's key, in one round trip, by a `condition` on `t`; null where either is erased. */
export const readTransaction = async (
  { store }: Pick<TransactionRoom, 'store'>,
  condition: string,
  values: readonly Value[],
): Promise<Row | null> => {
  const sql = `${selectTransaction} WHERE ${condition} AND t.erasure_id IS NULL`
  const row = await readFirst(store, { sql, values })
  return row?.data_key === null ? null : row
}

/** An account's transaction. @throws {Refusal} `not_found` for an unknown id and for another account's alike */
export const findTransaction = async (room: TransactionRoom, account_id: string, id: string): Promise<Row> => {
  const row = await readTransaction(room, 't.id = ? AND t.account_id = ?', [id, account_id])
  if (row === null) throw new Refusal('not_found', 'transaction_id: not found')
  return row
}

/** The hour of a transaction's own clock: a test account's may be turned (see test_clock.ts). Epoch milliseconds. */
export const nowOf = ({ clock }: Pick<TransactionRoom, 'clock'>, row: Row): number =>
  clock.now() + (optional(row, 'clock_offset_ms', number) ?? 0)

/** The key of the transaction's customer. */
export const keyOf = (room: Pick<TransactionRoom, 'customerKey'>, row: Row): Buffer =>
  room.customerKey(text(row, 'customer_id'), bytes(row, 'data_key'))

/** `keyOf`, or null where the customer or the key is gone: erased with all that it sealed. */
export const customerKeyIn = (room: Pick<TransactionRoom, 'customerKey'>, row: Row): Buffer | null => {
  const data_key = optional(row, 'data_key', bytes)
  return data_key === null || data_key.length === 0 ? null : room.customerKey(text(row, 'customer_id'), data_key)
}

/** The chart's context in a transaction's row. */
export const contextIn = (row: Row): TransactionContext =>
  contextOf(JSON.parse(text(row, 'snapshot')) as PersistedSnapshot)

/** The sealed `expected_data` of a transaction. */
export const expectedData = (key: Uint8Array, row: Row): ExpectedData | null => {
  const sealed = optional(row, 'expected_data', bytes)
  return sealed === null ? null : unsealJson(key, place(text(row, 'id'), 'expected_data'), sealed)
}
