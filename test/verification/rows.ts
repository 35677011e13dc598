import type { Statement } from 'durable-xstate-sql'
import { insert, type TableRow } from '../../src/database/schema.ts'

type Given = Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'status' | 'customer_id'>

/** A transaction that nobody opened: only its row. */
export function insertTransaction(given: Given): Statement {
  return insert('transactions', {
    ...given,
    snapshot: '{}',
    version: 1,
    chart_version: 1,
    journal_hash: '',
    journal_at: 0,
    created_at: 0,
    transaction_type: 'BIOMETRIC_ONLY',
    config: '{}',
    token_hash: given.id,
    expires_at: 0,
  })
}

/** A customer who has nothing but an id. */
export function insertCustomer(given: Pick<TableRow<'customers'>, 'id' | 'account_id'>): Statement {
  const empty = Buffer.alloc(1)
  return insert('customers', { ...given, lookup: given.id, profile: empty, data_key: empty, created_at: 0 })
}
