import type { DurableClock } from '../clock.ts'
import { asError } from '../errors.ts'
import type { HostTime } from './host_time.ts'
import type { Store } from './store.ts'

/** The database is asked for the time this often. Between two looks a node goes by its monotonic clock. */
const lookMs = 5_000
/** A difference by more than this is no drift: somebody set a host's clock, or it is wrong. */
const jumpMs = 1_000

/** A clock that also has a monotonic time, which can't be set. */
export interface SteadyClock extends DurableClock {
  /** Milliseconds since some fixed instant. */
  monotonic(): number
}

/** A clock that goes by the database's, until it is stopped. */
export interface DatabaseClock<C> {
  readonly clock: C
  stop(): Promise<void>
}

/**
 * Returns the difference between the time and the monotonic clock, in milliseconds. A response that took long is inexact:
 * the offset is changed only as far as the response proves it wrong.
 */
export function correctOffset(offset: number, { time, sent, received }: Omit<HostTime, 'host'>): number {
  return Math.min(Math.max(offset, time - received), time - sent)
}

/**
 * The median of the offsets by all hosts: one whose clock is wrong moves nobody's time. With an even number, it is the
 * one of both in the middle that changes less.
 */
export function agreeOnOffset(offset: number, times: readonly HostTime[]): number {
  const offsets = times.map(time => correctOffset(offset, time)).sort((one, other) => one - other)
  const [lower = offset, upper = offset] = [offsets[(offsets.length - 1) >> 1], offsets[offsets.length >> 1]]
  return offset - lower <= upper - offset ? lower : upper
}

/** Returns the hosts whose time is wrong, and the difference of each. */
function findWrongHosts(offset: number, times: readonly HostTime[]): ReadonlyMap<string, number> {
  return new Map(
    times
      .map(time => [time.host, Math.round(correctOffset(offset, time) - offset)] as const)
      .filter(([, differenceMs]) => Math.abs(differenceMs) > jumpMs),
  )
}

/**
 * Makes nodes agree about the time even if their own clocks are wrong, or that of one of the database's hosts: a timer
 * set by one is due at the same instant for all. Without a server the time is the machine's own. `onError` is called when
 * no response comes, and the clock then runs on; when the time has jumped since the last responses; and once for a host
 * whose time is wrong.
 */
export async function followDatabaseClock<C extends SteadyClock>(
  store: Pick<Store, 'hostName' | 'readTimes'> | null,
  own: C,
  onError: (error: Error) => void,
): Promise<DatabaseClock<C>> {
  if (store === null || store.hostName() === null) return { clock: own, stop: async () => {} }
  let offset = own.now() - own.monotonic()
  let wrong: ReadonlyMap<string, number> = new Map()
  const report = (error: unknown): void => onError(asError(error))
  /** Returns the correction of the time, in milliseconds. */
  const look = async (): Promise<number> => {
    const times = await store.readTimes(() => own.monotonic())
    const before = offset
    offset = agreeOnOffset(before, times)
    const known = wrong
    wrong = findWrongHosts(offset, times)
    for (const [host, differenceMs] of wrong)
      if (!known.has(host)) report(new Error(`the time of ${host} differs by ${differenceMs} ms`))
    return offset - before
  }
  const lookAgain = async (): Promise<void> => {
    const jump = await look()
    if (Math.abs(jump) > jumpMs) throw new Error(`the database's time jumped by ${jump} ms`)
  }
  let looking: Promise<unknown> = look().catch(report)
  let stopped = false
  let cancel = (): void => {}
  const wait = (): void => {
    if (stopped) return
    cancel = own.setTimer(lookMs, () => {
      looking = lookAgain().catch(report).then(wait)
    })
  }
  await looking
  wait()
  return {
    clock: { ...own, now: () => own.monotonic() + offset },
    async stop() {
      stopped = true
      cancel()
      await looking
    },
  }
}
