import type { DurableClock } from '../clock.ts'
import { asError } from '../errors.ts'
import type { Store } from './store.ts'

/** How often the database is asked for the time. Between two looks a node goes by its monotonic clock. */
const lookMs = 5_000
/** A correction by more than this is no drift: somebody set the server's clock, or another member's clock is wrong. */
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

/** The database's time, and when by the monotonic clock it was asked for and had arrived. */
export interface TimeAnswer {
  readonly time: number
  readonly sent: number
  readonly received: number
}

/**
 * How far the time is ahead of the monotonic clock. A response that took long is inexact: the offset is changed only as
 * far as the response proves it wrong.
 */
export const correctOffset = (offset: number, { time, sent, received }: TimeAnswer): number =>
  Math.min(Math.max(offset, time - received), time - sent)

/**
 * Makes nodes agree about the time even if their own clocks are wrong: a timer set by one is due at the same instant
 * for all. Without a server the time is the machine's own. `onError` is called when a response is missing, and the clock
 * then runs on; and when the database's time has jumped since the last response.
 */
export const followDatabaseClock = async <C extends SteadyClock>(
  store: Store | null,
  own: C,
  onError: (error: Error) => void,
): Promise<DatabaseClock<C>> => {
  const readTime = store?.dialect.readTime ?? null
  if (store === null || readTime === null) return { clock: own, stop: async () => {} }
  let offset = own.now() - own.monotonic()
  /** By how much the time was corrected. */
  const look = async (): Promise<number> => {
    const sent = own.monotonic()
    const [row] = await store.read({ sql: readTime, values: [] })
    const before = offset
    offset = correctOffset(before, { time: Number(row?.time), sent, received: own.monotonic() })
    return offset - before
  }
  const lookAgain = async (): Promise<void> => {
    const jump = await look()
    if (Math.abs(jump) > jumpMs) throw new Error(`the database's time jumped by ${jump} ms`)
  }
  const report = (error: unknown): void => onError(asError(error))
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
