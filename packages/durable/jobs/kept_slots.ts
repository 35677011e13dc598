import type { KeptSlot } from '../actors/new_jobs.ts'
import { newId } from '../random.ts'
import type { ScheduledJob } from '../store/scheduled_jobs.ts'
import type { SlotHolder } from './shares.ts'

/** What becomes of a slot that is kept for a job. */
interface SlotUse {
  readonly leased_until: number
  readonly begin: (job: ScheduledJob) => void
  /** The slot is free again: its job's row was not committed. */
  readonly onFree: () => void
}

/** The slots of a node that are kept for jobs whose rows are not committed yet. */
export interface KeptSlots {
  list(): readonly SlotHolder[]
  keep(job: SlotHolder['job'], use: SlotUse): KeptSlot
}

export function createKeptSlots(): KeptSlots {
  const kept = new Set<SlotHolder>()
  return {
    list: () => [...kept],
    keep(job, { leased_until, begin, onFree }) {
      const { promise: done, resolve } = Promise.withResolvers<void>()
      const slot = { job, takesSlot: true, done }
      const leave = (): void => {
        kept.delete(slot)
        resolve()
      }
      kept.add(slot)
      return {
        lease: newId(),
        leased_until,
        begin(committed) {
          begin(committed)
          leave()
        },
        release() {
          leave()
          onFree()
        },
      }
    },
  }
}
