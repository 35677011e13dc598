import type { Context } from 'koa'
import { countPermitsLeft, type LimitName, type RequestLimits, takePermit } from './rate_limits.ts'

export interface AttemptOutcome<T> {
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

/** The attempts of one subject on this node. */
interface SubjectState {
  /** Running and waiting. */
  present: number
  running: number
  failures: number
  readonly waiting: (() => void)[]
}

/**
 * A limit of failures: successes are free. At most as many attempts run at once as may still fail, so that concurrent
 * guesses are bounded too; the others wait. Each node does so independently, but they count together, so a failure
 * beyond the limit is reported as `rate_limited`, not as itself.
 */
export function createFailureLimit(name: LimitName): FailureLimit {
  const subjects = new Map<string, SubjectState>()
  const waitForCapacity = async (
    limits: RequestLimits,
    ctx: Context,
    subject: string,
    state: SubjectState,
  ): Promise<void> => {
    for (;;) {
      const { failures } = state
      const left = await countPermitsLeft(limits, ctx, name, subject)
      // There was a failure meanwhile, so the number that was read may be outdated.
      if (failures !== state.failures) continue
      if (state.running < left) return
      await new Promise<void>(resolve => state.waiting.push(resolve))
    }
  }
  return async (limits, ctx, subject, attempt) => {
    const state = subjects.get(subject) ?? { present: 0, running: 0, failures: 0, waiting: [] }
    subjects.set(subject, state)
    state.present++
    try {
      await waitForCapacity(limits, ctx, subject, state)
      state.running++
      try {
        const { hasFailed, value } = await attempt()
        if (hasFailed) await takePermit(limits, ctx, name, subject).finally(() => state.failures++)
        return value
      } finally {
        state.running--
      }
    } finally {
      state.present--
      if (state.present === 0) subjects.delete(subject)
      state.waiting.shift()?.()
    }
  }
}
