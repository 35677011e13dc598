/** What an analysis may take, and how long a child lives. */
export interface PoolLimits {
  /** From the question to the answer of one analysis, in milliseconds. */
  readonly time_limit_ms: number
  /** From a child's start to its models being warm. */
  readonly start_limit_ms: number
  readonly heap_limit_mb: number
  /** Resident memory of a child; Linux only. */
  readonly memory_limit_mb: number
  /** Analyses that may wait while all children are busy; one more is refused. */
  readonly queue: number
  /** A child is replaced after so many analyses, whatever it may have leaked. */
  readonly recycle_after: number
  /** A child that still holds more than this after an analysis is replaced too. */
  readonly recycle_mb: number
}

/**
 * An analysis takes about a second of CPU and a child up to 300 MB: the limits leave room for a slow and busy
 * machine, and stop what can only be a fault.
 */
export const defaultLimits: PoolLimits = {
  time_limit_ms: 60_000,
  start_limit_ms: 60_000,
  heap_limit_mb: 512,
  memory_limit_mb: 1536,
  queue: 64,
  recycle_after: 200,
  recycle_mb: 450,
}
