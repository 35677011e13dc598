import { systemClock } from '../../base/clock.ts'

/** The part of the time that each measurement takes. */
const shares = { opening: 0.1, requests: 0.1, deliveries: 0.1, transactions: 0.25, analyses: 0.45 }

type Part = keyof typeof shares

/** How long a bench may take. */
export interface Time {
  readonly allotSeconds: (part: Part) => number
  /** Aborted when the time is over. */
  readonly over: AbortSignal
}

export const divideTime =
  (seconds: number): Time['allotSeconds'] =>
  part =>
    seconds * shares[part]

/** Number per second; null if none was done in time. */
export type Rate = number | null

/** Keeps `workers` of `work` going for a part of the time; resolves with how many were done a second. */
export const measure = async (
  { over, allotSeconds }: Time,
  part: Part,
  workers: number,
  work: () => Promise<unknown>,
): Promise<Rate> => {
  const began = systemClock.monotonic()
  let done = 0
  const repeat = async (): Promise<void> => {
    while (!over.aborted && systemClock.monotonic() < began + allotSeconds(part) * 1000) {
      await work()
      done++
    }
  }
  const aborted = new Promise<void>(resolve => over.addEventListener('abort', () => resolve(), { once: true }))
  await Promise.race([Promise.all(Array.from({ length: workers }, repeat)), aborted])
  return done === 0 ? null : (done * 1000) / (systemClock.monotonic() - began)
}
