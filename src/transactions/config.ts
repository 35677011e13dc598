import type { DevicePolicy } from '../analysis/device_policy.ts'
import type { TransactionType } from '../analysis/port.ts'

/** What an integrator configured for one transaction, defaults filled in. Kept as JSON; nothing in it is personal. */
export interface TransactionConfig {
  readonly webhook: { readonly url: string; readonly events: readonly string[] | null } | null
  readonly transaction_ttl_minutes: number
  readonly device_policy: DevicePolicy
  readonly locale: string | null
}

/** What the integrator expects the document to say; personal, and so kept sealed. */
export interface ExpectedData {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly date_of_birth: string | null
}

/** A checked Create transaction call. */
export interface OpenTransaction extends TransactionConfig {
  readonly customer_id: string
  readonly transaction_type: TransactionType
  readonly reference: string | null
  readonly expected_data: ExpectedData | null
}
