import { UnreadableFileError } from '@attestor/credentials'
import {
  openWalletAnswer,
  type SentAnswer,
  verifyWalletAnswer,
  type WalletPresentation,
  type WalletRequest,
} from '@attestor/credentials/wallet'
import { countTakesLeft, type TransactionContext } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { actorNow } from '../verification/transactions/rows.ts'
import { isRejected, sendCapture, sendFromDevice } from '../verification/transactions/send_capture.ts'
import { reopenSession, type Session } from '../verification/transactions/session.ts'
import { findNextStep } from '../verification/transactions/steps.ts'
import { wallet } from './feature.ts'
import { readWalletRequest, requireOpenRequest, requireWalletStep } from './request.ts'

/** The checks that need no certificates. */
const noTrust = { anchors: [], revocation_lists: [], status_lists: new Map() } as const

/** An answer that is none to this request, and why. */
interface NoAnswer {
  readonly reason: string
  readonly message: string
}

/** Returns the wallet's presentation, if its own key has signed it for this request; its holder is checked later. */
async function examine(request: WalletRequest, sent: SentAnswer, now: number): Promise<WalletPresentation | NoAnswer> {
  try {
    const answer = await openWalletAnswer(request, sent, now)
    if (answer.kind === 'REFUSED') return { reason: 'DECLINED', message: 'the wallet has declined' }
    const { checks } = verifyWalletAnswer(request, answer, noTrust, now).findings
    const broken = checks.find(({ name, status }) => (name === 'binding' || name === 'answer') && status !== 'PASSED')
    if (broken === undefined) return answer
    return { reason: broken.reason ?? 'UNREADABLE', message: 'is no answer to this request' }
  } catch (error) {
    if (error instanceof UnreadableFileError) return { reason: 'UNREADABLE', message: error.message }
    throw error
  }
}

/** Reads a stored answer. @throws {UnreadableCaptureError} */
export async function readWalletAnswer(
  { captures }: Pick<TransactionDeps, 'captures'>,
  key: Uint8Array,
  { wallet }: Pick<TransactionContext, 'wallet'>,
): Promise<WalletPresentation | null> {
  if (wallet === null) return null
  const getContent = await captures.read(key, [wallet])
  return JSON.parse(getContent(wallet).toString()) as WalletPresentation
}

/** Whether an answer came again, as after a lost response. */
async function isStored(deps: TransactionDeps, { key, context }: Session, found: WalletPresentation | NoAnswer) {
  const stored = await readWalletAnswer(deps, key, context)
  return 'kind' in found && stored?.presentation === found.presentation && stored.protocol === found.protocol
}

function toReceipt({ context }: Pick<Session, 'context'>) {
  return {
    accepted: true as const,
    next_step: findNextStep(context),
    attempts_left: countTakesLeft(context, 'wallet'),
  }
}

/** @throws {ApiError} `gone` where the request was used up by another answer */
async function repeatReceipt(deps: TransactionDeps, session: Session, found: WalletPresentation | NoAnswer) {
  if (await isStored(deps, session, found)) return toReceipt(session)
  throw new ApiError('gone', 'request_id: was answered')
}

/** @throws {ApiError} `unusable_capture` for what is no answer, `not_allowed_in_state` where the request is used up */
async function useRequest(
  deps: TransactionDeps,
  session: Session,
  request_id: string,
  found: WalletPresentation | NoAnswer,
) {
  if (!('kind' in found)) {
    await sendFromDevice(deps, session, { type: 'WALLET_REFUSED', request_id, reason: found.reason })
    throw new ApiError('unusable_capture', `data: ${found.message}`)
  }
  const content = Buffer.from(JSON.stringify(found))
  const { kind, media_type } = wallet.capture
  const capture = { kind, media_type, content }
  const { step } = await sendCapture(deps, session, capture, reference => ({
    type: 'WALLET_ANSWERED',
    request_id,
    capture: reference,
  }))
  return toReceipt({ context: step.context })
}

/**
 * Accepts a wallet's answer; any answer uses the request up. One that was accepted already gets the same response.
 * @throws {ApiError} `gone` for a request that is not open, `unusable_capture` for a body that is no answer to it
 */
export async function takeWalletAnswer(deps: TransactionDeps, session: Session, request_id: string, sent: SentAnswer) {
  requireWalletStep(session)
  const { context, key } = session
  const isAnswered = context.wallet !== null && context.wallet_request?.request_id === request_id
  if (!isAnswered) requireOpenRequest(deps, session, request_id)
  const request = await readWalletRequest(deps, key, context)
  if (request === null) throw new ApiError('gone', 'request_id: the request is not open')
  const found = await examine(request, sent, actorNow(deps, session.row))
  if (isAnswered) return repeatReceipt(deps, session, found)
  try {
    return await useRequest(deps, session, request_id, found)
  } catch (error) {
    // A concurrent call has used the request up, perhaps with the same answer.
    if (!isRejected(error)) throw error
    return repeatReceipt(deps, await reopenSession(deps, session), found)
  }
}
