/** Work that is done one after another. Owners take turns, so that nobody waits for all that another one has. */
export interface Turns {
  /** Resolves as `work` does once it had its turn; with null where too much waits already, or the signal aborts before. */
  take<T>(owner: string, work: () => Promise<T>, signal: AbortSignal): Promise<T | null>
}

export interface TurnsOptions {
  readonly maxWaiting: number
  readonly maxOfOwner: number
}

interface Waiting {
  readonly owner: string
  readonly begin: (isItsTurn: boolean) => void
}

export function createTurns({ maxWaiting, maxOfOwner }: TurnsOptions): Turns {
  const waiting: Waiting[] = []
  let isTaken = false
  let last: string | null = null
  const mayWait = (owner: string): boolean =>
    waiting.length < maxWaiting && waiting.filter(one => one.owner === owner).length < maxOfOwner
  const pass = (): void => {
    const [next] = waiting.splice(
      Math.max(
        0,
        waiting.findIndex(({ owner }) => owner !== last),
      ),
      1,
    )
    isTaken = next !== undefined
    last = next?.owner ?? null
    next?.begin(true)
  }
  const waitForTurn = async (owner: string, signal: AbortSignal): Promise<boolean> => {
    const { promise, resolve: begin } = Promise.withResolvers<boolean>()
    const one: Waiting = { owner, begin }
    const leave = (): void => {
      const at = waiting.indexOf(one)
      if (at < 0) return
      waiting.splice(at, 1)
      begin(false)
    }
    waiting.push(one)
    signal.addEventListener('abort', leave)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
  return {
    async take(owner, work, signal) {
      if (signal.aborted || (isTaken && !mayWait(owner))) return null
      if (isTaken) {
        if (!(await waitForTurn(owner, signal))) return null
      } else {
        isTaken = true
        last = owner
      }
      try {
        return await work()
      } finally {
        pass()
      }
    },
  }
}
