import type { CrashHook } from '../crash_points.ts'
import { type CommitFence, raiseFence } from './commit_fences.ts'
import type { Asking } from './mysql_server.ts'
import { ConflictError, type Statement, type StatementResult, type Unit } from './statement.ts'

const begin: Statement = { sql: 'START TRANSACTION', values: [] }
const commitment: Statement = { sql: 'COMMIT', values: [] }

/** The state of one run of a unit when its connection fails. */
export interface Attempt<T> {
  readonly unit: Unit<T>
  fence: CommitFence | null
  /** Set when the COMMIT is sent: from then on it may have happened. */
  committing: { readonly value: T } | null
}

export function newAttempt<T>(unit: () => Unit<T>): Attempt<T> {
  return { unit: unit(), fence: null, committing: null }
}

function isWrite({ sql }: Statement): boolean {
  return !/^\s*SELECT\b/i.test(sql)
}

/** Runs the attempt's unit and commits it. */
export async function drive<T>({ ask, oneByOne }: Asking, attempt: Attempt<T>, crashHook: CrashHook): Promise<T> {
  const { unit, fence } = attempt
  let step = unit.next()
  let begun = false
  let written = false
  // Sent with the next batch or with the COMMIT. A server stops a text of several statements at the first failure.
  let waiting: Statement[] = []
  const send = async (statements: readonly Statement[]): Promise<readonly StatementResult[]> => {
    const batch = [...(begun ? [] : [begin]), ...waiting, ...statements]
    written ||= batch.some(statement => statement !== begin && isWrite(statement))
    waiting = []
    const outcomes = await ask(batch)
    if (!begun) crashHook('commit.begun')
    begun = true
    return outcomes.slice(batch.length - statements.length)
  }
  while (!step.done) {
    const statements = 'later' in step.value ? step.value.later : step.value
    const waits = 'later' in step.value && !oneByOne
    if (waits) waiting.push(...statements)
    step = unit.next(waits ? [] : await send(statements))
  }
  crashHook('commit.written')
  if (fence !== null && (written || waiting.length > 0)) {
    const [raised] = await send([raiseFence(fence)])
    if (raised?.changed !== 1) {
      attempt.fence = null
      throw new ConflictError()
    }
    attempt.committing = { value: step.value }
  }
  if (begun || waiting.length > 0) await send([commitment])
  crashHook('commit.durable')
  return step.value
}
