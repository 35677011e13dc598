import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Share } from './fair_queue.ts'
import type { PoolLimits } from './pool_limits.ts'

export interface PoolOptions {
  readonly clock: Clock
  readonly log: Log
  /** The children's name in the log and in reasons. */
  readonly name: string
  /** The children's program and its arguments. */
  readonly entry: URL
  readonly args: readonly string[]
  /** Files that they may read beside the program and its packages. */
  readonly readable?: readonly string[]
  /** How many children. */
  readonly size: number
  readonly limits: PoolLimits
  /** How many requests one child works on at a time. */
  readonly requestsPerChild: number
  /** How often a request is tried if its child fails. From the second try on it has a child to itself. */
  readonly attempts: number
  /** How many permits one owner may have at a time; absent: any number. */
  readonly share?: Share
}
