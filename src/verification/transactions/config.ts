import type { AgePolicy, Decision, DevicePolicy, DocumentPolicy, FraudPolicy, TransactionType } from '@attestor/rules'
import type { FeatureConfig, FeatureStored, FeatureSwitches } from '../../features.ts'
import type { ScriptedCode } from './scenes.ts'

/** The host of webhook URLs whose deliveries wait for a test account's listener. It never resolves (RFC 6761). */
export const listenerHost = 'listen.invalid'

/** Failures that a script can request. Cancelling is not among them: it has a call of its own. */
export const scriptedFailures = ['ANALYSIS_ERROR', 'ANALYSIS_TIMEOUT', 'CAPTURE_UNREADABLE'] as const

/** Simulated outcomes of webhooks: the receiver is not called. */
export const scriptedResponses = ['STATUS_500', 'STATUS_429', 'TIMEOUT', 'CONNECTION_REFUSED', 'GONE'] as const

/** The scripted course of a test account's transaction. */
export interface TestScript {
  readonly issues: readonly ScriptedCode[]
  /** The script for the second analysis, after captures were taken again. */
  readonly second_issues: readonly ScriptedCode[]
  readonly failure: (typeof scriptedFailures)[number] | null
  /** Duration of the analysis, on the account's own clock. */
  readonly delay_seconds: number
  /** The first `attempts` of each delivery get this simulated outcome. */
  readonly webhook: { readonly attempts: number; readonly answer: (typeof scriptedResponses)[number] } | null
}

/** An integrator's configuration of one transaction, with defaults. Stored as plain JSON: nothing in it is personal. */
export interface TransactionConfig extends Readonly<FeatureConfig> {
  readonly webhook: { readonly url: string; readonly events: readonly string[] | null } | null
  readonly transaction_ttl_minutes: number
  readonly device_policy: DevicePolicy
  readonly fraud_policy: FraudPolicy
  readonly document_policy: DocumentPolicy
  /** The age that is asked; null in every type but AGE. */
  readonly age: AgePolicy | null
  /** The person's language, a BCP 47 tag, for the device. */
  readonly locale: string | null
  /** The page that the capture page opens at the end. */
  readonly redirect_url: string | null
  /** The origins of the pages that may show the capture page in a frame. */
  readonly embed_origins: readonly string[]
}

/** The `config` column of a transaction. */
export interface StoredConfig extends TransactionConfig, FeatureSwitches, FeatureStored {
  /** The script of a test account's transaction; null: its captures decide. */
  readonly test: TestScript | null
}

/** The part of `config` that deliveries need, which an erasure keeps. */
export type DeliveryConfig = Pick<StoredConfig, 'webhook' | 'test'>

/** The data that the integrator expects on the document. It is personal, and so stored encrypted. */
export interface ExpectedData {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly date_of_birth: string | null
  readonly document_number: string | null
}

/** `config.test` of a call. */
export interface RequestedTest extends TestScript {
  /** The decision that is requested; null for none. */
  readonly decision: Decision | null
}

/** A validated Create transaction call. */
export interface TransactionRequest extends Omit<TransactionConfig, 'fraud_policy'> {
  /** A member that it leaves out is as the account has it. */
  readonly fraud_policy: Partial<FraudPolicy> | null
  readonly customer_id: string
  readonly transaction_type: TransactionType
  readonly reference: string | null
  readonly expected_data: ExpectedData | null
  /** It is not checked yet against the account's mode. */
  readonly requested_test: RequestedTest | null
}
