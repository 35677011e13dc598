import type { Context } from 'koa'
import { type FrontDoorLimits, type LimitName, permitsLeft, takePermit } from './rate_limits.ts'

/** What one try came to. */
export interface Tried<T> {
  readonly has_failed: boolean
  readonly value: T
}

/** Runs a try for a subject, such as a transaction. @throws {ApiError} `rate_limited` where it has failed too often */
export type FailureLimit = <T>(
  limits: FrontDoorLimits,
  ctx: Context,
  subject: string,
  attempt: () => Promise<Tried<T>>,
) => Promise<T>

/** What this node is trying for one subject. */
interface Trying {
  /** Those that wait, included. */
  present: number
  under_way: number
  failures: number
  readonly waiting: (() => void)[]
}

/**
 * A limit of failures, to which successes are nothing. At no time are more tried than may still fail, so that what is
 * guessed side by side is bounded too; the rest wait for those before them. Nodes try each by itself and count together:
 * a failure too many is answered as such, and not as the failure that it was.
 */
export const createFailureLimit = (name: LimitName): FailureLimit => {
  const all = new Map<string, Trying>()
  const begin = async (limits: FrontDoorLimits, ctx: Context, subject: string, of: Trying): Promise<void> => {
    for (;;) {
      const { failures } = of
      const left = await permitsLeft(limits, ctx, name, subject)
      // A failure meanwhile: what was read may be older than that.
      if (failures !== of.failures) continue
      if (of.under_way < left) break
      await new Promise<void>(resolve => of.waiting.push(resolve))
    }
    of.under_way++
  }
  return async (limits, ctx, subject, attempt) => {
    const of = all.get(subject) ?? { present: 0, under_way: 0, failures: 0, waiting: [] }
    all.set(subject, of)
    of.present++
    try {
      await begin(limits, ctx, subject, of)
      try {
        const { has_failed, value } = await attempt()
        if (has_failed) await takePermit(limits, ctx, name, subject).finally(() => of.failures++)
        return value
      } finally {
        of.under_way--
      }
    } finally {
      of.present--
      if (of.present === 0) all.delete(subject)
      of.waiting.shift()?.()
    }
  }
}
