import type { Clock } from '../base/clock.ts'
import { DecryptionError, decrypt, encrypt } from '../base/encryption.ts'
import { newId } from '../base/ids.ts'
import { columnsOf, type TableRow } from '../durable/store/columns.ts'
import { insert, type Statement } from '../durable/store/statement.ts'
import { readAll, type Store } from '../durable/store/store.ts'
import { keyedDigests } from './digest.ts'
import { UnreadableCaptureError } from './unreadable.ts'

/** A capture on its way into storage: an image, or what the device told as JSON. */
export interface NewCapture {
  readonly account_id: string
  readonly transaction_id: string
  readonly kind: string
  readonly media_type: string
  readonly content: Uint8Array
}

/** Where a capture lies, and what its content is named by (`digest.ts`). */
export interface SavedCapture {
  readonly capture_id: string
  readonly digest: string
}

const place = (capture_id: string): string => `captures/${capture_id}/content`

/** A capture sealed with its customer's key, and the statement that puts it into storage, for a commit of its caller's. */
export const encryptCapture = (
  clock: Clock,
  key: Uint8Array,
  { content, ...capture }: NewCapture,
): { readonly reference: SavedCapture; readonly insertion: Statement } => {
  const id = newId()
  const [digest, content_sha256] = keyedDigests(key, content)
  const row = {
    ...capture,
    id,
    digest: content_sha256,
    byte_count: content.length,
    content: encrypt(key, place(id), content),
    created_at: clock.now(),
  }
  return { reference: { capture_id: id, digest }, insertion: insert('captures', row) }
}

const opened = (
  key: Uint8Array,
  { capture_id, digest }: SavedCapture,
  row: Pick<TableRow<'captures'>, 'content'> | undefined,
): Buffer => {
  if (row === undefined) throw new UnreadableCaptureError(`capture ${capture_id} is missing`)
  try {
    const content = decrypt(key, place(capture_id), row.content)
    if (!keyedDigests(key, content).includes(digest))
      throw new UnreadableCaptureError(`capture ${capture_id} is not what its digest says`)
    return content
  } catch (cause) {
    if (cause instanceof DecryptionError)
      throw new UnreadableCaptureError(`capture ${capture_id} does not open`, { cause })
    throw cause
  }
}

/**
 * Captures that were read.
 * @throws {UnreadableCaptureError} when it is missing, doesn't open, or is not what its digest says
 */
export type ContentOf = (reference: SavedCapture) => Buffer

/** Reads captures in one round trip. */
export const readCaptures = async (
  store: Store,
  key: Uint8Array,
  references: readonly SavedCapture[],
): Promise<ContentOf> => {
  const marks = references.map(() => '?').join(', ')
  const values = references.map(({ capture_id }) => capture_id)
  const sql = `SELECT id, content FROM captures WHERE id IN (${marks})`
  const columns = columnsOf('captures', 'id', 'content')
  const rows = references.length === 0 ? [] : await readAll(store, { sql, values, columns })
  const found = new Map(rows.map(row => [row.id, row]))
  return reference => opened(key, reference, found.get(reference.capture_id))
}

/** Which captures of a customer: those of a kind, of other transactions than one, the newest so many. */
export interface EarlierCaptures {
  readonly customer_id: string
  readonly transaction_id: string
  readonly kind: string
  readonly most: number
}

/**
 * What a customer's other transactions hold of a kind, in one reading, so that nothing is removed in between.
 * @throws {UnreadableCaptureError}
 */
const readEarlier = async (
  store: Store,
  key: Uint8Array,
  { customer_id, transaction_id, kind, most }: EarlierCaptures,
): Promise<readonly Buffer[]> => {
  const sql = `SELECT c.id, c.digest, c.content FROM transactions t JOIN captures c ON c.transaction_id = t.id
    WHERE t.customer_id = ? AND t.id <> ? AND c.kind = ? ORDER BY c.created_at DESC, c.id LIMIT ${most}`
  const columns = columnsOf('captures', 'id', 'digest', 'content')
  const rows = await readAll(store, { sql, values: [customer_id, transaction_id, kind], columns })
  return rows.map(row => opened(key, { capture_id: row.id, digest: row.digest }, row))
}

/** The statement that takes a capture out of storage, for a commit of its caller's. */
export const deleteStatement = (capture_id: string): Statement => ({
  sql: 'DELETE FROM captures WHERE id = ?',
  values: [capture_id],
})

/** The captures of a store. */
export const capturesOf = (store: Store, clock: Clock) => ({
  seal: (key: Uint8Array, capture: NewCapture) => encryptCapture(clock, key, capture),
  read: (key: Uint8Array, references: readonly SavedCapture[]) => readCaptures(store, key, references),
  earlier: (key: Uint8Array, which: EarlierCaptures) => readEarlier(store, key, which),
  removal: deleteStatement,
})
