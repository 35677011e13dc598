import type { TransactionEvent } from '../../machines/transaction.ts'
import type { Caller, TransactionRoom } from './room.ts'
import { contextIn, findTransaction } from './rows.ts'
import { isRefused } from './tell_capture.ts'

/**
 * decisions.md, "Beyond the spec": the integrator ends a transaction, also while it is analysed. Repeating it changes
 * nothing. @throws {Refusal} `not_allowed_in_state` where it has ended otherwise, `not_found`
 */
export const cancelTransaction = async (room: TransactionRoom, caller: Caller, id: string): Promise<void> => {
  const isCancelled = async (): Promise<boolean> =>
    contextIn(await findTransaction(room, caller.account_id, id)).failure === 'CANCELLED'
  if (await isCancelled()) return
  const event: TransactionEvent = { type: 'CANCEL', by: 'integrator', client_id: caller.client_id }
  try {
    await room.host.send(room.kind, id, event)
  } catch (error) {
    if (!isRefused(error) || !(await isCancelled())) throw error
  }
}
