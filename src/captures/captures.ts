import type { CaptureReference } from '../../machines/transaction.ts'
import type { Clock } from '../base/clock.ts'
import { DecryptionError, decrypt, encrypt } from '../base/encryption.ts'
import { newId } from '../base/ids.ts'
import { columnsOf, insert, type TableRow } from '../database/schema.ts'
import type { Statement } from '../durable/store/statement.ts'
import { readAll, type Store } from '../durable/store/store.ts'
import { keyedDigests } from './digest.ts'
import { deleteFindings, type NewFindings, readFindings, replaceFindings, toFindingsId } from './findings.ts'
import { type NewCapture, UnreadableCaptureError } from './new_capture.ts'

const contentAad = (captureId: string): string => `captures/${captureId}/content`

/** Encrypts a capture with its customer's key. The insertion is for a commit of the caller's. */
export const encryptCapture = (
  clock: Clock,
  key: Uint8Array,
  { content, ...capture }: NewCapture,
): { readonly reference: CaptureReference; readonly insertion: Statement } => {
  const id = newId()
  const [digest, contentSha256] = keyedDigests(key, content)
  const row = {
    ...capture,
    id,
    digest: contentSha256,
    byte_count: content.length,
    content: encrypt(key, contentAad(id), content),
    created_at: clock.now(),
  }
  return { reference: { capture_id: id, digest }, insertion: insert('captures', row) }
}

const decryptCapture = (
  key: Uint8Array,
  { capture_id, digest }: CaptureReference,
  row: Pick<TableRow<'captures'>, 'content'> | undefined,
): Buffer => {
  if (row === undefined) throw new UnreadableCaptureError(`capture ${capture_id} is missing`)
  try {
    const content = decrypt(key, contentAad(capture_id), row.content)
    if (!keyedDigests(key, content).includes(digest))
      throw new UnreadableCaptureError(`capture ${capture_id} does not match its digest`)
    return content
  } catch (cause) {
    if (cause instanceof DecryptionError)
      throw new UnreadableCaptureError(`capture ${capture_id} cannot be decrypted`, { cause })
    throw cause
  }
}

/** The content of a capture that was read. @throws {UnreadableCaptureError} */
export type ReadContent = (reference: CaptureReference) => Buffer

/** Reads captures in one round trip. */
export const readCaptures = async (
  store: Store,
  key: Uint8Array,
  references: readonly CaptureReference[],
): Promise<ReadContent> => {
  const marks = references.map(() => '?').join(', ')
  const values = references.map(({ capture_id }) => capture_id)
  const sql = `SELECT id, content FROM captures WHERE id IN (${marks})`
  const columns = columnsOf('captures', 'id', 'content')
  const rows = references.length === 0 ? [] : await readAll(store, { sql, values, columns })
  const found = new Map(rows.map(row => [row.id, row]))
  return reference => decryptCapture(key, reference, found.get(reference.capture_id))
}

/** The newest captures of a kind in a customer's other transactions. */
export interface EarlierCaptures {
  readonly customer_id: string
  readonly transaction_id: string
  readonly kind: string
  readonly limit: number
}

/** Reads and decrypts them in one query, so that nothing is removed in between. @throws {UnreadableCaptureError} */
const readEarlierCaptures = async (
  store: Store,
  key: Uint8Array,
  { customer_id, transaction_id, kind, limit }: EarlierCaptures,
): Promise<readonly Buffer[]> => {
  const sql = `SELECT c.id, c.digest, c.content FROM transactions t JOIN captures c ON c.transaction_id = t.id
    WHERE t.customer_id = ? AND t.id <> ? AND c.kind = ? ORDER BY c.created_at DESC, c.id LIMIT ${limit}`
  const columns = columnsOf('captures', 'id', 'digest', 'content')
  const rows = await readAll(store, { sql, values: [customer_id, transaction_id, kind], columns })
  return rows.map(row => decryptCapture(key, { capture_id: row.id, digest: row.digest }, row))
}

/** Deletes a capture with the findings in it, for a commit of the caller's. */
export const deleteCapture = (captureId: string): Statement => ({
  sql: 'DELETE FROM captures WHERE id IN (?, ?)',
  values: [captureId, toFindingsId(captureId)],
})

export type Captures = ReturnType<typeof openCaptures>

export const openCaptures = (store: Store, clock: Clock) => ({
  encrypt: (key: Uint8Array, capture: NewCapture) => encryptCapture(clock, key, capture),
  read: (key: Uint8Array, references: readonly CaptureReference[]) => readCaptures(store, key, references),
  readEarlier: (key: Uint8Array, which: EarlierCaptures) => readEarlierCaptures(store, key, which),
  delete: deleteCapture,
  replaceFindings: (key: Uint8Array, findings: NewFindings) => replaceFindings(clock, key, findings),
  readFindings: <Findings>(key: Uint8Array, references: readonly CaptureReference[]) =>
    readFindings<Findings>(store, key, references),
  deleteFindings,
})
