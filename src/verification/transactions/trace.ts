import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Trace } from '@attestor/rules'
import { readFirst } from 'durable-xstate-sql'
import { toNullableColumns } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { decrypt, encrypt } from '../../base/encryption.ts'
import { sha256 } from '../../base/ids.ts'
import { columnsOf } from '../../database/schema.ts'
import type { TransactionDeps } from './deps.ts'
import { openDataKey, transactionAad } from './rows.ts'

/** A trace as its column stores it, and the digest of it that goes into the journal. */
export interface EncryptedTrace {
  readonly trace_sha256: string
  readonly encrypted: Buffer
}

/** Deflated, it takes an eighth: it would be most of the transaction's row otherwise. */
export function encryptTrace(transaction_id: string, key: Uint8Array, trace: Trace): EncryptedTrace {
  const json = JSON.stringify(trace)
  const encrypted = encrypt(key, transactionAad(transaction_id, 'trace'), deflateRawSync(json))
  return { trace_sha256: sha256(json), encrypted }
}

export interface StoredTrace {
  readonly trace: Trace
  /** SHA-256 of the trace's JSON. */
  readonly sha256: string
  /** Whether the journal has the same digest. False means that one of the two was changed. */
  readonly pinned: boolean
}

/** The part of the deciding analysis that the journal keeps. */
export interface DecidedEvent {
  readonly output?: { readonly trace_sha256?: unknown }
}

/**
 * The trace of a transaction's decision, for operators; null if nothing was decided.
 * @throws {ApiError} `not_found`; {DecryptionError} if it was changed or the customer was erased
 */
export async function readTrace(
  deps: Pick<TransactionDeps, 'store' | 'customerKey'>,
  transaction_id: string,
): Promise<StoredTrace | null> {
  const row = await readFirst(deps.store, {
    sql: `SELECT t.customer_id, t.trace, c.data_key, j.event FROM transactions t
      JOIN customers c ON c.id = t.customer_id
      LEFT JOIN journal j ON j.actor_id = t.id AND j.sequence =
        (SELECT MIN(f.sequence) FROM journal f WHERE f.actor_id = t.id AND f.event LIKE '%"trace_sha256"%')
      WHERE t.id = ?`,
    values: [transaction_id],
    columns: {
      ...columnsOf('transactions', 'customer_id', 'trace'),
      ...columnsOf('customers', 'data_key'),
      ...toNullableColumns(columnsOf('journal', 'event')),
    },
  })
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  if (row.trace === null) return null
  const deflated = decrypt(openDataKey(deps, row), transactionAad(transaction_id, 'trace'), row.trace)
  const json = inflateRawSync(deflated).toString('utf8')
  const event: DecidedEvent = JSON.parse(row.event ?? '{}')
  const digest = sha256(json)
  return { trace: JSON.parse(json), sha256: digest, pinned: event.output?.trace_sha256 === digest }
}
