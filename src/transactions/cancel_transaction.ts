import type { TransactionEvent } from '../../machines/transaction.ts'
import type { Caller, TransactionDeps } from './deps.ts'
import { findTransaction, parseContext } from './rows.ts'
import { isRejected } from './send_capture.ts'

/**
 * Ends a transaction for its integrator, even while it is analysed. Repeating the call changes nothing.
 * @throws {ApiError} `not_allowed_in_state` if it has ended otherwise, `not_found`
 */
export const cancelTransaction = async (deps: TransactionDeps, caller: Caller, id: string): Promise<void> => {
  const isCancelled = async (): Promise<boolean> =>
    parseContext(await findTransaction(deps, caller.account_id, id)).failure === 'CANCELLED'
  if (await isCancelled()) return
  const event: TransactionEvent = { type: 'CANCEL', by: 'integrator', client_id: caller.client_id }
  try {
    await deps.host.send(deps.definition, id, event)
  } catch (error) {
    if (!isRejected(error) || !(await isCancelled())) throw error
  }
}
