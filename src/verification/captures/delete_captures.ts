import type { Statement } from 'durable-xstate-sql'
import { toPlaceholders } from 'durable-xstate-sql/sql'

/** The only way to delete captures: the same commit queues contents outside of their rows for deletion. */
export function deleteCaptures({ sql: condition, values }: Statement): readonly Statement[] {
  return [
    {
      sql: `INSERT INTO object_removals (capture_id, account_id, transaction_id, remove_at)
      SELECT id, account_id, transaction_id, 0 FROM captures WHERE ${condition}
      AND (content IS NULL OR LENGTH(content) < byte_count)`,
      values,
    },
    { sql: `DELETE FROM captures WHERE ${condition}`, values },
  ]
}

/** Returns `deleteCaptures` by their ids, with the codes that find copies of them. */
export function deleteCapturesById(ids: readonly string[]): readonly Statement[] {
  if (ids.length === 0) return []
  const named = `IN (${toPlaceholders(ids)})`
  return [
    { sql: `DELETE FROM picture_codes WHERE capture_id ${named}`, values: ids },
    ...deleteCaptures({ sql: `id ${named}`, values: ids }),
  ]
}

/** Nothing that the key of a transaction's captures encrypted can be decrypted afterwards. */
export function deleteCaptureKey(transaction_id: string): Statement {
  return { sql: 'DELETE FROM capture_keys WHERE id = ?', values: [transaction_id] }
}
