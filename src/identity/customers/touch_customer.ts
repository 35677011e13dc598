import type { Dialect } from '../../../packages/durable/store/dialect.ts'
import { findsRow, run, type Unit } from '../../../packages/durable/store/statement.ts'

/**
 * Call it first in a unit that writes data of a customer; false if the customer is gone. It changes the customer's row, so
 * that the unit and an erasure never overlap: one waits for the other, or, where locks are local to a node (Galera),
 * fails its certification and runs again. A lock alone would not do that on Galera. SQLite's only writer needs neither.
 */
export function* touchCustomer({ hasOneWriter }: Dialect, customer_id: string): Unit<boolean> {
  const values = [customer_id]
  if (hasOneWriter) return yield* findsRow({ sql: 'SELECT id FROM customers WHERE id = ?', values })
  const { changed } = yield* run({ sql: 'UPDATE customers SET uses = COALESCE(uses, 0) + 1 WHERE id = ?', values })
  return changed === 1
}
