import type { JobQueue } from '../durable/actors/chart_types.ts'
import type { JobHandler } from '../durable/jobs/handler.ts'
import type { TransactionActor } from '../transactions/actor.ts'

type AnalysisQueue = JobQueue<TransactionActor['chart']>

/** Hands for a job of the transactions' chart. */
export type AnalysisHandler<Q extends AnalysisQueue> = JobHandler<TransactionActor['chart'], Q>

/**
 * The analysers that the other of the two queues leaves free. Whoever is being let in has one kept for it: a node that
 * gave it to what another node let in would leave more in PROCESSING than all have analysers for.
 */
export const countFreeSlots =
  (queue: AnalysisQueue, slots: () => number): JobHandler['slots'] =>
  under_way =>
    slots() - under_way(queue)

/**
 * Lets COMPLETED transactions into PROCESSING as analysers come free: the wait is spent where the deadline does not run.
 */
export const admissionHandler = (slots: () => number): AnalysisHandler<'admission'> => ({
  queue: 'admission',
  slots: countFreeSlots('analysis', slots),
  handle: async () => ({ output: null }),
})
