/** What waits, and how many of a pool's permits it takes. */
export interface QueuedJob {
  /** Whose it is, such as an account's id: owners are served side by side. */
  readonly owner: string
  /** How many permits it needs: more than one where it has a child to itself. */
  readonly permits: () => number
}

/** Jobs that wait for permits. None waits because of another owner's, however many those are. */
export interface FairQueue<J extends QueuedJob> {
  /** Adds a job; returns the one that has to go where too many wait: the newest of the owner that has most of them. */
  add(job: J): J | null
  /** Puts a job back before all others of its owner. */
  addAgain(job: J): void
  /** The job whose turn it is: of the owner that has fewest permits, then the one that waits longest. */
  next(): J | null
  /** Takes a job out, as it was given up. */
  remove(job: J): boolean
  /** A job that had its turn, with the permits that it takes, and later gives back. */
  begin(job: J): () => void
  removeAll(): readonly J[]
}

const countBy = (jobs: readonly QueuedJob[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { owner } of jobs) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}

/** A queue of at most `limit` jobs, of which one owner's may have `share` permits at a time. */
export const createFairQueue = <J extends QueuedJob>(limit: number, share: number): FairQueue<J> => {
  let waiting: J[] = []
  const held = new Map<string, number>()
  const heldBy = ({ owner }: J): number => held.get(owner) ?? 0
  const mayBegin = (job: J): boolean => heldBy(job) === 0 || heldBy(job) + job.permits() <= share

  const superfluous = (): J | null => {
    const counts = countBy(waiting)
    const most = Math.max(...counts.values())
    return waiting.findLast(({ owner }) => counts.get(owner) === most) ?? null
  }
  const remove = (job: J): boolean => {
    const before = waiting.length
    waiting = waiting.filter(other => other !== job)
    return waiting.length < before
  }
  return {
    add(job) {
      waiting.push(job)
      const over = waiting.length > limit ? superfluous() : null
      if (over !== null) remove(over)
      return over
    },
    addAgain(job) {
      waiting.unshift(job)
    },
    next() {
      let next: J | null = null
      for (const job of waiting) if (mayBegin(job) && (next === null || heldBy(job) < heldBy(next))) next = job
      return next
    },
    remove,
    begin(job) {
      remove(job)
      const permits = job.permits()
      held.set(job.owner, heldBy(job) + permits)
      return () => {
        const left = heldBy(job) - permits
        if (left > 0) held.set(job.owner, left)
        else held.delete(job.owner)
      }
    },
    removeAll: () => waiting.splice(0),
  }
}
