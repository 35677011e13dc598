import type { TransactionLimits } from '../../machines/transaction.ts'
import type { AddressBook } from '../addresses/address_book.ts'
import type { Clock } from '../base/clock.ts'
import type { Captures } from '../captures/captures.ts'
import type { Host } from '../durable/actors/host.ts'
import type { Store } from '../durable/store/store.ts'
import type { TransactionDefinition } from './actor.ts'

/** Who calls for an account. */
export interface Caller {
  readonly account_id: string
  readonly client_id: string
}

/** What the functions of this folder work with. */
export interface TransactionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly host: Host
  readonly definition: TransactionDefinition
  readonly captures: Captures
  /** Opens the key that seals all that is personal of one customer. */
  readonly customerKey: (customer_id: string, data_key: Uint8Array) => Buffer
  /** What the HMAC of an integrator's own `reference` is made with. */
  readonly referenceKey: Uint8Array
  /** Limits of new transactions, but their lifetime. */
  readonly limits: Omit<TransactionLimits, 'ttl_ms'>
  /** How many actions a liveness challenge asks for, both turns included: 2 to 5. */
  readonly challengeActionCount: number
  /** What the operator's files say of an address. */
  readonly addressBook: AddressBook
  /** How long after its capture a transaction's token still reads the result, in milliseconds. */
  readonly resultMs: number
}
