import { type Clock, wait } from '../../base/clock.ts'
import type { Inspected } from './inspected.ts'

/** How fast history is shown: as a factor of the original speed, or all of it at once. */
export type Speed = number | 'at_once'

/** Everything that was inspected so far, and later steps, for any number of followers. */
export interface Feed {
  add(inspected: readonly Inspected[]): void
  /** From the beginning, in batches, until `signal` is aborted or the follower is too slow. */
  follow(speed: Speed, signal: AbortSignal): AsyncGenerator<readonly Inspected[]>
  /** To be called when nothing follows: each follower gets the rest at once, and ends. */
  end(): void
}

/** The most that one follower may leave unread, and that one batch has. */
const maxUnread = 200_000
const maxBatch = 500

interface Follower {
  readonly unread: Inspected[]
  /** How many of them existed when it began: its history. */
  history: number
  wake: () => void
}

function toActorId(one: Inspected): string {
  return one.type === 'removed' ? one.id : one.actor.id
}

function occurredAt(one: Inspected | undefined): number | null {
  return one === undefined || one.type === 'removed' ? null : one.occurred_at
}

/** Waits as long as it took from one step of history to the next, divided by `speed`. */
async function waitAsItHappened(
  { clock, speed, signal }: { readonly clock: Clock; readonly speed: Speed; readonly signal: AbortSignal },
  before: number | null,
  next: number | null,
): Promise<void> {
  if (speed === 'at_once' || before === null || next === null || next <= before) return
  await wait(clock, (next - before) / speed, signal)
}

export function createFeed(clock: Clock): Feed {
  let log: readonly Inspected[] = []
  const followers = new Set<Follower>()
  const over = new AbortController()

  const untilThereIsMore = (follower: Follower, signal: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      if (follower.unread.length > 0 || over.signal.aborted || signal.aborted) return resolve()
      const done = (): void => {
        signal.removeEventListener('abort', done)
        follower.wake = () => {}
        resolve()
      }
      follower.wake = done
      signal.addEventListener('abort', done)
    })

  const nextBatch = (follower: Follower, speed: Speed): readonly Inspected[] => {
    const paced = speed !== 'at_once' && follower.history > 0
    const batch = follower.unread.splice(0, paced ? 1 : maxBatch)
    follower.history = Math.max(0, follower.history - batch.length)
    return batch
  }

  return {
    add(inspected) {
      if (inspected.length === 0) return
      const removed = new Set(inspected.flatMap(one => (one.type === 'removed' ? one.id : [])))
      const kept = removed.size === 0 ? log : log.filter(one => !removed.has(toActorId(one)))
      log = [...kept, ...inspected.filter(one => one.type !== 'removed')]
      for (const follower of followers) {
        for (const one of inspected) follower.unread.push(one)
        follower.wake()
      }
    },
    async *follow(speed, signal) {
      const follower: Follower = { unread: [...log], history: log.length, wake: () => {} }
      followers.add(follower)
      try {
        let before: number | null = null
        const ended = AbortSignal.any([signal, over.signal])
        while (!signal.aborted && follower.unread.length <= maxUnread) {
          await untilThereIsMore(follower, signal)
          if (follower.history > 0)
            await waitAsItHappened({ clock, speed, signal: ended }, before, occurredAt(follower.unread[0]))
          if (signal.aborted || follower.unread.length === 0) return
          before = occurredAt(follower.unread[0])
          yield nextBatch(follower, over.signal.aborted ? 'at_once' : speed)
        }
      } finally {
        followers.delete(follower)
      }
    },
    end() {
      over.abort()
      for (const follower of followers) follower.wake()
    },
  }
}
