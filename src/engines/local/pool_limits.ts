import type { PoolLimits } from '../../processes/limits.ts'

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
