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

/** How many permits one owner may have at a time: while no other asks for any, and beside others. */
export interface Share {
  readonly alone: number
  readonly beside: number
}

/** How a queue is made. */
export interface FairQueueOptions {
  /** How many jobs may wait. */
  readonly limit: number
  readonly share: Share
  readonly now: () => number
}

/** An owner that has not asked for so long is no longer waited for. */
const remembered_ms = 60_000

interface Asked {
  readonly owner: string
  readonly at: number
}

/** Remembers which two owners asked last: whoever one of them is, the other tells when somebody else did. */
const createMemory = (now: () => number) => {
  let latest: Asked | null = null
  let before: Asked | null = null
  return {
    add(owner: string): void {
      if (latest !== null && latest.owner !== owner) before = latest
      latest = { owner, at: now() }
    },
    isAlone(owner: string): boolean {
      const other = latest?.owner === owner ? before : latest
      // Also where the clock was put back since.
      return other === null || Math.abs(now() - other.at) >= remembered_ms
    },
  }
}

const countBy = (jobs: readonly QueuedJob[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { owner } of jobs) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}

/** A queue whose owners are served side by side. */
export const createFairQueue = <J extends QueuedJob>({ limit, share, now }: FairQueueOptions): FairQueue<J> => {
  let waiting: J[] = []
  const memory = createMemory(now)
  const held = new Map<string, number>()
  const heldBy = ({ owner }: J): number => held.get(owner) ?? 0
  const mayBegin = (job: J): boolean =>
    heldBy(job) === 0 || heldBy(job) + job.permits() <= (memory.isAlone(job.owner) ? share.alone : share.beside)

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
      memory.add(job.owner)
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
