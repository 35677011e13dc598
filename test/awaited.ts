import { EventEmitter, once } from 'node:events'

/** Longer than anything takes on a busy machine, and much shorter than ava's time-out of a file. */
const boundMs = 60_000

/**
 * Resolves with the value of `thing`. The timer is no wait: it only ends a test whose `thing` never comes, with an
 * error that names it.
 */
export async function awaited<T>(what: string, thing: Promise<T>, withinMs = boundMs): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`missing after ${withinMs / 1000} s: ${what}`)), withinMs)
  try {
    return await Promise.race([thing, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** One emitter per process: every waiter checks its condition again on each event. */
const happenings = new EventEmitter().setMaxListeners(0)
let count = 0

/** Something happened that a test may wait for: a commit, a job, a line of the log. */
export function happened(): void {
  count += 1
  // Earlier listeners, such as the caller of a commit, have gone on by then.
  setImmediate(() => happenings.emit('happened'))
}

async function watched(what: string, withinMs: number, look: (isOver: () => boolean) => Promise<void>) {
  let isOver = false
  try {
    await awaited(
      what,
      look(() => isOver),
      withinMs,
    )
  } finally {
    isOver = true
    happenings.emit('happened')
  }
}

type Condition = () => boolean | Promise<boolean>

/** Waits until `holds`, which is asked again whenever something `happened`. */
export function until(holds: Condition, what = `${holds}`, withinMs = boundMs): Promise<void> {
  return watched(what, withinMs, async isOver => {
    while (!isOver()) {
      const before = count
      if (await holds()) return
      if (count === before) await once(happenings, 'happened')
    }
  })
}

/**
 * Waits until `holds`, for conditions that no event reports: checks again after each `step`, in which the awaited work
 * goes on.
 */
export function poll(
  holds: Condition,
  step: () => Promise<unknown> = () => new Promise(setImmediate),
  what = `${holds}`,
  withinMs = boundMs,
): Promise<void> {
  return watched(what, withinMs, async isOver => {
    while (!isOver() && !(await holds())) await step()
  })
}
