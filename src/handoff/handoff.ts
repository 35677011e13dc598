import { readFirst, run, runAll, type Statement, selectAll, selectFirst, type Unit } from 'durable-xstate-sql'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { newSecret, sha256 } from '../base/ids.ts'
import { computeCoveredMac } from '../database/forged_rows.ts'
import { columnsOf, insert } from '../database/schema.ts'
import type { TransactionJournalEvent } from '../verification/transactions/actor.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { isCapturer, isFirstDevice, requireCapturer } from '../verification/transactions/device_checks.ts'
import { actorNow, parseConfig, parseContext, readTransaction } from '../verification/transactions/rows.ts'
import { isCapturing, maxJournalEntries, reopenSession, type Session } from '../verification/transactions/session.ts'
import { openStatuses } from './feature.ts'

/** Lifetime of a code: enough to find a phone. */
export const handoffMs = 10 * 60_000

const offerColumns = columnsOf('transactions', 'status', 'snapshot', 'version')

function takesNoMore(): ApiError {
  return new ApiError('not_allowed_in_state', 'transaction: takes no captures any more')
}

function requireJournalSpace({ version }: { readonly version: number }): void {
  if (version >= maxJournalEntries) throw new ApiError('not_allowed_in_state', 'handoff: was offered too often')
}

function voidOffers(transaction_id: string): Statement {
  return { sql: 'DELETE FROM handoffs WHERE transaction_id = ? AND token_hash IS NULL', values: [transaction_id] }
}

/** Rechecks inside the commit that the device still captures: another device may have taken over meanwhile. */
function* requireOfferable(deps: TransactionDeps, session: Session): Unit<void> {
  const row = yield* selectFirst({
    sql: `SELECT status, snapshot, version FROM transactions WHERE id = ?${deps.store.dialect.forUpdate}`,
    values: [session.transaction_id],
    columns: offerColumns,
  })
  if (row === null) throw new ApiError('gone', 'sdk_token: the transaction is gone')
  requireCapturer(session, parseContext(row))
  if (!openStatuses.includes(row.status)) throw takesNoMore()
  requireJournalSpace(row)
}

/**
 * Returns the capture to the first device; the codes and tokens of others become void. A link may be opened by somebody
 * unintended, such as a malware scanner, and the person must not depend on that device.
 * @throws {ApiError} `not_allowed_in_state`
 */
export async function takeBack(deps: TransactionDeps, session: Session): Promise<Session> {
  const { transaction_id, status, row } = session
  if (!isFirstDevice(session))
    throw new ApiError('not_allowed_in_state', 'sdk_token: only the first device takes the capture back')
  if (!openStatuses.includes(status) && !isCapturing(session)) throw takesNoMore()
  requireJournalSpace(row)
  const voidDevices = { sql: 'DELETE FROM handoffs WHERE transaction_id = ?', values: [transaction_id] }
  await deps.host.send(deps.definition, transaction_id, { type: 'HANDED_BACK' }, { writes: [voidDevices] })
  return reopenSession(deps, session)
}

/**
 * Makes a one-time code, with which another device takes the capture over; an earlier one is void. The journal's entry
 * changes the transaction's row, so that one of several concurrent offers and claims comes first, on several nodes too.
 * @throws {ApiError} `not_allowed_in_state`
 */
export async function offerHandoff(deps: TransactionDeps, caller: Session) {
  const isTaken = isFirstDevice(caller) && !isCapturer(caller, caller.context)
  const session = isTaken ? await takeBack(deps, caller) : caller
  const { transaction_id, account_id } = session
  const code = newSecret()
  const expires_at = actorNow(deps, session.row) + handoffMs
  const event: TransactionJournalEvent = { type: 'HANDOFF_OFFERED', by: 'device' }
  const offer = { code_hash: sha256(code), account_id, transaction_id, expires_at, token_hash: null, device: null }
  const mac = computeCoveredMac(deps.rowKey, 'handoffs', offer)
  await deps.store.commit(function* (): Unit<void> {
    yield* requireOfferable(deps, session)
    yield* deps.host.appendToJournal(deps.definition, transaction_id, event)
    yield* runAll([voidOffers(transaction_id), insert('handoffs', { ...offer, mac })])
  })
  return { code, expires_at: isoTimestamp(expires_at) }
}

const maxSendings = 3

/** Data for a message that brings a code. */
export interface SendableHandoff {
  /** The account's name. */
  readonly account: string
  readonly locale: string | null
  readonly expires_at: string
}

/** Records that an open code is sent, before it is: the sending counts even if it fails. @throws {ApiError} */
export async function noteHandoffSending(
  deps: TransactionDeps,
  session: Session,
  { code, channel }: { readonly code: string; readonly channel: 'EMAIL' | 'SMS' },
): Promise<SendableHandoff> {
  const { transaction_id, account_id, row } = session
  const { locale } = parseConfig(row)
  const event: TransactionJournalEvent = { type: 'HANDOFF_SENT', by: 'device', channel }
  return deps.store.commit(function* (): Unit<SendableHandoff> {
    yield* requireOfferable(deps, session)
    const offer = yield* selectFirst({
      sql: `SELECT h.expires_at, a.name FROM handoffs h JOIN accounts a ON a.id = ?
        WHERE h.code_hash = ? AND h.transaction_id = ? AND h.token_hash IS NULL`,
      values: [account_id, sha256(code), transaction_id],
      columns: { ...columnsOf('handoffs', 'expires_at'), ...columnsOf('accounts', 'name') },
    })
    if (offer === null || actorNow(deps, row) >= offer.expires_at) throw goneCode()
    const sendings = yield* selectAll({
      sql: `SELECT sequence FROM journal WHERE actor_id = ? AND event LIKE '%"HANDOFF_SENT"%'`,
      values: [transaction_id],
      columns: columnsOf('journal', 'sequence'),
    })
    if (sendings.length >= maxSendings)
      throw new ApiError('not_allowed_in_state', `handoff: its link was sent ${maxSendings} times`)
    yield* deps.host.appendToJournal(deps.definition, transaction_id, event)
    return { account: offer.name, locale, expires_at: isoTimestamp(offer.expires_at) }
  })
}

function goneCode(): ApiError {
  return new ApiError('gone', 'code: is unknown, expired or already used')
}

/**
 * Gives the capture to the device that has the code: it gets a token of its own, and the device before it can only read
 * from then on. Of concurrent claims one succeeds.
 * @throws {ApiError} `gone` for a code that was used, is void, has expired or never was, and after the capture's end
 */
export async function claimHandoff(deps: TransactionDeps, code: string) {
  const code_hash = sha256(code)
  const offer = await readFirst(deps.store, {
    sql: 'SELECT account_id, transaction_id, expires_at FROM handoffs WHERE code_hash = ? AND token_hash IS NULL',
    values: [code_hash],
    columns: columnsOf('handoffs', 'account_id', 'transaction_id', 'expires_at'),
  })
  if (offer === null) throw goneCode()
  const { transaction_id } = offer
  const row = await readTransaction(deps, 't.id = ?', [transaction_id])
  if (row === null || actorNow(deps, row) >= Math.min(offer.expires_at, row.expires_at)) throw goneCode()
  const sdk_token = newSecret()
  await deps.host.transaction(function* () {
    const actor = yield* deps.host.sendInTransaction(deps.definition, transaction_id, { type: 'HANDED_OFF' })
    if (actor === null) throw goneCode()
    const taken = { ...offer, code_hash, token_hash: sha256(sdk_token), device: actor.step.context.device }
    const { changed } = yield* run({
      sql: 'UPDATE handoffs SET token_hash = ?, device = ?, mac = ? WHERE code_hash = ? AND token_hash IS NULL',
      values: [taken.token_hash, taken.device, computeCoveredMac(deps.rowKey, 'handoffs', taken), code_hash],
    })
    // Another claim was first, or a newer offer made this one void.
    if (changed === 0) throw goneCode()
    return { value: null, actors: [actor] }
  })
  return { sdk_token, transaction_id, expires_at: isoTimestamp(row.expires_at) }
}
