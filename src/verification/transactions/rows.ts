import { readFirst } from 'durable-xstate-sql'
import {
  listColumns,
  type PersistedSnapshot,
  type RowOf,
  readContext,
  toNullableColumns,
  type Value,
} from 'durable-xstate-sql/sql'
import type { TransactionContext } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { decryptJson } from '../../base/encryption.ts'
import { columnsOf, type TableRow } from '../../database/schema.ts'
import type { DestroyableKey } from '../../identity/customers/customer_key.ts'
import type { ExpectedData, StoredConfig } from './config.ts'
import type { TransactionDeps } from './deps.ts'

/** Additional data of an encrypted column, so that it decrypts nowhere else. */
export function transactionAad(
  transaction_id: string,
  column: 'result' | 'expected_data' | 'trace' | 'reference' | 'review_reason' | 'review_template',
): string {
  return `transactions/${transaction_id}/${column}`
}

/** The columns that calls need; large ones that few calls need are not among them. */
const columns = {
  ...columnsOf('transactions', 'id', 'account_id', 'customer_id', 'transaction_type', 'status', 'version', 'snapshot'),
  ...columnsOf(
    'transactions',
    'chart_version',
    'journal_hash',
    'journal_at',
    'held_job',
    'config',
    'result',
    'decision',
    'clock_offset_ms',
    'created_at',
    'initiated_at',
    'completed_at',
  ),
  ...columnsOf('transactions', 'processing_at', 'finished_at', 'expires_at', 'awaiting_review_since'),
} as const

const columnsWithKey = {
  ...columns,
  ...toNullableColumns(columnsOf('customers', 'data_key')),
  capture_key: 'bytes?',
} as const

export type TransactionRow = RowOf<typeof columns> & CaptureKeys

const selectTransaction = `SELECT ${listColumns(columns, 't')}, c.data_key, k.data_key AS capture_key
  FROM transactions t LEFT JOIN customers c ON c.id = t.customer_id LEFT JOIN capture_keys k ON k.id = t.id`

/** Reads a transaction and its customer's key, by a `condition` on `t`; null if either is erased. */
export async function readTransaction(
  { store }: Pick<TransactionDeps, 'store'>,
  condition: string,
  values: readonly Value[],
): Promise<TransactionRow | null> {
  const sql = `${selectTransaction} WHERE ${condition} AND t.erasure_id IS NULL`
  const row = await readFirst(store, { sql, values, columns: columnsWithKey })
  return row?.data_key == null ? null : { ...row, data_key: row.data_key }
}

/** @throws {ApiError} `not_found` for an unknown id, and for another account's */
export async function findTransaction(deps: TransactionDeps, account_id: string, id: string): Promise<TransactionRow> {
  const row = await readTransaction(deps, 't.id = ? AND t.account_id = ?', [id, account_id])
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  return row
}

/** The facts that serving a transaction's capture page needs. */
interface PageFacts {
  readonly account_id: string | null
  /** The origins whose pages may show it. */
  readonly embed_origins: readonly string[]
}

/** Reads the facts of a page; they belong to no account if the transaction is unknown or erased. */
export async function readPageFacts({ store }: Pick<TransactionDeps, 'store'>, id: string): Promise<PageFacts> {
  const sql = 'SELECT account_id, config FROM transactions WHERE id = ? AND erasure_id IS NULL'
  const row = await readFirst(store, { sql, values: [id], columns: columnsOf('transactions', 'account_id', 'config') })
  if (row === null) return { account_id: null, embed_origins: [] }
  const { embed_origins } = parseConfig(row)
  return { account_id: row.account_id, embed_origins }
}

/** The time of the transaction's own clock, which a test account may have advanced (see test_clock.ts). */
export function actorNow(
  { clock }: Pick<TransactionDeps, 'clock'>,
  row: { readonly clock_offset_ms: number | null },
): number {
  return clock.now() + (row.clock_offset_ms ?? 0)
}

export interface StoredKey {
  readonly customer_id: string
  readonly data_key: Uint8Array
}

export function openDataKey(deps: Pick<TransactionDeps, 'customerKey'>, row: StoredKey): Buffer {
  return deps.customerKey(row.customer_id, row.data_key)
}

/** The keys of a transaction, encrypted. */
export interface CaptureKeys extends StoredKey {
  readonly id: string
  /** Its captures' own; null where they have the customer's. */
  readonly capture_key: Uint8Array | null
}

/** The key of a transaction's captures, and of their digests: its own, which ends with it, or its customer's. */
export function openCaptureKey(deps: Pick<TransactionDeps, 'customerKey' | 'captureKey'>, row: CaptureKeys): Buffer {
  return row.capture_key === null ? openDataKey(deps, row) : deps.captureKey(row.id, row.capture_key)
}

/** Like `openDataKey`; null if the customer was erased. */
export function findDataKey(
  deps: Pick<TransactionDeps, 'customerKey'>,
  { customer_id, data_key }: DestroyableKey,
): Buffer | null {
  return data_key === null || data_key.length === 0 ? null : deps.customerKey(customer_id, data_key)
}

const parsed = new WeakMap<object, TransactionContext>()

/** Parsed once for a row: a call's commit needs it again. */
export function parseContext(row: { readonly snapshot: string }): TransactionContext {
  const context = parsed.get(row) ?? parseSnapshotContext(row.snapshot)
  parsed.set(row, context)
  return context
}

/** @throws {ApiError} `damaged` for a snapshot that the service did not write. */
function parseSnapshotContext(snapshot: string): TransactionContext {
  try {
    const context = readContext<TransactionContext | undefined>(JSON.parse(snapshot) as PersistedSnapshot)
    if (typeof context?.limits === 'object' && typeof context.takes === 'object') return context
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
  }
  throw createDamageError()
}

function createDamageError(): ApiError {
  return new ApiError('damaged', 'transaction: what is stored of it is damaged')
}

/** Every configuration has these two, even after an erasure. */
const requiredMembers = ['webhook', 'test'] as const satisfies readonly (keyof StoredConfig)[]

/** @throws {ApiError} `damaged` for a configuration that the service did not write. */
export function parseConfig({ config }: { readonly config: string }): StoredConfig {
  try {
    const parsed: unknown = JSON.parse(config)
    const isWritten = typeof parsed === 'object' && parsed !== null && requiredMembers.every(name => name in parsed)
    if (isWritten) return parsed as StoredConfig
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw createDamageError()
}

export function decryptExpectedData(
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'expected_data'>,
): ExpectedData | null {
  const encrypted = row.expected_data
  return encrypted === null ? null : decryptJson(key, transactionAad(row.id, 'expected_data'), encrypted)
}
