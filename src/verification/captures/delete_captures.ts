import { type Statement, toPlaceholders } from '../../../packages/durable/store/statement.ts'

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

/** `deleteCaptures` by their ids. */
export function deleteCapturesById(ids: readonly string[]): readonly Statement[] {
  return ids.length === 0 ? [] : deleteCaptures({ sql: `id IN (${toPlaceholders(ids)})`, values: ids })
}
