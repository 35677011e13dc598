/** What one child and one question may take, and how long a child lives. */
export interface PoolLimits {
  /** From the question to its answer, in milliseconds. */
  readonly time_limit_ms: number
  /** From a child's start to its being warm. */
  readonly start_limit_ms: number
  readonly heap_limit_mb: number
  /** Resident memory of a child; Linux only. */
  readonly memory_limit_mb: number
  /** Questions that may wait while all children are busy; one more is refused. */
  readonly queue: number
  /** A child is replaced after so many answers, whatever it may have leaked. */
  readonly recycle_after: number
  /** A child that still holds more than this after its last answer is replaced too. */
  readonly recycle_mb: number
}
