import { type Clock, wait } from '../../base/clock.ts'
import type { InspectedStep } from './inspected.ts'
import type { ReadJournal } from './journal.ts'

/** The speed at which history is shown: a factor of the original one, or all of it at once. */
export type Speed = number | 'at_once'

export interface FollowDeps {
  readonly read: ReadJournal
  readonly clock: Clock
  readonly speed: Speed
}

/** Short, so that commits are seen at once. A look reads an index, which costs next to nothing. */
export const lookMs = 25
/** The most that one batch has. */
const maxBatch = 500

/** History, after as long as it took from one step to the next, divided by `speed`; at once after `stopped`. */
async function* replay(
  steps: readonly InspectedStep[],
  clock: Clock,
  speed: number,
  stopped: AbortSignal,
): AsyncGenerator<readonly InspectedStep[]> {
  for (const [index, step] of steps.entries()) {
    const tookMs = step.occurred_at - (steps[index - 1]?.occurred_at ?? step.occurred_at)
    if (tookMs > 0) await wait(clock, tookMs / speed, stopped)
    yield [step]
  }
}

/**
 * Yields the steps of a journal for one reader: history, then new ones, in batches. While the reader is busy nothing is
 * read. After `stopped` the rest comes at once, and the end.
 */
export async function* followSteps(
  { read, clock, speed }: FollowDeps,
  stopped: AbortSignal,
): AsyncGenerator<readonly InspectedStep[]> {
  for (let isHistory = true, isLast = false; !isLast; isHistory = false) {
    isLast = stopped.aborted
    const steps = (await read()).filter(one => one.type === 'step')
    if (isHistory && speed !== 'at_once') yield* replay(steps, clock, speed, stopped)
    else for (let from = 0; from < steps.length; from += maxBatch) yield steps.slice(from, from + maxBatch)
    await wait(clock, lookMs, stopped)
  }
}
