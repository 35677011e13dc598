import { readFirst, run } from 'durable-xstate-sql'
import { listColumns } from 'durable-xstate-sql/sql'
import type { TransactionContext } from '../../../machines/transaction.ts'
import { ApiError, toApiError } from '../../base/api_error.ts'
import { columnsOf } from '../../database/schema.ts'
import { issueChallenge, takeFrame, takePicture, type UncheckedImage } from './capture.ts'
import type { StoredConfig } from './config.ts'
import type { TransactionDeps } from './deps.ts'
import type { CaptureDeps } from './feedback.ts'
import { nothingGiven } from './feedback.ts'
import { computeOriginMac, originNames } from './row_macs.ts'
import { actorNow, findTransaction, parseConfig } from './rows.ts'
import { openCapturingSession, reopenSession, type Session } from './session.ts'
import { completeSession, startSession } from './session_calls.ts'
import { findMissingSteps } from './steps.ts'
import { requireTestAccount } from './test_clock.ts'
import { plainScript } from './test_script.ts'

/** The statuses that a walk can reach. What follows is up to the script. */
export const walkTargets = ['INITIATED', 'COMPLETED'] as const

export type WalkTarget = (typeof walkTargets)[number]

const startCall = {
  device: null,
  location_permission: null,
  consent: true,
  ip_address: '192.0.2.1',
  document_type: 'PASSPORT',
} as const

/** Nothing reads the captures of a scripted transaction. */
function placeholder(of: string): UncheckedImage {
  return {
    content: Buffer.from(`in place of ${of}`),
    signed: null,
    check: async () => ({ media_type: 'image/png', width: 1, height: 1, warnings: [] }),
  }
}

/** The open challenge if it has time left; otherwise a new one. */
async function openChallenge(deps: TransactionDeps, session: Session): Promise<string> {
  const { challenge } = session.context
  if (challenge !== null && actorNow(deps, session.row) < challenge.expires_at) return challenge.challenge_id
  return (await issueChallenge(deps, session)).challenge_id
}

async function answer(deps: CaptureDeps, session: Session): Promise<void> {
  const challenge_id = await openChallenge(deps, session)
  for (;;) {
    const now = await reopenSession(deps, session)
    const { challenge } = now.context
    if (challenge?.challenge_id !== challenge_id) throw new ApiError('gone', 'challenge_id: the challenge is not open')
    const position = challenge.frames.indexOf(null)
    if (position === -1) return
    await takeFrame(deps, now, { challenge_id, position }, placeholder(`frame ${position} of ${challenge_id}`))
  }
}

/** Uploads a phone's pictures for each step. This phone has a passport, so no document's back is needed. */
async function capture(deps: CaptureDeps, session: Session): Promise<void> {
  const { transaction_id } = session
  // A picture that is taken again is another one.
  const again = session.context.resubmission === null ? '' : ' again'
  const image = (of: string): UncheckedImage => placeholder(`${of} of ${transaction_id}${again}`)
  const isMissing = (context: TransactionContext, step: string): boolean =>
    findMissingSteps(context).some(missing => missing === step)
  const { context } = session
  if (isMissing(context, 'document_front')) await takePicture(deps, session, 'front', image('the document'))
  if (isMissing(context, 'document_back')) await takePicture(deps, session, 'back', image('its back'))
  if (isMissing(context, 'selfie')) await takePicture(deps, session, 'selfie', image('the selfie'))
  if (isMissing(context, 'liveness')) await answer(deps, await reopenSession(deps, session))
}

const originColumns = columnsOf('transactions', ...originNames)

/** A transaction without a script gets that of an approval, because its captures show nothing. */
async function ensureScript(deps: TransactionDeps, { row, transaction_id }: Session): Promise<void> {
  const stored = row.config
  const config = parseConfig(row)
  if (config.test !== null) return
  const scripted = JSON.stringify({ ...config, test: plainScript } satisfies StoredConfig)
  const sql = 'UPDATE transactions SET config = ?, origin_mac = ? WHERE id = ? AND config = ?'
  const origin = await readFirst(deps.store, {
    sql: `SELECT ${listColumns(originColumns)} FROM transactions WHERE id = ?`,
    values: [transaction_id],
    columns: originColumns,
  })
  if (origin === null) return
  const origin_mac = computeOriginMac(deps.rowKey, { ...origin, config: scripted })
  await deps.store.commit(() => run({ sql, values: [scripted, origin_mac, transaction_id, stored] }))
}

const reachedColumns = { INITIATED: 'initiated_at', COMPLETED: 'completed_at' } as const

/** A second chance is walked as the first one. */
function hasReached({ row, context }: Session, to: WalkTarget): boolean {
  return row[reachedColumns[to]] !== null && (to === 'INITIATED' || context.resubmission === null)
}

async function walkStep(deps: TransactionDeps, session: Session, to: WalkTarget): Promise<void> {
  if (session.status === 'CREATED') await startSession(deps, session, startCall)
  if (to === 'INITIATED') return
  const started = await reopenSession(deps, session)
  await ensureScript(deps, started)
  await capture({ ...deps, giveFeedback: async () => nothingGiven }, started)
  await completeSession(deps, await reopenSession(deps, session))
}

/** If a concurrent walk gets ahead, this one continues from there. */
const maxTries = 5

/**
 * Advances a test account's transaction as a phone would, so that an integration can be tried without one. Idempotent,
 * and safe to call concurrently.
 * @throws {ApiError} `not_allowed_in_state` if it ended before, or for a live account; `not_found`
 */
export async function walkTransaction(
  deps: TransactionDeps,
  account_id: string,
  id: string,
  to: WalkTarget,
): Promise<void> {
  await findTransaction(deps, account_id, id)
  await requireTestAccount(deps, account_id)
  for (let tries = 1; ; tries++) {
    const session = await openCapturingSession(deps, id)
    if (hasReached(session, to)) return
    try {
      return await walkStep(deps, session, to)
    } catch (error) {
      const known = toApiError(error)
      if (known === null || known.code === 'unavailable' || tries === maxTries) throw error
    }
  }
}
