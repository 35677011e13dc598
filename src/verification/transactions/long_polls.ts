import { adviseAtEnd, type FeedbackCode, type ResultData } from '@attestor/rules'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { wait } from '../../base/clock.ts'
import { isTerminal } from './definition.ts'
import type { TransactionDeps } from './deps.ts'
import { findWaitingFor, reopenSession, type Session, type WaitingFor } from './session.ts'
import { describeSession, type SessionView } from './session_calls.ts'
import { readResult } from './transactions.ts'

/** The facts that the device may know: no scores, and only those reasons that a person can do something about. */
export interface SessionResult {
  readonly status: TransactionStatus
  readonly outcome: ResultData['decision'] | null
  readonly waiting_for: WaitingFor | null
  readonly advice: readonly FeedbackCode[]
}

async function findAdvice(deps: TransactionDeps, { status, row }: Session): Promise<readonly FeedbackCode[]> {
  if (status !== 'FINISHED' || row.decision === null || row.decision === 'APPROVED') return []
  const result = await readResult(deps, row)
  return adviseAtEnd(row.decision, result?.issues ?? [])
}

async function describeResult(deps: TransactionDeps, session: Session): Promise<SessionResult> {
  const advice = await findAdvice(deps, session)
  return { status: session.status, outcome: session.row.decision, waiting_for: findWaitingFor(session), advice }
}

/** Interval between two reads of the row, in ms: this node is not notified of other nodes' commits. */
const rereadMs = 1000

/** The conditions that end a long poll. */
interface LongPoll {
  readonly isAwaited: (session: Session) => boolean
  readonly wait_ms: number
  readonly signal: AbortSignal
}

/** Reads the session after every change of its transaction, until `isAwaited` or the time-out. */
async function pollSession(
  deps: TransactionDeps,
  session: Session,
  { isAwaited, wait_ms, signal }: LongPoll,
): Promise<Session> {
  if (isAwaited(session)) return session
  const until = deps.clock.monotonic() + wait_ms
  for (;;) {
    const changed = new AbortController()
    const unsubscribe = deps.host.subscribe(actor => {
      if (actor.id === session.transaction_id) changed.abort('changed')
    })
    try {
      const value = await reopenSession(deps, session)
      const left = until - deps.clock.monotonic()
      if (isAwaited(value) || left <= 0 || signal.aborted) return value
      await wait(deps.clock, Math.min(left, rereadMs), AbortSignal.any([changed.signal, signal]))
    } finally {
      unsubscribe()
    }
  }
}

/** Long poll: resolves when the transaction has ended, or waits for a person, at the latest after `wait_ms`. */
export async function waitForResult(
  deps: TransactionDeps,
  session: Session,
  wait_ms: number,
  signal: AbortSignal,
): Promise<SessionResult> {
  const isAwaited = (read: Session): boolean => isTerminal(read.status) || findWaitingFor(read) !== null
  return describeResult(deps, await pollSession(deps, session, { isAwaited, wait_ms, signal }))
}

/** A validated call of `GET /`. */
export interface SessionCall {
  /** The version that the device knows; null where it knows none. */
  readonly seen: number | null
  readonly wait_ms: number
}

/** Long poll: resolves when the session differs from the one that the device has seen, at the latest after `wait_ms`. */
export async function waitForChange(
  deps: TransactionDeps,
  session: Session,
  { seen, wait_ms }: SessionCall,
  signal: AbortSignal,
): Promise<SessionView> {
  const isAwaited = ({ row }: Session): boolean => row.version !== seen
  return describeSession(deps, await pollSession(deps, session, { isAwaited, wait_ms, signal }))
}
