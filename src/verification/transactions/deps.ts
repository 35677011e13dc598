import type { JudgeInput } from '@attestor/rules'
import type { Host, Store } from 'durable-xstate-sql'
import type { TransactionContext, TransactionLimits } from '../../../machines/transaction.ts'
import type { Clock } from '../../base/clock.ts'
import type { DuplicateKind } from '../../database/words.ts'
import type { AddressBook } from '../../engines/addresses/address_book.ts'
import type { readLimitsOf } from '../../features.ts'
import type { Captures } from '../captures/captures.ts'
import type { TransactionDefinition } from './actor.ts'
import type { StoredConfig } from './config.ts'
import type { FaceSearch } from './face_search.ts'

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
  /** HMAC key of the documents that customers show. */
  readonly documentKey: Uint8Array
  /** HMAC key of the planes by which copies of pictures are found. */
  readonly pictureKey: Uint8Array
  readonly limits: Omit<
    TransactionLimits,
    'ttl_ms' | 'review_ms' | 'resubmissions' | keyof ReturnType<typeof readLimitsOf>
  >
  /** Longest wait for a review, in ms, in accounts that have reviews. */
  readonly reviewMs: number
  /** Actions of a liveness challenge, both head turns included: 2 to 5. */
  readonly challengeActionCount: number
  readonly addressBook: AddressBook
  readonly faces: FaceSearch
  /** The evidence of features. The first portrait counts. */
  readonly evidence: readonly EvidenceSource[]
  /** Counts a transaction that shares something with another customer's, for metrics. */
  readonly countDuplicate: (kind: DuplicateKind) => void
  /** Time after capture for which a transaction's token still reads the result. */
  readonly resultMs: number
}
