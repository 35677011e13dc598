/**
 * A child may take this long to start, some 60 times as long as on a quiet machine: to end one early would make a busy
 * machine busier.
 */
export const childStartMs = 5 * 60_000

/** Limits of a child and of a request. */
export interface PoolLimits {
  /** Time from the request to its response, in milliseconds. */
  readonly timeLimitMs: number
  /** Time from a child's start until it is ready, in milliseconds; usually `childStartMs`. */
  readonly startLimitMs: number
  readonly heapLimitMb: number
  /** Resident memory of a child, in megabytes; Linux only. */
  readonly memoryLimitMb: number
  /** The most requests that may wait while all children are busy. One more is rejected. */
  readonly maxQueue: number
  /** A child is replaced after this many responses, in case it leaks. */
  readonly recycleAfter: number
  /** A child that holds more than this after a response is replaced too, in megabytes. */
  readonly recycleMb: number
}
