import { runAll, type Statement, type Unit } from 'durable-xstate-sql'
import type { Dialect } from 'durable-xstate-sql/sql'

/**
 * The first statements of a unit that writes data of a customer. They change the customer's row, so that the unit and an
 * erasure never overlap: one waits for the other, or, where locks are local to a node (Galera), fails its certification
 * and runs again. A lock alone would not do that on Galera. SQLite's only writer needs neither.
 */
function touch({ hasOneWriter }: Dialect, customer_id: string): readonly Statement[] {
  const sql = 'UPDATE customers SET uses = COALESCE(uses, 0) + 1 WHERE id = ?'
  return hasOneWriter ? [] : [{ sql, values: [customer_id] }]
}

/** Call it first in a unit that writes data of a customer; false if the customer is gone. */
export function* touchCustomer(dialect: Dialect, customer_id: string): Unit<boolean> {
  const found = { sql: `SELECT id FROM customers WHERE id = ?${dialect.forUpdate}`, values: [customer_id] }
  return (yield* runAll([...touch(dialect, customer_id), found])).at(-1)?.rows.length === 1
}

/** The same for data of one of the customer's transactions; false if either is being erased. */
export function* touchOwner(dialect: Dialect, customer_id: string, transaction_id: string): Unit<boolean> {
  const sql = `SELECT t.id FROM transactions t JOIN customers c ON c.id = t.customer_id
    WHERE t.id = ? AND t.erasure_id IS NULL${dialect.forUpdate}`
  const found = { sql, values: [transaction_id] }
  return (yield* runAll([...touch(dialect, customer_id), found])).at(-1)?.rows.length === 1
}
