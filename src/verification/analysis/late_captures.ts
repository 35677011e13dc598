import { EngineUnavailableError } from '@attestor/vision'
import { wait } from '../../base/clock.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import type { StoredCapture } from '../transactions/feedback.ts'
import { type HeldCapture, listHeldCaptures } from '../transactions/held_captures.ts'
import { isCapturing, reopenSession, type Session } from '../transactions/session.ts'

/** The wait until it is tried again where the engine has no time. */
const retryMs = 500

/** A capture whose upload was answered before it was analysed. Its bytes are not kept meanwhile: it is read again. */
export interface LateCapture {
  readonly session: Pick<Session, 'transaction_id' | 'device' | 'account_id'>
  readonly capture: HeldCapture
  /** Time in epoch milliseconds. */
  readonly until: number
}

/** Reads a late capture, if its transaction still has it and still captures. */
async function readLate(deps: TransactionDeps, { session, capture }: LateCapture): Promise<StoredCapture | null> {
  const now = await reopenSession(deps, session)
  const one = listHeldCaptures(now.context).find(
    ({ reference }) => reference.capture_id === capture.reference.capture_id,
  )
  if (one === undefined || !isCapturing(now)) return null
  const content = (await deps.captures.read(now.key, [one.reference]))(one.reference)
  return { session: now, context: now.context, capture: one.capture, content }
}

/** Analyses a late capture once the engine has time. Null if it was in vain. */
export async function analyseLate<Analysed>(
  deps: TransactionDeps,
  late: LateCapture,
  analyse: (stored: StoredCapture, patience: AbortSignal) => Promise<Analysed>,
  patience: AbortSignal,
): Promise<Analysed | null> {
  while (!patience.aborted && deps.clock.now() < late.until) {
    const stored = await readLate(deps, late)
    if (stored === null) return null
    try {
      return await analyse(stored, patience)
    } catch (error) {
      if (!(error instanceof EngineUnavailableError)) throw error
    }
    await wait(deps.clock, retryMs, patience)
  }
  return null
}
