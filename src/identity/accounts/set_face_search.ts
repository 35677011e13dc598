import { run, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, findsRow, recordNothing, rowExists } from 'durable-xstate-sql/sql'
import { newKey } from '../../base/encryption.ts'
import { newId } from '../../base/ids.ts'
import { encryptColumn } from '../../database/root_columns.ts'
import { insert } from '../../database/schema.ts'
import { type AccountDeps, requireAccount } from './accounts.ts'

/** A long commit would block others. */
const maxRowsPerCommit = 1000

/** An earlier key encrypted these vectors, and nobody can read them. */
async function deleteVectors({ store }: Pick<AccountDeps, 'store'>, account_id: string): Promise<void> {
  const sql = `DELETE FROM face_vectors WHERE customer_id IN (SELECT v.customer_id FROM
    (SELECT customer_id FROM face_vectors WHERE account_id = ? LIMIT ${maxRowsPerCommit}) v)`
  while ((await store.commit(() => run({ sql, values: [account_id] }))).changed > 0);
}

/**
 * Whether selfies are searched among the account's enrolled faces: those of transactions that are opened from now on.
 * Switching it off destroys the key of all that was enrolled for it. @throws {ApiError} `not_found`
 */
export async function setFaceSearch(
  { store, serviceKeys }: Pick<AccountDeps, 'store' | 'serviceKeys'>,
  account_id: string,
  face_search: boolean,
  record: CommitRecord = recordNothing,
): Promise<void> {
  await requireAccount(store, account_id)
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
