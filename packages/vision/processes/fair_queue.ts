/** A request that waits. */
export interface QueuedRequest {
  /** The owner, such as an account's id. Owners are served side by side. */
  readonly owner: string
  /** Whether it is served only while no other request waits. */
  readonly isBackground: boolean
}

/** Requests that wait for a child. One owner's requests never wait because another owner has many. */
export interface FairQueue<R extends QueuedRequest> {
  /** Adds a request. If too many wait, returns the one to reject: the newest of the owner with most of them. */
  add(request: R): R | null
  /**
   * Returns the request to serve next: one of the owner with fewest under way, and of these the one that waits longest.
   */
  next(): R | null
  /** Lists the requests that wait. */
  list(): readonly R[]
  remove(request: R): boolean
  /** Takes a request out, which is under way until the returned function is called. */
  begin(request: R): () => void
  removeAll(): readonly R[]
}

/**
 * The most requests of one owner that may be under way: `alone` while no other owner asks for any, `beside` while
 * others do.
 */
export interface Share {
  readonly alone: number
  readonly beside: number
}

export interface FairQueueOptions {
  /** The most requests that may wait. */
  readonly limit: number
  readonly share: Share
  readonly now: () => number
}

/** An owner without a request for this long no longer counts. */
const ownerMemoryMs = 60_000

interface OwnerVisit {
  readonly owner: string
  readonly at: number
}

/** Remembers the last two owners: for each owner, one of them is the last other owner. */
function createOwnerMemory(now: () => number) {
  let latest: OwnerVisit | null = null
  let previous: OwnerVisit | null = null
  return {
    add(owner: string): void {
      if (latest !== null && latest.owner !== owner) previous = latest
      latest = { owner, at: now() }
    },
    isAlone(owner: string): boolean {
      const other = latest?.owner === owner ? previous : latest
      // The absolute value counts, as the clock may have been set back.
      return other === null || Math.abs(now() - other.at) >= ownerMemoryMs
    },
  }
}

function countByOwner(requests: readonly QueuedRequest[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { owner } of requests) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}

export function createFairQueue<R extends QueuedRequest>({ limit, share, now }: FairQueueOptions): FairQueue<R> {
  let waiting: R[] = []
  const memory = createOwnerMemory(now)
  const underWay = new Map<string, number>()
  const countUnderWay = ({ owner }: R): number => underWay.get(owner) ?? 0
  const mayBegin = (request: R): boolean =>
    countUnderWay(request) < (memory.isAlone(request.owner) ? share.alone : share.beside)
  const comesBefore = (one: R, other: R): boolean =>
    one.isBackground === other.isBackground ? countUnderWay(one) < countUnderWay(other) : other.isBackground
  const findExcess = (): R | null => {
    const counts = countByOwner(waiting)
    const most = Math.max(...counts.values())
    return waiting.findLast(({ owner }) => counts.get(owner) === most) ?? null
  }
  const remove = (request: R): boolean => {
    const before = waiting.length
    waiting = waiting.filter(other => other !== request)
    return waiting.length < before
  }
  return {
    add(request) {
      memory.add(request.owner)
      waiting.push(request)
      const excess = waiting.length > limit ? findExcess() : null
      if (excess !== null) remove(excess)
      return excess
    },
    next() {
      let next: R | null = null
      for (const request of waiting)
        if (mayBegin(request) && (next === null || comesBefore(request, next))) next = request
      return next
    },
    list: () => waiting,
    remove,
    begin(request) {
      remove(request)
      underWay.set(request.owner, countUnderWay(request) + 1)
      return () => {
        const left = countUnderWay(request) - 1
        if (left > 0) underWay.set(request.owner, left)
        else underWay.delete(request.owner)
      }
    },
    removeAll: () => waiting.splice(0),
  }
}
