import { type CommitRecord, recordNothing } from 'durable-xstate-sql/sql'
import type { TransactionEvent } from '../../../machines/transaction.ts'
import type { Caller, TransactionDeps } from './deps.ts'
import { findTransaction, parseContext } from './rows.ts'
import { isRejected } from './send_capture.ts'

/** An operator, and the account that they act for. */
export interface OperatorOf {
  readonly account_id: string
  readonly operator_id: string
}

/**
 * Ends a transaction for its integrator or for an operator, even while it is analysed or awaits review. `record` is part
 * of the commit. Repeating the call changes nothing.
 * @throws {ApiError} `not_allowed_in_state` if it has ended otherwise, `not_found`
 */
export async function cancelTransaction(
  deps: TransactionDeps,
  caller: Caller | OperatorOf,
  id: string,
  record: CommitRecord = recordNothing,
): Promise<void> {
  const isCancelled = async (): Promise<boolean> =>
    parseContext(await findTransaction(deps, caller.account_id, id)).failure === 'CANCELLED'
  if (await isCancelled()) return
  const event: TransactionEvent =
    'operator_id' in caller
      ? { type: 'CANCEL', by: 'operator', operator_id: caller.operator_id }
      : { type: 'CANCEL', by: 'integrator', client_id: caller.client_id }
  try {
    await deps.host.send(deps.definition, id, event, { record })
  } catch (error) {
    if (!isRejected(error) || !(await isCancelled())) throw error
  }
}
