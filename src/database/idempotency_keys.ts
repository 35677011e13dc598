import { createHmac } from 'node:crypto'
import { ApiError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { decryptJson, deriveKey, encryptJson } from '../base/encryption.ts'
import { all, run, type Statement, type Unit } from '../durable/store/statement.ts'
import { readFirst, type Store } from '../durable/store/store.ts'
import { columnsOf, insert } from './schema.ts'

/** decisions.md, "HTTP": an answer is kept for 24 h. */
const kept_ms = 24 * 60 * 60_000
/** Rows that one sweep removes at most. A full one is followed by another at the next call: more goes than comes. */
const sweep_limit = 100
const sweep_every_ms = 60_000

/** A call that its caller gave a key. */
export interface KeyedCall {
  readonly account_id: string
  /** The caller's `Idempotency-Key`. */
  readonly key: string
  /** All that it asks for, in one spelling: the same key with anything else is refused. */
  readonly request: string
}

/** An answer as it is replayed. */
export interface KeptAnswer {
  readonly status: number
  /** The customer or the transaction that it tells of: erasing that forgets the answer too. */
  readonly subject_id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/**
 * What was answered to keyed calls. There are no rows for calls in flight: the answer is written by the commit of what
 * the call did, so that a crash leaves both or neither, and nobody waits for the lease of a dead call. Of concurrent
 * calls, on whatever nodes, the primary key lets one commit and undoes the others.
 */
export interface IdempotencyKeys {
  /** The kept answer, or null. @throws {ApiError} `idempotency_key_reused` where it answered another request */
  find(call: KeyedCall): Promise<KeptAnswer | null>
  /** What keeps the answer, for the commit of what it tells of. */
  keep(call: KeyedCall, answer: KeptAnswer): readonly Statement[]
  /** Why a call's commit failed: a refusal where another with its key came first, else `error` itself. */
  explain(call: KeyedCall, error: unknown): Promise<unknown>
  /** Removes a bounded number of old answers, now and then. */
  sweep(): Promise<void>
}

/** What these functions work with. */
export interface IdempotencyDeps {
  readonly store: Store
  readonly clock: Clock
  readonly master: Uint8Array
}

/** Keys and bodies are the caller's own and may be guessable: neither is kept, only an HMAC of it. */
const hmac = (master: Uint8Array, purpose: 'key' | 'request', data: string): string =>
  createHmac('sha256', deriveKey(master, `idempotency_${purpose}`))
    .update(data)
    .digest('base64url')

const place = (id: string): string => `idempotency_keys/${id}/answer`

const idOf = (master: Uint8Array, { account_id, key }: KeyedCall): string => hmac(master, 'key', `${account_id}/${key}`)

function* removeExpired({ dialect }: Store, now: number): Unit<number> {
  const rows = yield* all({
    sql: `SELECT id FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ${sweep_limit}${dialect.skipLocked}`,
    values: [now],
    columns: columnsOf('idempotency_keys', 'id'),
  })
  if (rows.length === 0) return 0
  const marks = rows.map(() => '?').join(', ')
  yield* run({ sql: `DELETE FROM idempotency_keys WHERE id IN (${marks})`, values: rows.map(row => row.id) })
  return rows.length
}

/** Opens the kept answers of a store. */
export const openIdempotencyKeys = ({ store, clock, master }: IdempotencyDeps): IdempotencyKeys => {
  let next_sweep_at = Number.NEGATIVE_INFINITY

  const find = async (call: KeyedCall): Promise<KeptAnswer | null> => {
    const id = idOf(master, call)
    const row = await readFirst(store, {
      sql: 'SELECT request, answer FROM idempotency_keys WHERE id = ? AND expires_at > ?',
      values: [id, clock.now()],
      columns: columnsOf('idempotency_keys', 'request', 'answer'),
    })
    if (row === null) return null
    if (row.request !== hmac(master, 'request', call.request))
      throw new ApiError('idempotency_key_reused', 'idempotency-key: was used for another request')
    return decryptJson<KeptAnswer>(deriveKey(master, 'idempotency_answer'), place(id), row.answer)
  }

  return {
    find,
    keep(call, answer) {
      const id = idOf(master, call)
      const now = clock.now()
      return [
        { sql: 'DELETE FROM idempotency_keys WHERE id = ? AND expires_at <= ?', values: [id, now] },
        insert('idempotency_keys', {
          id,
          account_id: call.account_id,
          request: hmac(master, 'request', call.request),
          subject_id: answer.subject_id,
          answer: encryptJson(deriveKey(master, 'idempotency_answer'), place(id), answer),
          expires_at: now + kept_ms,
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
      if (began < next_sweep_at) return
      next_sweep_at = began + sweep_every_ms
      const removed = await store.commit(() => removeExpired(store, clock.now()))
      if (removed === sweep_limit) next_sweep_at = began
    },
  }
}
