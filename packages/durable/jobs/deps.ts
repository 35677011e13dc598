import type { AnyEventObject } from 'xstate'
import type { AnyActorDefinition } from '../actors/definition.ts'
import type { Host } from '../actors/host.ts'
import type { DurableClock } from '../clock.ts'
import type { CrashHook } from '../crash_points.ts'
import type { ScheduledJob } from '../store/scheduled_jobs.ts'
import type { Store } from '../store/store.ts'
import type { JobHandler, JobResult } from './handler.ts'

/** A worker reports trouble to this log. A `pino` logger is one. */
export interface WorkerLog {
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export interface WorkerDeps {
  readonly store: Store
  readonly host: Host
  readonly clock: DurableClock
  readonly log: WorkerLog
  readonly definitions: readonly AnyActorDefinition[]
  readonly handlers: readonly JobHandler[]
  /** Queues that only other nodes serve, and so need no handler here; with `timer` this node fires no timers. */
  readonly servedElsewhere?: readonly string[]
  /** A claimed job stays this node's for so long without a renewal; at most `maxLeaseMs`. */
  readonly leaseMs: number
  /** The longest time until this node sees jobs and timers of other nodes, which may have died. */
  readonly pollMs: number
  readonly crashHook?: CrashHook
  /** Calls `go` in the next turn of the event loop, `setImmediate` by default: a simulator decides when. */
  readonly defer?: (go: () => void) => void
  /** Runs around each job and timer, the sending of its result included. */
  readonly around?: <T>(job: ScheduledJob, work: () => Promise<T>) => Promise<T>
}

/** The tables of its actors. */
export function listTables({ definitions }: WorkerDeps): readonly string[] {
  return definitions.map(({ table }) => table.name)
}

/** Sends the result of a row to its actor. A stale, duplicate or late result is rejected by the fence, without harm. */
export type SendResult = (job: ScheduledJob, event: AnyEventObject, added?: AddedToResult) => Promise<void>

/** A handler's additions to the commit of its result. */
export type AddedToResult = Pick<JobResult, 'writes' | 'columns'>
