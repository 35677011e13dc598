import {
  type AgeResultData,
  completePolicy,
  defaultFraudPolicy,
  type FailedResultData,
  type FraudPolicy,
  failedResult,
  failedWithoutSession,
  type ResultData,
} from '@attestor/rules'
import { type NewActor, readFirst } from 'durable-xstate-sql'
import { requireValue, type WritesOf } from 'durable-xstate-sql/sql'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { isoDate, isoTimestamp, toTimestamp } from '../../base/clock.ts'
import { mapValues } from '../../base/collections.ts'
import { decryptText, encryptJson } from '../../base/encryption.ts'
import { newId, newSecret, sha256 } from '../../base/ids.ts'
import { columnsOf, insert, type TableRow } from '../../database/schema.ts'
import { featureSwitches, readFeatureStored, readLimitsOf, selectSwitches, switchColumns } from '../../features.ts'
import { parseSettings } from '../../identity/accounts/account_settings.ts'
import { appendMember, JsonText } from '../../schemas/json_text.ts'
import type { TransactionActor } from './actor.ts'
import { requireAgeAlone } from './age.ts'
import { listenerHost, type StoredConfig, type TransactionRequest } from './config.ts'
import type { Caller, TransactionDeps } from './deps.ts'
import { encryptReference } from './reference.ts'
import { computeOriginMac } from './row_macs.ts'
import { actorNow, findTransaction, openDataKey, parseContext, type TransactionRow, transactionAad } from './rows.ts'
import { readAvailableSignals } from './signals.ts'
import { createScript } from './test_script.ts'

type AnyResult = ResultData | AgeResultData | FailedResultData | null

/** The response to Get transaction. */
export interface TransactionView extends ReturnType<typeof toStageTimes> {
  readonly id: string
  readonly customer_id: string
  readonly status: TransactionStatus
  readonly result_data: AnyResult
}

/** The response to Create transaction, without the constant `token_type`. */
export interface OpenedTransaction {
  readonly transaction_id: string
  readonly sdk_token: string
  /** Seconds. */
  readonly expires_in: number
}

const ownerColumns = {
  ...columnsOf('customers', 'data_key'),
  ...columnsOf('accounts', 'mode', 'clock_offset_ms', 'review', 'resubmission', 'signed_captures', 'apps'),
  is_enrolled: 'count',
  settings: 'document?',
  ...switchColumns,
} as const

/**
 * @throws {ApiError} `invalid_field`: the account's webhooks don't go there, or the listener's host would never receive those
 * of a live account
 */
function requireReceiver({ webhook }: TransactionRequest, is_test: boolean, origins: readonly string[] | null): void {
  if (webhook === null) return
  const { hostname, origin } = new URL(webhook.url)
  const isListener = hostname === listenerHost
  if (!isListener && origins !== null && !origins.includes(origin))
    throw new ApiError('invalid_field', `config.webhook.url: must be of an origin that the account has in the console`)
  if (!is_test && isListener)
    throw new ApiError('invalid_field', `config.webhook.url: ${listenerHost} is only for test accounts`)
}

/**
 * Opens a transaction, in one commit with `writes`.
 * @throws {ApiError} `not_found` for a customer that is not the account's
 */
export async function openTransaction(
  deps: TransactionDeps,
  { account_id, client_id }: Caller,
  call: TransactionRequest,
  writes: WritesOf<OpenedTransaction> = () => [],
): Promise<OpenedTransaction> {
  const {
    customer_id,
    transaction_type,
    expected_data,
    reference,
    requested_test: _,
    fraud_policy: given,
    ...config
  } = call
  const customer = await readFirst(deps.store, {
    sql: `SELECT data_key, (SELECT mode FROM accounts WHERE id = account_id) AS mode,
      (SELECT clock_offset_ms FROM accounts WHERE id = account_id) AS clock_offset_ms,
      (SELECT review FROM accounts WHERE id = account_id) AS review,
      (SELECT resubmission FROM accounts WHERE id = account_id) AS resubmission,
      (SELECT settings FROM account_settings s WHERE s.id = account_id) AS settings,
      (SELECT signed_captures FROM accounts WHERE id = account_id) AS signed_captures,
      (SELECT apps FROM accounts WHERE id = account_id) AS apps,
      CASE WHEN face IS NULL THEN 0 ELSE 1 END AS is_enrolled ${selectSwitches('account_id')}
      FROM customers WHERE id = ? AND account_id = ?`,
    values: [customer_id, account_id],
    columns: ownerColumns,
  })
  if (customer === null) throw new ApiError('not_found', 'customer_id: not found')
  const key = deps.customerKey(customer_id, customer.data_key)
  const now = actorNow(deps, customer)
  const is_test = customer.mode === 'test'
  const settings = parseSettings(customer.settings)
  requireReceiver(call, is_test, settings.webhook_origins)
  requireAgeAlone(call)
  const isAge = transaction_type === 'AGE'
  // Nothing of an AGE transaction is kept to compare with, looked at by a person, or remembered as a face.
  const usual = isAge ? defaultFraudPolicy : (settings.fraud_policy ?? defaultFraudPolicy)
  const fraud_policy = completePolicy<FraudPolicy>(usual, given)
  const test = createScript(
    { ...call, fraud_policy },
    { is_test, is_enrolled: customer.is_enrolled === 1, today: isoDate(now) },
  )
  const transaction_id = newId()
  const sdk_token = newSecret()
  const ttl_ms = call.transaction_ttl_minutes * 60_000
  const review_ms = customer.review === 'on' && !isAge ? deps.reviewMs : null
  const own = readLimitsOf({ document_policy: call.document_policy, test })
  const resubmissions = customer.resubmission === 'on' ? 1 : 0
  const opened = { transaction_id, sdk_token, expires_in: ttl_ms / 1000 }
  const row = {
    id: transaction_id,
    account_id,
    customer_id,
    transaction_type,
    ...encryptReference(deps, key, { id: transaction_id, account_id }, reference),
    config: JSON.stringify({
      ...config,
      fraud_policy,
      ...mapValues(featureSwitches, (_, name) => customer[name] === 1 && !isAge),
      ...readFeatureStored(customer),
      test,
    } satisfies StoredConfig),
    expected_data:
      expected_data === null ? null : encryptJson(key, transactionAad(transaction_id, 'expected_data'), expected_data),
    token_hash: sha256(sdk_token),
    expires_at: now + ttl_ms,
  }
  const { id: _id, account_id: _account, ...columns } = row
  const actor: NewActor<TransactionActor> = {
    id: transaction_id,
    account_id,
    named: { client_id, account_id, customer_id, transaction_type },
    input: { transaction_type, limits: { ...deps.limits, ...own, ttl_ms, review_ms, resubmissions } },
    columns: { ...columns, origin_mac: computeOriginMac(deps.rowKey, row) },
    clock_offset_ms: customer.clock_offset_ms ?? 0,
  }
  const procedure = { name: 'useCustomer', params: { customer_id } } as const
  const ownKey = isAge
    ? [insert('capture_keys', { id: transaction_id, data_key: deps.createCaptureKey(transaction_id) })]
    : []
  await deps.host.create(deps.definition, actor, { procedure, writes: [...writes(opened), ...ownKey] })
  return opened
}

const noResult = new JsonText<AnyResult>('null')

async function readResultText(deps: TransactionDeps, row: TransactionRow): Promise<JsonText<AnyResult>> {
  const status = row.status
  if (status !== 'FINISHED' && status !== 'FAILED') return noResult
  const key = openDataKey(deps, row)
  if (status === 'FINISHED')
    return new JsonText(decryptText(key, transactionAad(row.id, 'result'), requireValue(row.result, 'result')))
  const context = parseContext(row)
  if (context.failure === null) return noResult
  const { signals, observed } = await readAvailableSignals(deps, key, context)
  const result =
    context.facts === null
      ? failedWithoutSession(context.failure, observed)
      : failedResult(context.failure, signals, observed)
  return new JsonText(JSON.stringify(result))
}

/** Reads the result of a FINISHED transaction; of a FAILED one the reason and the known facts about the device. */
export async function readResult(deps: TransactionDeps, row: TransactionRow): Promise<AnyResult> {
  return JSON.parse((await readResultText(deps, row)).text) as AnyResult
}

type StageRow = Pick<
  TableRow<'transactions'>,
  'created_at' | 'initiated_at' | 'completed_at' | 'processing_at' | 'finished_at'
>

/** When the transaction reached each stage; null if it did not. */
export function toStageTimes(row: StageRow) {
  return {
    created_at: isoTimestamp(row.created_at),
    initiated_at: toTimestamp(row.initiated_at),
    completed_at: toTimestamp(row.completed_at),
    processing_at: toTimestamp(row.processing_at),
    finished_at: toTimestamp(row.finished_at),
  }
}

/** @throws {ApiError} `not_found` for an unknown id, and for another account's */
export async function viewTransaction(
  deps: TransactionDeps,
  account_id: string,
  id: string,
): Promise<JsonText<TransactionView>> {
  const row = await findTransaction(deps, account_id, id)
  const known = {
    id,
    customer_id: row.customer_id,
    status: row.status,
    ...toStageTimes(row),
  } satisfies Omit<TransactionView, 'result_data'>
  return new JsonText(appendMember(known, 'result_data', await readResultText(deps, row)))
}
