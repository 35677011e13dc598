import type { CaptureName } from '@attestor/vision'
import type { ActorDefinition } from 'durable-xstate-sql'
import type { transactionMachine } from '../../../machines/transaction.ts'
import type { ColumnsOf } from '../../database/schema.ts'
import type { CaptureKind } from './steps.ts'

/** The events that a transaction's journal records in addition to those of its chart. */
export type TransactionJournalEvent =
  | { readonly type: 'ERASE'; readonly by: 'erasure'; readonly erasure_id: string }
  | { readonly type: 'ADVICE_GIVEN'; readonly by: 'job'; readonly capture: CaptureName }
  | { readonly type: 'HANDOFF_OFFERED'; readonly by: 'device' }
  | { readonly type: 'HANDOFF_SENT'; readonly by: 'device'; readonly channel: 'EMAIL' | 'SMS' }
  | {
      readonly type: 'CAPTURE_READ'
      readonly by: 'integrator'
      readonly client_id: string
      readonly capture_id: string
      readonly kind: CaptureKind
    }
  | {
      readonly type: 'CAPTURE_READ'
      readonly by: 'operator'
      readonly operator_id: string
      readonly capture_id: string
      readonly kind: CaptureKind
    }

/** An image that a device uploads. */
export interface UploadedImage {
  readonly capture: CaptureName
  /** The names of its bytes. */
  readonly digests: readonly string[]
}

/** The data that a device's event is checked by in its commit. */
export interface DeviceCall {
  /** Number of the transaction's device that calls. */
  readonly device: number
  readonly image?: UploadedImage
  readonly usableUntil?: number | null
}

export interface TransactionActor {
  readonly chart: typeof transactionMachine
  readonly columns: ColumnsOf<'transactions'>
  readonly reads: 'config' | 'account_id'
  readonly journalOnly: TransactionJournalEvent
  readonly procedures: { readonly useCustomer: { readonly customer_id: string }; readonly acceptFromDevice: DeviceCall }
}

export type TransactionDefinition = ActorDefinition<TransactionActor>
