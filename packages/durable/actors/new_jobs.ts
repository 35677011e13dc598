import type { NewRowOf, RowOf } from '../store/columns.ts'
import { readHeldJob, type ScheduledJob } from '../store/scheduled_jobs.ts'
import type { Statement, Unit } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import { type actorColumns, type durableTables, insertJob } from '../store/tables.ts'

type JobRow = NewRowOf<typeof durableTables.scheduled_jobs.columns>

/** The INSERT of a timer or a job, and the inserted row. */
interface JobInsertion extends Statement {
  readonly job: JobRow
}

/** INSERTs a timer or a job. */
export function insertNewJob(job: JobRow): JobInsertion {
  return { ...insertJob(job), job }
}

/** Columns of an actor's row. */
type HeldColumns = RowOf<Pick<typeof actorColumns, 'held_job' | 'held_until'>>

/** Writes the row of an actor, which may hold a job that the same commit starts. */
interface ActorWrite extends Statement {
  readonly starts: JobRow
  readonly table: string
  /** The row as it is then. */
  readonly row: object
  /** The same with that job in the row. */
  hold(held: HeldColumns): Statement
}

/** `write` makes the statement, with further columns. `starts` is a job that the commit inserts later, if any. */
export function writeActor(
  table: string,
  row: object,
  starts: JobRow | undefined,
  write: (held: Partial<HeldColumns>) => Statement,
): Statement | ActorWrite {
  return starts === undefined ? write({}) : { ...write({}), starts, table, row, hold: write }
}

/** A worker's slot, kept for a job whose row is about to be committed. */
interface KeptSlot {
  /** The lease that the job is written with: nobody else does it before `leased_until`. */
  readonly lease: string
  readonly leased_until: number
  /** The row is committed. */
  begin(job: ScheduledJob): void
  /** It is not. */
  release(): void
}

/** Does the jobs that a host's commits insert. A worker is one. */
export interface JobTaker {
  /**
   * Returns a slot for one more job, or null if the job has to wait for its turn. `ending` is the queue of a job that
   * ends with the commit, whose slot may be taken.
   */
  keepSlot(queue: string, lane: string, ending: string | null): KeptSlot | null
  /** Called after a commit of a row that no worker has claimed. */
  onWaiting(queue: string, lane: string, ready_at: number): void
}

export function isJobInsertion(statement: Statement): statement is JobInsertion {
  return 'job' in statement
}

function isActorWrite(statement: Statement): statement is ActorWrite {
  return 'starts' in statement
}

function findSlot(takers: ReadonlySet<JobTaker>, { queue, lane }: JobRow, ending: string | null): KeptSlot | null {
  for (const taker of takers) {
    const slot = taker.keepSlot(queue, lane, ending)
    if (slot !== null) return slot
  }
  return null
}

/** The jobs that one run of a unit starts: those for which there is a slot, and rows that wait. */
function collectNewJobs(takers: ReadonlySet<JobTaker>, ending: string | null) {
  const claimed = new Map<JobRow, readonly [KeptSlot, ScheduledJob]>()
  const waiting: JobRow[] = []
  return {
    /** Returns the statements to send instead: none for the row of a job that its actor's row holds. */
    claim(statement: Statement): readonly Statement[] {
      if (isActorWrite(statement)) {
        const { starts, table, row, hold } = statement
        const slot = findSlot(takers, starts, claimed.size === 0 ? ending : null)
        if (slot === null) return [statement]
        const { lease, leased_until } = slot
        const held_job = JSON.stringify({ ...starts, lease, claims: 1 })
        claimed.set(starts, [slot, readHeldJob({ table, text: held_job, row: { ...row, held_job } })])
        return [hold({ held_job, held_until: leased_until })]
      }
      if (!isJobInsertion(statement)) return [statement]
      if (claimed.has(statement.job)) return []
      waiting.push(statement.job)
      return [statement]
    },
    begin(): void {
      for (const [slot, job] of claimed.values()) slot.begin(job)
      for (const { queue, lane, ready_at } of waiting)
        for (const taker of takers) taker.onWaiting(queue, lane, ready_at)
    },
    release(): void {
      for (const [slot] of claimed.values()) slot.release()
    },
  }
}

function* mapStatements<T>(unit: Unit<T>, map: (statement: Statement) => readonly Statement[]): Unit<T> {
  let step = unit.next()
  while (!step.done) {
    const batch = step.value
    if (!('later' in batch)) step = unit.next(yield batch.flatMap(map))
    else {
      const later = batch.later.flatMap(map)
      step = unit.next(later.length === 0 ? [] : yield { later })
    }
  }
  return step.value
}

/**
 * Commits a unit. A job that it starts, and for which a taker has a slot, is written into its actor's row, with its
 * lease, and begins when that is done: it has no row of its own, nobody has to look for it, and no commit claims it.
 * `ending` is the queue of the job whose result is committed.
 */
export async function commitWithJobs<T>(
  store: Store,
  takers: ReadonlySet<JobTaker>,
  unit: () => Unit<T>,
  ending: string | null,
): Promise<T> {
  let jobs = collectNewJobs(takers, ending)
  const run = (): Unit<T> => {
    // A unit that lost a race runs again, and inserts its jobs again.
    jobs.release()
    jobs = collectNewJobs(takers, ending)
    return mapStatements(unit(), jobs.claim)
  }
  const value = await store.commit(run).catch(error => {
    jobs.release()
    throw error
  })
  jobs.begin()
  return value
}
