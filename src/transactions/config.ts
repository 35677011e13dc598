import type { Decision } from '../decision/decision.ts'
import type { DevicePolicy } from '../decision/device_policy.ts'
import type { TransactionType } from '../decision/findings.ts'
import type { ScriptedCode } from '../engines/scenarios.ts'

/** A failure that a script can ask for: those of FAILED, but for cancelling, which has a call of its own. */
export const scriptedFailures = ['ANALYSIS_ERROR', 'ANALYSIS_TIMEOUT', 'CAPTURE_UNREADABLE'] as const

/** What a receiver of webhooks is made to look like: nobody is called then. */
export const scriptedResponses = ['STATUS_500', 'STATUS_429', 'TIMEOUT', 'CONNECTION_REFUSED', 'GONE'] as const

/** What is to become of one transaction of a test account (README, "Test mode"). */
export interface TestScript {
  /** Codes of issues that the analysis finds. */
  readonly issues: readonly ScriptedCode[]
  readonly failure: (typeof scriptedFailures)[number] | null
  /** How long the analysis takes, on the account's own clock. */
  readonly delay_seconds: number
  /** How many first attempts of each delivery end so, without the receiver being called. */
  readonly webhook: { readonly attempts: number; readonly answer: (typeof scriptedResponses)[number] } | null
}

/** What an integrator configured for one transaction, defaults filled in. Kept as JSON; nothing in it is personal. */
export interface TransactionConfig {
  readonly webhook: { readonly url: string; readonly events: readonly string[] | null } | null
  readonly transaction_ttl_minutes: number
  readonly device_policy: DevicePolicy
  /** The person's language, a BCP 47 tag: their device is told. */
  readonly locale: string | null
  /** What becomes of a test account's transaction; absent or null: what its captures show. */
  readonly test?: TestScript | null
}

/** What the integrator expects the document to say; personal, and so kept sealed. */
export interface ExpectedData {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly date_of_birth: string | null
}

/** `config.test` of a call. */
export interface RequestedTest extends TestScript {
  /** What it must come to; null where it doesn't say. */
  readonly decision: Decision | null
}

/** A checked Create transaction call. */
export interface TransactionRequest extends TransactionConfig {
  readonly customer_id: string
  readonly transaction_type: TransactionType
  readonly reference: string | null
  readonly expected_data: ExpectedData | null
  /** What the call asks to happen, before it is known whether the account may. */
  readonly requested_test: RequestedTest | null
}
