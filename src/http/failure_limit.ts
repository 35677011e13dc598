import type { Context } from 'koa'
import { type LimitName, type RequestLimits, requirePermit, takePermit } from './rate_limits.ts'

interface AttemptOutcome<T> {
  readonly hasFailed: boolean
  readonly value: T
}

/** Runs an attempt for a subject, such as a transaction. @throws {ApiError} `rate_limited` where too many have failed */
export type FailureLimit = <T>(
  limits: RequestLimits,
  ctx: Context,
  subject: string,
  attempt: () => Promise<AttemptOutcome<T>>,
) => Promise<T>

/**
 * A limit of failures: successes are free. The attempts of one subject run one after the other, so that guesses at the
 * same time are bounded too. Each node does so independently, but they count together, so a failure beyond the limit is
 * reported as `rate_limited`, not as itself.
 */
export function createFailureLimit(name: LimitName): FailureLimit {
  /** The end of each subject's last attempt. */
  const ends = new Map<string, Promise<void>>()
  return async (limits, ctx, subject, attempt) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = ends.get(subject)
    ends.set(subject, ended)
    try {
      await before
      await requirePermit(limits, ctx, name, subject)
      const { hasFailed, value } = await attempt()
      if (hasFailed) await takePermit(limits, ctx, name, subject)
      return value
    } finally {
      end()
      if (ends.get(subject) === ended) ends.delete(subject)
    }
  }
}
