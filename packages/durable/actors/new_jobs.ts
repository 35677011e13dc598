import type { NewRowOf } from '../store/columns.ts'
import type { ScheduledJob } from '../store/scheduled_jobs.ts'
import type { Statement, Unit } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import { type durableTables, insertJob } from '../store/tables.ts'

type JobRow = NewRowOf<typeof durableTables.scheduled_jobs.columns>

/** The INSERT of a timer or a job, and what it inserts. */
interface JobInsertion extends Statement {
  readonly job: JobRow
}

/** INSERTs a timer or a job, for a host that may give it a lease. */
export function insertNewJob(job: JobRow): JobInsertion {
  return { ...insertJob(job), job }
}

/** A worker's slot, kept for a job whose row is about to be committed. */
export interface KeptSlot {
  /** What the row is inserted with: nobody else claims it before `leased_until`. */
  readonly lease: string
  readonly leased_until: number
  /** The row is committed. */
  begin(job: ScheduledJob): void
  /** It is not. */
  release(): void
}

/** Does the jobs that a host's commits insert. A worker is one. */
export interface JobTaker {
  /** A slot for one more job, or null where that has to wait for its turn. */
  keepSlot(queue: string, lane: string): KeptSlot | null
  /** A row is committed that nobody has claimed. */
  onWaiting(queue: string, lane: string, ready_at: number): void
}

function isJobInsertion(statement: Statement): statement is JobInsertion {
  return 'job' in statement
}

function toClaimedJob({ ready_at: _, ...row }: JobRow, lease: string): ScheduledJob {
  return {
    ...row,
    payload: JSON.parse(row.payload),
    lease,
    claims: 1,
    traceparent: row.traceparent ?? null,
  }
}

function findSlot(takers: ReadonlySet<JobTaker>, { queue, lane }: JobRow): KeptSlot | null {
  for (const taker of takers) {
    const slot = taker.keepSlot(queue, lane)
    if (slot !== null) return slot
  }
  return null
}

/** What one run of a unit inserts: jobs for which there is a slot, and rows that wait. */
function collectNewJobs(takers: ReadonlySet<JobTaker>) {
  const claimed: (readonly [KeptSlot, ScheduledJob])[] = []
  const waiting: JobRow[] = []
  return {
    /** The statement as it is sent. */
    claim(statement: Statement): Statement {
      if (!isJobInsertion(statement)) return statement
      const { job } = statement
      const slot = findSlot(takers, job)
      if (slot === null) {
        waiting.push(job)
        return statement
      }
      const { lease, leased_until } = slot
      claimed.push([slot, toClaimedJob(job, lease)])
      return insertJob({ ...job, lease, ready_at: leased_until, claims: 1 })
    },
    begin(): void {
      for (const [slot, job] of claimed) slot.begin(job)
      for (const { queue, lane, ready_at } of waiting)
        for (const taker of takers) taker.onWaiting(queue, lane, ready_at)
    },
    release(): void {
      for (const [slot] of claimed) slot.release()
    },
  }
}

function* mapStatements<T>(unit: Unit<T>, map: (statement: Statement) => Statement): Unit<T> {
  let step = unit.next()
  while (!step.done) {
    const batch = step.value
    step = unit.next(yield 'later' in batch ? { later: batch.later.map(map) } : batch.map(map))
  }
  return step.value
}

/**
 * Commits a unit. A job that it inserts, and for which a taker has a slot, gets its lease in the same commit, and begins
 * when that is done: nobody has to look for it, and no further commit claims it.
 */
export async function commitWithJobs<T>(store: Store, takers: ReadonlySet<JobTaker>, unit: () => Unit<T>): Promise<T> {
  let jobs = collectNewJobs(takers)
  const run = (): Unit<T> => {
    // A unit that lost a race runs again, and inserts its jobs again.
    jobs.release()
    jobs = collectNewJobs(takers)
    return mapStatements(unit(), jobs.claim)
  }
  const value = await store.commit(run).catch(error => {
    jobs.release()
    throw error
  })
  jobs.begin()
  return value
}
