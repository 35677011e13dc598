import type { EngineFindings, FaceTemplate, JudgeInput, ReplayFingerprint } from '@attestor/rules'
import type { PictureCopies } from '@attestor/vision'
import type { Host, Statement, Store } from 'durable-xstate-sql'
import type { TransactionContext, TransactionLimits } from '../../../machines/transaction.ts'
import type { Clock } from '../../base/clock.ts'
import type { TableRow } from '../../database/schema.ts'
import type { AddressBook } from '../../engines/addresses/address_book.ts'
import type { readLimitsOf } from '../../features.ts'
import type { Captures } from '../captures/captures.ts'
import type { TransactionDefinition } from './actor.ts'
import type { StoredConfig } from './config.ts'

export interface Caller {
  readonly account_id: string
  readonly client_id: string
}

/** The result of a feature's capture, and the portrait in it, if that is proven. */
export interface Evidence {
  readonly input: Partial<JudgeInput>
  readonly portrait: Buffer | null
}

/** A transaction whose evidence is read. */
export interface EvidenceCase {
  /** The key of its captures. */
  readonly key: Uint8Array
  readonly context: TransactionContext
  readonly config: StoredConfig
  /** Time by the transaction's own clock. */
  readonly now: number
}

/** Reads the evidence of one feature; null: there is none. @throws {UnreadableCaptureError} */
export interface EvidenceSource {
  /** The stage of the analysis that it is timed as; null: it is too short. */
  readonly stage: string | null
  readonly read: (deps: TransactionDeps, of: EvidenceCase) => Promise<Evidence | null>
}

export type ComparedRow = Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>

/** A transaction that is compared with those of the account's other customers. */
export interface ComparedCase {
  readonly row: ComparedRow
  readonly context: TransactionContext
  readonly config: StoredConfig
  readonly findings: EngineFindings
  readonly fingerprints: readonly ReplayFingerprint[]
  /** Finds copies of the pictures; null: the engine has no such fingerprints. */
  readonly copies: PictureCopies | null
  /** Time by the transaction's own clock. */
  readonly now: number
}

/** The findings of a comparison. */
export interface Compared {
  readonly input: Pick<JudgeInput, 'duplicates'>
  /** Counts what was found, and returns the statements that keep it, for the commit of the decision. */
  keep(decided_at: number): readonly Statement[]
  /** Returns the statements by which later transactions find copies; the capture holds the fingerprints. */
  remember(capture_id: string): readonly Statement[]
}

/** Compares transactions with those of other customers, before the decision. */
export interface Comparison {
  compare(of: ComparedCase): Promise<Compared>
  /** Makes a face findable, after the statement that enrols it. */
  enrol(row: ComparedRow, config: StoredConfig, template: FaceTemplate): Promise<readonly Statement[]>
}

export interface TransactionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly host: Host
  readonly definition: TransactionDefinition
  readonly captures: Captures
  /** Decrypts a customer's data key. */
  readonly customerKey: (customer_id: string, data_key: Uint8Array) => Buffer
  /** Decrypts the key of a transaction's captures. */
  readonly captureKey: (transaction_id: string, data_key: Uint8Array) => Buffer
  /** Makes such a key, encrypted. */
  readonly createCaptureKey: (transaction_id: string) => Buffer
  /** HMAC key of the integrators' `reference`. */
  readonly referenceKey: Uint8Array
  /** Makes the MACs of rows. */
  readonly rowKey: Uint8Array
  readonly limits: Omit<
    TransactionLimits,
    'ttl_ms' | 'review_ms' | 'resubmissions' | keyof ReturnType<typeof readLimitsOf>
  >
  /** Longest wait for a review, in ms, in accounts that have reviews. */
  readonly reviewMs: number
  /** Actions of a liveness challenge, both head turns included: 2 to 5. */
  readonly challengeActionCount: number
  readonly addressBook: AddressBook
  /** The evidence of features. The first portrait counts. */
  readonly evidence: readonly EvidenceSource[]
  readonly comparison: Comparison
  /** Time after capture for which a transaction's token still reads the result. */
  readonly resultMs: number
}
