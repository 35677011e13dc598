import { readFirst, run, type Statement, type Store, selectAll, type Unit } from 'durable-xstate-sql'
import { toPlaceholders } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { deriveKey, hmac, type ServiceKeys } from '../base/encryption.ts'
import { decryptColumn, encryptColumn } from './root_columns.ts'
import { columnsOf, insert } from './schema.ts'

const keptMs = 24 * 60 * 60_000
/** Rows that one sweep removes at most. A full sweep is followed by another at the next call. */
const maxSweep = 100
const sweepEveryMs = 60_000

/** A call with an `Idempotency-Key`. */
interface KeyedCall {
  readonly account_id: string
  /** The caller's `Idempotency-Key`. */
  readonly key: string
  /** Its method, path and body in a canonical form: the same key with another request is an error. */
  readonly request: string
}

/** A response as it is replayed. */
interface StoredResponse {
  readonly status: number
  /** The customer or the transaction in the response: erasing that deletes the response too. */
  readonly subject_id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/**
 * The responses of calls with a key. A call in flight has no row: its response is written in the same commit as its
 * effect. So a crash leaves both or neither, and no call waits for one that died. Of concurrent calls, on any nodes,
 * the primary key lets one commit and rolls back the others.
 */
export interface IdempotencyKeys {
  /** The stored response, or null. @throws {ApiError} `idempotency_key_reused` where it belongs to another request */
  find(call: KeyedCall): Promise<StoredResponse | null>
  /** Returns the statements that store the response, for the commit of the call's effects. */
  keep(call: KeyedCall, answer: StoredResponse): readonly Statement[]
  /** Why a call's commit failed: an `ApiError` where another call with its key came first, else `error` itself. */
  explain(call: KeyedCall, error: unknown): Promise<unknown>
  /** Removes some expired responses; called after each call, it does so once a minute. */
  sweep(): Promise<void>
}

export interface IdempotencyDeps {
  readonly store: Store
  readonly clock: Clock
  readonly serviceKeys: ServiceKeys
}

/** Keys and bodies are the caller's and may be guessable: only their HMACs are stored. */
function createHmacDigest(serviceKeys: ServiceKeys, purpose: 'key' | 'request', data: string): string {
  return hmac(deriveKey(serviceKeys.lookup, `idempotency_${purpose}`), data).digest('base64url')
}

function createRowId(serviceKeys: ServiceKeys, { account_id, key }: KeyedCall): string {
  return createHmacDigest(serviceKeys, 'key', `${account_id}/${key}`)
}

function* removeExpired({ dialect }: Store, now: number): Unit<number> {
  const rows = yield* selectAll({
    sql: `SELECT id FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ${maxSweep}${dialect.skipLocked}`,
    values: [now],
    columns: columnsOf('idempotency_keys', 'id'),
  })
  if (rows.length === 0) return 0
  const marks = toPlaceholders(rows)
  yield* run({ sql: `DELETE FROM idempotency_keys WHERE id IN (${marks})`, values: rows.map(row => row.id) })
  return rows.length
}

/** Opens the stored responses. */
export function openIdempotencyKeys({ store, clock, serviceKeys }: IdempotencyDeps): IdempotencyKeys {
  let nextSweepAt = Number.NEGATIVE_INFINITY

  const find = async (call: KeyedCall): Promise<StoredResponse | null> => {
    const id = createRowId(serviceKeys, call)
    const row = await readFirst(store, {
      sql: 'SELECT request, answer FROM idempotency_keys WHERE id = ? AND expires_at > ?',
      values: [id, clock.now()],
      columns: columnsOf('idempotency_keys', 'request', 'answer'),
    })
    if (row === null) return null
    if (row.request !== createHmacDigest(serviceKeys, 'request', call.request))
      throw new ApiError('idempotency_key_reused', 'idempotency-key: was used for another request')
    return JSON.parse(decryptColumn(serviceKeys, 'idempotency_keys', id, row.answer).toString('utf8')) as StoredResponse
  }

  return {
    find,
    keep(call, answer) {
      const id = createRowId(serviceKeys, call)
      const now = clock.now()
      return [
        { sql: 'DELETE FROM idempotency_keys WHERE id = ? AND expires_at <= ?', values: [id, now] },
        insert('idempotency_keys', {
          id,
          account_id: call.account_id,
          request: createHmacDigest(serviceKeys, 'request', call.request),
          subject_id: answer.subject_id,
          answer: encryptColumn(serviceKeys, 'idempotency_keys', id, JSON.stringify(answer)),
          expires_at: now + keptMs,
        }),
      ]
    },
    async explain(call, error) {
      if (!store.dialect.isDuplicate(error) || (await find(call)) === null) return error
      const says = 'idempotency-key: another call with it was under way'
      return new ApiError('idempotency_key_in_use', says, { 'Retry-After': '1' })
    },
    async sweep() {
      const began = clock.monotonic()
      if (began < nextSweepAt) return
      nextSweepAt = began + sweepEveryMs
      const removed = await store.commit(() => removeExpired(store, clock.now()))
      if (removed === maxSweep) nextSweepAt = began
    },
  }
}
