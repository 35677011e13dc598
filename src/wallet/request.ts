import {
  createWalletRequest,
  describeWalletLink,
  listDigitalRequests,
  type WalletQuery,
  type WalletRequest,
} from '@attestor/credentials/wallet'
import { walletClaims } from '@attestor/rules'
import { countTakesLeft, mayAskWallet, type TransactionContext } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { drawBytes, drawUuid } from '../base/random.ts'
import type { StoredConfig } from '../verification/transactions/config.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { actorNow, parseConfig } from '../verification/transactions/rows.ts'
import { sendCapture } from '../verification/transactions/send_capture.ts'
import { maxJournalEntries, requireCapturing, type Session } from '../verification/transactions/session.ts'
import type { WalletParts } from './parts.ts'
import { createLinkUrls } from './paths.ts'

/** @throws {ApiError} `not_allowed_in_state` */
export function requireWalletStep(session: Session): void {
  requireCapturing(session)
  const { context, row, status } = session
  if (context.limits.wallet === 'IGNORE' || context.transaction_type === 'BIOMETRIC_ONLY')
    throw new ApiError('not_allowed_in_state', 'document_wallet: this transaction asks no wallet')
  // Only pictures are taken again.
  if (status !== 'INITIATED') throw new ApiError('not_allowed_in_state', 'transaction: has taken its captures')
  if (row.version >= maxJournalEntries)
    throw new ApiError('not_allowed_in_state', 'document_wallet: was asked too often')
}

/** The origin from which the wallet is asked. */
export interface WalletCall {
  /** The origin of the page that calls `navigator.credentials.get`. */
  readonly origin: string
  readonly baseUrl: string
}

/** Returns the query of a transaction to a wallet: who the person is, or the age alone, with which nothing else is asked. */
function toWalletQuery({ document_policy: { wallet_claims }, age }: StoredConfig): WalletQuery {
  return age === null
    ? { credentials: ['MDL', 'PID'], claims: wallet_claims ?? walletClaims, age_over: null }
    : { credentials: ['AGE', 'MDL', 'PID'], claims: [], age_over: age.over }
}

/**
 * Opens a request to a wallet; an earlier one is void. Its nonce and its key are stored with the transaction, encrypted, by
 * the commit that opens it.
 * @throws {ApiError} `not_allowed_in_state`
 */
export async function openWalletRequest(
  { party }: WalletParts,
  deps: TransactionDeps,
  session: Session,
  { origin, baseUrl }: WalletCall,
) {
  requireWalletStep(session)
  if (!mayAskWallet(session.context)) throw new ApiError('not_allowed_in_state', 'document_wallet: no attempts left')
  const request_id = drawUuid()
  const urls = createLinkUrls(baseUrl, session.transaction_id, request_id)
  const now = actorNow(deps, session.row)
  const request = createWalletRequest({
    query: toWalletQuery(parseConfig(session.row)),
    origin,
    response_uri: urls.response_uri,
    party,
    random: drawBytes,
    now,
  })
  const expires_at = now + session.context.limits.wallet_ms
  const content = Buffer.from(JSON.stringify(request))
  const capture = { kind: 'wallet_request', media_type: 'application/json', content } as const
  const { step } = await sendCapture(deps, session, capture, reference => ({
    type: 'WALLET_REQUESTED',
    request_id,
    capture: reference,
    expires_at,
  }))
  return {
    request_id,
    requests: listDigitalRequests(request, party).map(({ protocol, data }) => ({
      protocol,
      data: data as Record<string, unknown>,
    })),
    link: describeWalletLink(request, party === null ? null : urls.request_uri),
    expires_at: isoTimestamp(expires_at),
    server_time: isoTimestamp(now),
    attempts_left: countTakesLeft(step.context, 'wallet'),
  }
}

/** Reads a request that is open, or was answered. @throws {UnreadableCaptureError} */
export async function readWalletRequest(
  { captures }: Pick<TransactionDeps, 'captures'>,
  key: Uint8Array,
  { wallet_request }: Pick<TransactionContext, 'wallet_request'>,
): Promise<WalletRequest | null> {
  if (wallet_request === null) return null
  const getContent = await captures.read(key, [wallet_request.capture])
  return JSON.parse(getContent(wallet_request.capture).toString()) as WalletRequest
}

/** @throws {ApiError} `gone` for a request that is not open */
export function requireOpenRequest(deps: TransactionDeps, { context, row }: Session, request_id: string): void {
  const open = context.wallet === null ? context.wallet_request : null
  if (open?.request_id !== request_id || actorNow(deps, row) >= open.expires_at)
    throw new ApiError('gone', 'request_id: the request is not open')
}
