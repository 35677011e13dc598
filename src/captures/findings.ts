import type { CaptureReference } from '../../machines/transaction.ts'
import type { Clock } from '../base/clock.ts'
import { DecryptionError, decrypt, encrypt } from '../base/encryption.ts'
import { deriveId, sha256 } from '../base/ids.ts'
import { decodeJsonWithBytes, encodeJsonWithBytes } from '../base/json_with_bytes.ts'
import { releaseBuffer } from '../base/release_buffer.ts'
import { columnsOf, insert } from '../database/schema.ts'
import { requireValue } from '../durable/store/columns.ts'
import { type Statement, toPlaceholders } from '../durable/store/statement.ts'
import { readAll, type Store } from '../durable/store/store.ts'
import { type NewCapture, UnreadableCaptureError } from './new_capture.ts'

const findingsKind = 'findings'

/** The row of the findings in a capture. No snapshot names it: it is found by the capture's id, and deleted with it. */
export const toFindingsId = (captureId: string): string => deriveId(captureId, findingsKind)

/** Binds findings to the image that they were made of. */
const findingsAad = ({ capture_id, digest }: CaptureReference): string => `captures/${capture_id}/findings/${digest}`

/** Findings in a capture, which replace earlier ones. */
export interface NewFindings extends Pick<NewCapture, 'account_id' | 'transaction_id'> {
  readonly reference: CaptureReference
  /** JSON, with bytes in it. */
  readonly findings: unknown
}

export const replaceFindings = (
  clock: Clock,
  key: Uint8Array,
  { reference, findings, ...owner }: NewFindings,
): readonly Statement[] => {
  const id = toFindingsId(reference.capture_id)
  const plain = Buffer.concat(encodeJsonWithBytes(findings))
  const row = {
    ...owner,
    id,
    kind: findingsKind,
    media_type: 'application/octet-stream',
    digest: sha256(plain),
    byte_count: plain.length,
    content: encrypt(key, findingsAad(reference), plain),
    created_at: clock.now(),
  }
  releaseBuffer(plain)
  return [{ sql: 'DELETE FROM captures WHERE id = ?', values: [id] }, insert('captures', row)]
}

/** Reads the findings in captures in one round trip: by capture id. @throws {UnreadableCaptureError} */
export const readFindings = async <Findings>(
  store: Store,
  key: Uint8Array,
  references: readonly CaptureReference[],
): Promise<ReadonlyMap<string, Findings>> => {
  if (references.length === 0) return new Map()
  const owners = new Map(references.map(reference => [toFindingsId(reference.capture_id), reference]))
  const sql = `SELECT id, content FROM captures WHERE id IN (${toPlaceholders(references)})`
  const rows = await readAll(store, {
    sql,
    values: [...owners.keys()],
    columns: columnsOf('captures', 'id', 'content'),
  })
  return new Map(
    rows.flatMap(row => {
      const reference = owners.get(row.id)
      if (reference === undefined) return []
      const content = requireValue(row.content, 'content')
      return [[reference.capture_id, decryptFindings<Findings>(key, reference, content)] as const]
    }),
  )
}

const decryptFindings = <Findings>(key: Uint8Array, reference: CaptureReference, content: Uint8Array): Findings => {
  try {
    return decodeJsonWithBytes(decrypt(key, findingsAad(reference), content)) as Findings
  } catch (cause) {
    if (cause instanceof DecryptionError)
      throw new UnreadableCaptureError(`the findings in capture ${reference.capture_id} cannot be decrypted`, { cause })
    throw cause
  }
}

/** Deletes a transaction's findings, once its analysis has used them. */
export const deleteFindings = (transactionId: string): Statement => ({
  sql: 'DELETE FROM captures WHERE transaction_id = ? AND kind = ?',
  values: [transactionId, findingsKind],
})
