import type { AnyStateMachine } from 'xstate'
import type { JobInput, JobOutput, JobQueue } from '../actors/chart_types.ts'
import type { OwnColumns } from '../actors/definition.ts'
import type { Columns } from '../store/columns.ts'
import type { LaneDetails, WaitingLane } from '../store/lanes.ts'
import type { Portion, ScheduledJob } from '../store/scheduled_jobs.ts'
import type { Statement } from '../store/statement.ts'

/** A claimed job, with the input that its chart gave it. */
export interface Job<Input = unknown> extends ScheduledJob {
  readonly payload: Input
}

/** The result of a job: the chart's `onDone` output, and further writes of its commit. */
export interface JobResult<Output = unknown> {
  readonly output: Output
  readonly writes?: readonly Statement[]
  /** Columns of the actor's own, written with the step. */
  readonly columns?: OwnColumns
  /** Milliseconds by stage, for metrics. */
  readonly stages?: Readonly<Record<string, number>>
}

/** A job that failed; `code` reaches the chart's `onError`. */
export class JobError extends Error {
  override name = 'JobError'
  readonly code: string
  /** Kept in the journal; no personal data. */
  readonly detail: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    { detail = {}, ...options }: ErrorOptions & { readonly detail?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options)
    this.code = code
    this.detail = detail
  }
}

/** Thrown by a handler for a job whose time has not come. The job is released until `ready_at`; this is no failure. */
export class PostponeJob extends Error {
  override name = 'PostponeJob'
  /** Epoch milliseconds. */
  readonly ready_at: number

  constructor(ready_at: number) {
    super('postponed')
    this.ready_at = ready_at
  }
}

/** A queue's waiting lanes, and this node's capacity for them. */
interface LaneDemand<C extends Columns = Record<never, never>> {
  readonly lanes: readonly WaitingLane<C>[]
  /** This node's jobs under way in each lane. */
  readonly under_way: ReadonlyMap<string, number>
  readonly free: number
}

/**
 * The rows of the lanes that are claimed now, and the instant in epoch milliseconds at which the next lane may be served.
 */
interface LaneShares {
  readonly portions: readonly Portion[]
  readonly again_at: number
}

/** Divides a queue's capacity among its lanes, so that no lane delays another. */
export interface LanePolicy {
  /** The application's columns about lanes; they are read with them. */
  readonly details?: LaneDetails
  share(demand: LaneDemand): LaneShares
  /**
   * Whether a job that is being inserted into `lane` may begin at once, as far as this node knows; never where absent. The
   * details of the lane are not read for it.
   */
  admits?(lane: string, demand: Omit<LaneDemand, 'lanes'>): boolean
  /**
   * A job keeps its slot until its result is committed, so that the job which the result starts may take it. If absent, it
   * leaves the slot when it is handled.
   */
  readonly keepsSlot?: true
}

/** A queue without lanes is served in order, and a result may lead to a job that comes before all waiting ones. */
export function leavesSlotWhenHandled({ lanes }: { readonly lanes?: LanePolicy }): boolean {
  return lanes !== undefined && lanes.keepsSlot !== true
}

/** Does the jobs of one queue of a chart. */
export interface JobHandler<C extends AnyStateMachine = AnyStateMachine, Q extends string & JobQueue<C> = string> {
  readonly queue: Q
  /** The policy of a queue with lanes. Without lanes a queue is served in order. */
  readonly lanes?: LanePolicy
  /** Returns the number of jobs that this node does at a time; `underWay` counts those of any queue. */
  slots(underWay: (queue: string) => number): number
  /**
   * Does the job. `signal` is aborted when its result is no longer wanted: its actor has moved on, or the node stops.
   * @throws {JobError} for the chart to judge; `PostponeJob` to release the job until its time; an error whose `code`
   * is `unavailable` to release the job without counting the attempt
   */
  handle(job: Job<JobInput<C, Q>>, signal: AbortSignal): Promise<JobResult<JobOutput<C, Q>>>
}

/** A policy with details, its types checked. */
export function createLanePolicy<const C extends Columns>(policy: {
  readonly details: LaneDetails<C>
  readonly share: (demand: LaneDemand<C>) => LaneShares
  readonly admits?: LanePolicy['admits']
  readonly keepsSlot?: true
}): LanePolicy {
  return policy as LanePolicy
}
