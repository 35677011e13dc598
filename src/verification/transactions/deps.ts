import type { WalletFindings } from '@attestor/rules'
import type { Host, Store } from 'durable-xstate-sql'
import type { TransactionContext, TransactionLimits } from '../../../machines/transaction.ts'
import type { Clock } from '../../base/clock.ts'
import type { DuplicateKind } from '../../database/words.ts'
import type { AddressBook } from '../../engines/addresses/address_book.ts'
import type { Captures } from '../captures/captures.ts'
import type { TransactionDefinition } from './actor.ts'
import type { FaceSearch } from './face_search.ts'

export interface Caller {
  readonly account_id: string
  readonly client_id: string
}

/** A wallet's answer in place of a document's pictures; the portrait only of one that is proven. */
export interface WalletEvidence {
  readonly findings: WalletFindings
  readonly portrait: Buffer | null
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
  readonly limits: Omit<TransactionLimits, 'ttl_ms' | 'review_ms' | 'resubmissions' | 'wallet'>
  /** Longest wait for a review, in ms, in accounts that have reviews. */
  readonly reviewMs: number
  /** Actions of a liveness challenge, both head turns included: 2 to 5. */
  readonly challengeActionCount: number
  readonly addressBook: AddressBook
  readonly faces: FaceSearch
  /** Verifies a wallet's answer; null: there is none. */
  readonly readWallet: (key: Uint8Array, context: TransactionContext, now: number) => Promise<WalletEvidence | null>
  /** Counts a transaction that shares something with another customer's, for metrics. */
  readonly countDuplicate: (kind: DuplicateKind) => void
  /** Time after capture for which a transaction's token still reads the result. */
  readonly resultMs: number
}
