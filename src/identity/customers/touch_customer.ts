import { run, type Unit } from '../../../packages/durable/store/statement.ts'

/**
 * Call it first in a unit that writes data of a customer; false if the customer is gone. It changes the customer's row, so
 * that the unit and an erasure never overlap: one waits for the other, or, where locks are local to a node (Galera),
 * fails its certification and runs again. A lock alone would not do that on Galera.
 */
export function* touchCustomer(customer_id: string): Unit<boolean> {
  const sql = 'UPDATE customers SET uses = COALESCE(uses, 0) + 1 WHERE id = ?'
  return (yield* run({ sql, values: [customer_id] })).changed === 1
}
