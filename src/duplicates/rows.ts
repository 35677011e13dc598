import { readAll, run, type Statement, type Store, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, findsRow, listColumns, type RowOf, recordNothing, rowExists } from 'durable-xstate-sql/sql'
import { isoTimestamp } from '../base/clock.ts'
import { newKey } from '../base/encryption.ts'
import { newId } from '../base/ids.ts'
import { encryptColumn } from '../database/root_columns.ts'
import { columnsOf, insert } from '../database/schema.ts'
import type { SwitchDeps } from '../feature.ts'

/** Things that transactions of several customers can have in common. */
export const duplicateKinds = ['document', 'image', 'face'] as const

export type DuplicateKind = (typeof duplicateKinds)[number]

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

/** A long commit would block others. */
const maxRowsPerCommit = 1000

/** An earlier key encrypted these vectors, and nobody can read them. */
async function deleteVectors({ store }: Pick<SwitchDeps, 'store'>, account_id: string): Promise<void> {
  const sql = `DELETE FROM face_vectors WHERE customer_id IN (SELECT v.customer_id FROM
    (SELECT customer_id FROM face_vectors WHERE account_id = ? LIMIT ${maxRowsPerCommit}) v)`
  while ((await store.commit(() => run({ sql, values: [account_id] }))).changed > 0);
}

/**
 * Whether selfies are searched among the account's enrolled faces: those of transactions that are opened from now on.
 * Switching it off destroys the key of all that was enrolled for it.
 */
export async function setFaceSearch(
  { store, serviceKeys }: SwitchDeps,
  account_id: string,
  face_search: boolean,
  record: CommitRecord = recordNothing,
): Promise<void> {
  const searches = { sql: 'SELECT id FROM face_searches WHERE id = ?', values: [account_id] }
  if (face_search && !(await rowExists(store, searches))) await deleteVectors({ store }, account_id)
  await store.commit(function* (): Unit<void> {
    // The lock on the account's row makes the second of two concurrent calls find the changes of the first.
    yield* run({ sql: `SELECT id FROM accounts WHERE id = ?${store.dialect.forUpdate}`, values: [account_id] })
    if (!face_search) yield* run({ sql: 'DELETE FROM face_searches WHERE id = ?', values: [account_id] })
    else if (!(yield* findsRow(searches))) {
      const data_key = encryptColumn(serviceKeys, 'face_searches', account_id, newKey())
      yield* run(insert('face_searches', { id: account_id, generation: newId(), data_key, sequence: 0 }))
    }
    yield* record()
  })
  if (!face_search) await deleteVectors({ store }, account_id)
}

/** Takes a face out of the searches of every node: each reads the account's changes before it searches. */
export function removeFace(account_id: string, customer_id: string): readonly Statement[] {
  const count = '(SELECT s.sequence FROM face_searches s WHERE s.id = face_vectors.account_id)'
  return [
    {
      sql: `UPDATE face_searches SET sequence = sequence + 1 WHERE id = ?
        AND EXISTS (SELECT 1 FROM face_vectors v WHERE v.customer_id = ? AND v.vector IS NOT NULL)`,
      values: [account_id, customer_id],
    },
    {
      sql: `UPDATE face_vectors SET vector = NULL, sequence = COALESCE(${count}, sequence)
        WHERE customer_id = ? AND vector IS NOT NULL`,
      values: [customer_id],
    },
  ]
}
