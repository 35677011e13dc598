import { rowExists } from 'durable-xstate-sql/sql'
import type { TransactionDeps } from './deps.ts'
import { requireUnusedNonce } from './device_checks.ts'
import type { Session } from './session.ts'

/** An upload as its device signed it (RFC 9421). */
export interface SignedRequest {
  readonly method: string
  /** The path, without its query. */
  readonly path: string
  /** The headers, by their names in small letters; null where there is none. */
  readonly header: (name: string) => string | null
}

/**
 * Reads the signature of an upload. Returns its nonce; null for one without a signature, where the account asks for none.
 * @throws {ApiError} `signature_refused`
 */
export type ReadSignature = (session: Session, request: SignedRequest, content: Uint8Array) => Promise<string | null>

/**
 * The journal has the nonce of each upload that was ever accepted. Not for the commit, as `requireNewImages`.
 * @throws {ApiError} `signature_refused`
 */
export async function requireNewNonce(
  { store }: Pick<TransactionDeps, 'store'>,
  { transaction_id }: Pick<Session, 'transaction_id'>,
  signed: string | null,
): Promise<void> {
  if (signed === null) return
  const sql = 'SELECT 1 AS used FROM journal WHERE actor_id = ? AND INSTR(event, ?) > 0 LIMIT 1'
  requireUnusedNonce(await rowExists(store, { sql, values: [transaction_id, `"signed":"${signed}"`] }))
}
