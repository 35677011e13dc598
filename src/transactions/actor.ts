import type { transactionMachine } from '../../machines/transaction.ts'
import type { ColumnsOf } from '../database/schema.ts'
import type { ActorDefinition } from '../durable/actors/definition.ts'

/** What a transaction's journal records besides the events of its chart. */
export type TransactionJournalEvent =
  | { readonly type: 'ERASE'; readonly by: 'erasure'; readonly erasure_id: string }
  | { readonly type: 'HANDOFF_OFFERED'; readonly by: 'device' }
  | {
      readonly type: 'CAPTURE_READ'
      readonly by: 'integrator'
      readonly client_id: string
      readonly capture_id: string
      readonly kind: string
    }
  | {
      readonly type: 'CAPTURE_READ'
      readonly by: 'operator'
      readonly operator_id: string
      readonly capture_id: string
      readonly kind: string
    }

export interface TransactionActor {
  readonly chart: typeof transactionMachine
  readonly columns: ColumnsOf<'transactions'>
  readonly reads: 'config'
  readonly journalOnly: TransactionJournalEvent
}

export type TransactionDefinition = ActorDefinition<TransactionActor>
