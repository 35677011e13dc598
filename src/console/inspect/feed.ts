import { type Clock, wait } from '../../base/clock.ts'
import type { Inspected } from './inspected.ts'

/** How fast history is shown: as a factor of the original speed, or all of it at once. */
export type Speed = number | 'at_once'

/** What was inspected and not yet read, for one reader. */
export interface Feed {
  add(inspected: readonly Inspected[]): void
  /** From the beginning, in batches, until `signal` is aborted or the reader is too slow. */
  follow(speed: Speed, signal: AbortSignal): AsyncGenerator<readonly Inspected[]>
  /** To be called when nothing follows: the reader gets the rest at once, and ends. */
  end(): void
}

/** The most that the reader may leave unread once it reads, and that one batch has. */
const maxUnread = 200_000
const maxBatch = 500

function occurredAt(one: Inspected | undefined): number | null {
  return one === undefined || one.type === 'removed' ? null : one.occurred_at
}

export function createFeed(clock: Clock): Feed {
  let unread: readonly Inspected[] = []
  let wake = (): void => {}
  const over = new AbortController()

  /** Waits as long as it took from one step of history to the next, divided by `speed`. */
  const pause = async (speed: number, before: number | null, signal: AbortSignal): Promise<void> => {
    const next = occurredAt(unread[0])
    if (before !== null && next !== null && next > before) await wait(clock, (next - before) / speed, signal)
  }

  return {
    add(inspected) {
      if (inspected.length === 0) return
      const removed = new Set(inspected.flatMap(one => (one.type === 'removed' ? one.id : [])))
      const isKept = (one: Inspected): boolean => one.type !== 'removed' && !removed.has(one.actor.id)
      unread = [...(removed.size === 0 ? unread : unread.filter(isKept)), ...inspected.filter(isKept)]
      wake()
    },
    async *follow(speed, signal) {
      const ended = AbortSignal.any([signal, over.signal])
      ended.addEventListener('abort', () => wake())
      let history = unread.length
      let before: number | null = null
      while (!signal.aborted && unread.length <= maxUnread) {
        if (unread.length === 0 && !ended.aborted) {
          const { promise, resolve } = Promise.withResolvers<void>()
          wake = resolve
          await promise
        }
        const isPaced = speed !== 'at_once' && history > 0
        if (isPaced) await pause(speed, before, ended)
        if (signal.aborted || unread.length === 0) return
        before = occurredAt(unread[0])
        const batch = unread.slice(0, isPaced && !over.signal.aborted ? 1 : maxBatch)
        unread = unread.slice(batch.length)
        history -= batch.length
        yield batch
      }
    },
    end: () => over.abort(),
  }
}
