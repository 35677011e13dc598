import type { AnyEventObject } from 'xstate'
import { jobDone, jobFailed } from '../actors/xstate.ts'
import { asError, isUnavailable } from '../errors.ts'
import { releaseLease, type ScheduledJob } from '../store/scheduled_jobs.ts'
import type { AddedToResult, WorkerDeps } from './deps.ts'
import { JobError, type JobHandler, PostponeJob } from './handler.ts'

/** A claimed job, with the means to abort it. */
export interface StartedJob {
  readonly job: ScheduledJob
  readonly abort: AbortController
}

/** A job or timer that failed through no fault of its own is tried again after this long. */
export const postponeMs = 5_000
/**
 * A job whose workers died this often, or could not send its result, is failed without another try: it may be the
 * cause.
 */
const maxClaims = 5

/** The job's result as the event that its chart accepts. Errors that are not the job's own are thrown. */
export async function handleJob(
  handler: JobHandler,
  job: ScheduledJob,
  signal: AbortSignal,
): Promise<{ readonly event: AnyEventObject; readonly added: AddedToResult }> {
  try {
    signal.throwIfAborted()
    if (job.claims > maxClaims) throw new JobError('JOB_LOST', `its worker died ${maxClaims} times`)
    const { output, ...added } = await handler.handle(job, signal)
    return { event: jobDone(job.name, output), added }
  } catch (thrown) {
    const error = asError(thrown)
    if (isUnavailable(error) || error instanceof PostponeJob || signal.aborted) throw error
    const { code, detail } = error instanceof JobError ? error : { code: 'INTERNAL', detail: {} }
    return { event: jobFailed(job.name, { ...detail, code, message: error.message }), added: {} }
  }
}

export function describeJob({ actor_id, name, claims }: ScheduledJob) {
  return { actor_id, job: name, claims }
}

/**
 * The claim is counted if the job itself may be at fault, so that it is not tried for ever. If this fails, the lease
 * expires.
 */
export async function releaseJob(
  { store, clock, log }: WorkerDeps,
  { job, abort }: StartedJob,
  thrown: unknown,
): Promise<void> {
  if (thrown instanceof PostponeJob) return releaseLease(store, job, thrown.ready_at)
  const { aborted } = abort.signal
  log.warn({ ...describeJob(job), error: asError(thrown).message }, 'a job was released')
  await releaseLease(store, job, clock.now() + (aborted ? 0 : postponeMs), !aborted && !isUnavailable(thrown))
}
