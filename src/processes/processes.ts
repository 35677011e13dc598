import { residentMegabytes } from './child.ts'
import type { Children } from './pool.ts'

/** What a pool's processes come to, for the metrics. */
export interface PoolProcesses {
  /** Those that could look at something by now, busy or not. */
  readonly warm: number
  /** Those that ended and were replaced, since the start. */
  readonly restarts: number
  readonly resident_bytes: readonly number[]
}

/** Asks the system. */
export const processesOf = async (
  pool: Pick<Children<never, unknown>, 'capacity' | 'restarts' | 'pids'>,
): Promise<PoolProcesses> => {
  const megabytes = await Promise.all(pool.pids().map(residentMegabytes))
  return {
    warm: pool.capacity(),
    restarts: pool.restarts(),
    resident_bytes: megabytes.map(size => Math.round(size * 2 ** 20)),
  }
}
