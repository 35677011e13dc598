/** Some 60 times what a child's start takes on a quiet machine: one that is ended early makes a busy machine busier. */
export const childStartMs = 5 * 60_000

/** Limits of a child and of a request. */
export interface PoolLimits {
  /** From the request to its response. */
  readonly timeLimitMs: number
  /** From a child's start until it is ready; usually `childStartMs`. */
  readonly startLimitMs: number
  readonly heapLimitMb: number
  /** Resident memory of a child; Linux only. */
  readonly memoryLimitMb: number
  /** The most requests that may wait while all children are busy. One more is rejected. */
  readonly maxQueue: number
  /** A child is replaced after this many responses, in case it leaks. */
  readonly recycleAfter: number
  /** A child that holds more than this after a response is replaced too. */
  readonly recycleMb: number
}
