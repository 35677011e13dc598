import { type CaptureFeedback, noFeedback } from '@attestor/rules'
import type { CaptureName } from '@attestor/vision'
import type { TransactionContext } from '../../../machines/transaction.ts'
import type { TransactionDeps } from './deps.ts'
import type { Session } from './session.ts'

/** A capture that was just stored. */
export interface StoredCapture {
  readonly session: Session
  /** The context after the capture was stored. */
  readonly context: TransactionContext
  readonly capture: CaptureName
  /** Is freed once it was analysed: nobody else may read it. */
  readonly content: Uint8Array
}

/** The part of an upload's answer that is about its image. */
export interface GivenFeedback extends CaptureFeedback {
  /** Whether the image is still being analysed: the session has the advice later. */
  readonly pending: boolean
}

/** The answer where nothing analyses the image as it arrives. */
export const nothingGiven: GivenFeedback = { ...noFeedback, pending: false }

/** The dependencies of the device's calls. */
export interface CaptureDeps extends TransactionDeps {
  /** Analyses a capture for a bounded time. Never rejects: without a finding there is no feedback. */
  readonly giveFeedback: (stored: StoredCapture) => Promise<GivenFeedback>
}
