import type { AnyStateMachine } from 'xstate'
import type { JobInput, JobOutput, JobQueue } from '../actors/chart_types.ts'
import type { WaitingLane } from '../store/lanes.ts'
import type { Portion, ScheduledJob } from '../store/scheduled_jobs.ts'
import type { Statement } from '../store/statement.ts'

/** A claimed job, with what its chart gave it. */
export interface Job<Input = unknown> extends ScheduledJob {
  readonly payload: Input
}

/** What a job came to: the chart's `onDone` output, and what its commit writes besides. */
export interface JobResult<Output = unknown> {
  readonly output: Output
  readonly writes?: readonly Statement[]
  /** Milliseconds by stage, for the metrics. */
  readonly stages?: Readonly<Record<string, number>>
}

/** A job that could not be done; `code` reaches the chart's `onError`. */
export class JobError extends Error {
  override name = 'JobError'
  readonly code: string
  /** What more the journal keeps of it: nothing personal. */
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

/** A job whose time is yet to come: it is given back until then, and nothing has failed. */
export class PostponeJob extends Error {
  override name = 'PostponeJob'
  /** Epoch milliseconds. */
  readonly ready_at: number

  constructor(ready_at: number) {
    super('not yet')
    this.ready_at = ready_at
  }
}

/** What a queue's lanes wait for, and what this node has free for them. */
export interface Waiting {
  readonly lanes: readonly WaitingLane[]
  /** This node's jobs under way in each lane. */
  readonly under_way: ReadonlyMap<string, number>
  readonly free: number
}

/** What is claimed of the lanes now, and when a lane that may not be served yet may be, in epoch milliseconds. */
export interface Shared {
  readonly portions: readonly Portion[]
  readonly again_at: number
}

/** Divides what is free among lanes, so that none waits because of another. */
export type Share = (waiting: Waiting) => Shared

/** The handlers of one queue of a chart: they claim its jobs and do them. */
export interface JobHandler<C extends AnyStateMachine = AnyStateMachine, Q extends string & JobQueue<C> = string> {
  readonly queue: Q
  /** For a queue with lanes: which of them are served now, and how far. A queue without is served in its order. */
  readonly share?: Share
  /** Jobs at a time on this node; `under_way` counts those of any queue. */
  slots(under_way: (queue: string) => number): number
  /**
   * Does the job. `signal` is aborted when it is no longer wanted: its actor has gone on, or the node stops.
   * @throws {JobError} for the chart to judge; `PostponeJob` gives the job back until its time; `ApiError` `unavailable` gives the job back, no attempt used up
   */
  handle(job: Job<JobInput<C, Q>>, signal: AbortSignal): Promise<JobResult<JobOutput<C, Q>>>
}
