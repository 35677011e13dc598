import type { JobHandler, LanePolicy } from 'durable-xstate-sql'
import type { JobQueue } from 'durable-xstate-sql/sql'
import type { TransactionActor } from '../transactions/actor.ts'

type AnalysisQueue = JobQueue<TransactionActor['chart']>

export type AnalysisHandler<Q extends AnalysisQueue> = JobHandler<TransactionActor['chart'], Q>

/**
 * The analysis slots that the other queue (admission or analysis) leaves free. An admission reserves the slot of its
 * analysis. Otherwise nodes would admit more transactions to PROCESSING than they have slots for.
 */
export function countFreeSlots(queue: AnalysisQueue, slots: () => number): JobHandler['slots'] {
  return countRunning => slots() - countRunning(queue)
}

/** Moves COMPLETED transactions to PROCESSING when a slot is free, so that they wait in COMPLETED, where no deadline runs. */
export function admissionHandler(slots: () => number, lanes: LanePolicy): AnalysisHandler<'admission'> {
  return {
    queue: 'admission',
    lanes,
    slots: countFreeSlots('analysis', slots),
    handle: async () => ({ output: null }),
  }
}
