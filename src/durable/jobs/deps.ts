import type { AnyEventObject } from 'xstate'
import type { Clock } from '../../base/clock.ts'
import type { CrashHook } from '../../base/crash_points.ts'
import type { Log } from '../../base/log.ts'
import type { AnyActorDefinition } from '../actors/definition.ts'
import type { Host } from '../actors/host.ts'
import type { ScheduledJob } from '../store/scheduled_jobs.ts'
import type { Statement } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import type { JobHandler } from './handler.ts'

/** What the worker works with. */
export interface WorkerDeps {
  readonly store: Store
  readonly host: Host
  readonly clock: Clock
  readonly log: Log
  readonly kinds: readonly AnyActorDefinition[]
  readonly handlers: readonly JobHandler[]
  /** How long a claimed job is this node's without a sign of life. */
  readonly lease_ms: number
  /** The longest that another node's due work goes unseen. */
  readonly poll_ms: number
  readonly crashHook: CrashHook
}

/** Tells a due row's actor what came of it. A stale, duplicate or late result is refused by the fence, without harm. */
export type SendResult = (row: ScheduledJob, event: AnyEventObject, writes?: readonly Statement[]) => Promise<void>
