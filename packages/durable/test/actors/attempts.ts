import type { AttemptOutput } from '../../../../machines/delivery.ts'
import { limits } from '../../../../test/machines/events.ts'
import { jobDone } from '../../actors/xstate.ts'
import { readLanes } from '../../store/lanes.ts'
import { claimJobs, type ScheduledJob } from '../../store/scheduled_jobs.ts'
import { deliveriesOf, newTransaction } from './charts.ts'
import type { Rig } from './rig.ts'

const capture = { capture_id: '00000000-0000-4000-8000-000000000000', digest: 'd' }

export const start = { type: 'START', declared_document: 'PASSPORT', facts: capture } as const

/** A transaction that was started and cancelled: two statuses to notify. */
export async function cancelled(rig: Rig): Promise<string> {
  const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits })
  await rig.host.create(rig.transaction, actor)
  await rig.host.send(rig.transaction, actor.id, start)
  await rig.host.send(rig.transaction, actor.id, { type: 'CANCEL' })
  return actor.id
}

export async function attempts({ store, clock }: Rig): Promise<readonly ScheduledJob[]> {
  const { lanes } = await readLanes(store, 'attempt', null)
  const portions = lanes.map(({ lane }) => ({ lane, limit: 10 }))
  return claimJobs(store, 'attempt', portions, { now: clock.now(), leaseMs: 1000 })
}

export async function only(rig: Rig): Promise<ScheduledJob> {
  const [job, ...more] = await attempts(rig)
  if (job === undefined || more.length > 0)
    throw new Error(`${more.length + (job === undefined ? 0 : 1)} attempts are due`)
  return job
}

export function ended(rig: Rig, job: ScheduledJob, output: Partial<AttemptOutput>) {
  return rig.host.send(
    rig.delivery,
    job.actor_id,
    jobDone('attempt', { outcome: 'delivered', jitter: 0, retry_after_ms: null, ...output }),
    { fence: { job_id: job.id, lease: job.lease } },
  )
}

export async function statusesOf({ store }: Rig, transaction_id: string): Promise<readonly unknown[]> {
  return (await deliveriesOf(store, transaction_id)).map(
    ({ notified_status, status }) => `${notified_status} ${status}`,
  )
}
