import { readAll, type Store } from 'durable-xstate-sql'
import { listColumns, type RowOf } from 'durable-xstate-sql/sql'
import { isoTimestamp } from '../../base/clock.ts'
import { columnsOf } from '../../database/schema.ts'
import type { DuplicateKind } from '../../database/words.ts'

const columns = {
  ...columnsOf('duplicates', 'transaction_id', 'kind', 'other_transaction_id', 'account_id', 'customer_id'),
  ...columnsOf('duplicates', 'other_customer_id', 'found_at'),
} as const

const maxListed = 100

/**
 * Selects the matches on one side: the later of two transactions found the other, and each of the two customers lists
 * it. Erased transactions are left out.
 */
function selectBy(column: 'customer_id' | 'other_customer_id', other: string): string {
  return `SELECT * FROM (SELECT ${listColumns(columns, 'd')} FROM duplicates d
    JOIN customers c ON c.id = d.${other} JOIN transactions t ON t.id = d.transaction_id
    JOIN transactions o ON o.id = d.other_transaction_id
    WHERE d.${column} = ? AND d.account_id = ? AND t.erasure_id IS NULL AND o.erasure_id IS NULL
    ORDER BY d.found_at DESC LIMIT ${maxListed}) ${column}s`
}

const selectDuplicates = `${selectBy('customer_id', 'other_customer_id')} UNION ALL ${selectBy('other_customer_id', 'customer_id')}`

/** Returns what a customer shares with another one of the account, and the transaction of each. */
function toDuplicate(row: RowOf<typeof columns>, customer_id: string) {
  const { found_at, transaction_id, other_transaction_id } = row
  const own = { kind: row.kind as DuplicateKind, found_at: isoTimestamp(found_at) }
  return row.customer_id === customer_id
    ? { ...own, transaction_id, other_customer_id: row.other_customer_id, other_transaction_id }
    : {
        ...own,
        transaction_id: other_transaction_id,
        other_customer_id: row.customer_id,
        other_transaction_id: transaction_id,
      }
}

export type Duplicate = ReturnType<typeof toDuplicate>

/** The newest duplicates of a customer, who exists. Two transactions that found each other are listed once. */
export async function listDuplicates(
  store: Store,
  account_id: string,
  customer_id: string,
): Promise<readonly Duplicate[]> {
  const values = [customer_id, account_id, customer_id, account_id]
  const rows = [...(await readAll(store, { sql: selectDuplicates, values, columns }))]
  const newest = rows.sort((one, other) => other.found_at - one.found_at).map(row => toDuplicate(row, customer_id))
  const named = newest.map(one => [`${one.kind}/${one.transaction_id}/${one.other_transaction_id}`, one] as const)
  return [...new Map(named.toReversed()).values()].toReversed().slice(0, maxListed)
}
