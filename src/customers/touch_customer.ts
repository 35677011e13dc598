import { run, type Unit } from '../durable/store/statement.ts'

/**
 * Begins a unit that writes what is a customer's, and that an erasure must therefore find; false where there is no
 * customer any more. It changes the customer's row, so that of it and an erasure at once one waits for the other, or,
 * where locks are local to a member (Galera), fails at the commit's certification and looks again: a lock alone would
 * let both through there.
 */
export function* touchCustomer(customer_id: string): Unit<boolean> {
  const sql = 'UPDATE customers SET uses = COALESCE(uses, 0) + 1 WHERE id = ?'
  return (yield* run({ sql, values: [customer_id] })).changed === 1
}
