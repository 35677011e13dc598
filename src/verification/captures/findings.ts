import { createHash } from 'node:crypto'
import { decodeJsonWithBytes, encodeJsonWithBytes } from '@attestor/vision'
import { readAll, type Statement, type Store } from 'durable-xstate-sql'
import { requireValue, toPlaceholders } from 'durable-xstate-sql/sql'
import type { CaptureReference } from '../../../machines/transaction.ts'
import { releaseBuffer } from '../../base/bytes.ts'
import type { Clock } from '../../base/clock.ts'
import { DecryptionError, decrypt, encryptAll } from '../../base/encryption.ts'
import { deriveId } from '../../base/ids.ts'
import { columnsOf, replace } from '../../database/schema.ts'
import type { CaptureKind } from '../../database/words.ts'
import { keyedDigest } from './digest.ts'
import { type NewCapture, UnreadableCaptureError } from './new_capture.ts'

const findingsKind: CaptureKind = 'findings'

/** The findings in a capture are stored apart by the requests that need them: most are needed by the last ones only. */
export const findingsParts = ['capture', 'analysis'] as const

/** The part beside them holds the value of an engine's findings to the person. */
const adviceParts = ['advice'] as const

type FindingsPart = (typeof findingsParts | typeof adviceParts)[number]

/** A part of the findings in a capture. */
export interface FindingsReference {
  readonly reference: CaptureReference
  readonly part: FindingsPart
}

function toRowId(captureId: string, part: FindingsPart): string {
  return deriveId(captureId, `${findingsKind}/${part}`)
}

/** The rows of the findings in a capture. No snapshot names them: they are found by the capture's id, and deleted with it. */
export function listFindingsIds(captureId: string): readonly string[] {
  return [...findingsParts, ...adviceParts].map(part => toRowId(captureId, part))
}

/** Deletes findings of a part. */
export function deleteFindingsPart({ reference, part }: FindingsReference): Statement {
  return { sql: 'DELETE FROM captures WHERE id = ?', values: [toRowId(reference.capture_id, part)] }
}

/** Binds findings to the image that they were made of. */
function findingsAad({ reference: { capture_id, digest }, part }: FindingsReference): string {
  return `captures/${capture_id}/findings/${part}/${digest}`
}

/** Findings in a capture, which replace earlier ones of the same part. */
export interface NewFindings extends FindingsReference, Pick<NewCapture, 'account_id' | 'transaction_id'> {
  /** JSON, with bytes in it. */
  readonly findings: unknown
}

/** Findings that are encrypted, for the commit that stores them. */
export interface PreparedFindings {
  readonly writes: readonly Statement[]
  /** Frees their memory, after the commit. */
  release(): void
}

export function prepareFindings(
  clock: Clock,
  key: Uint8Array,
  { reference, part, findings, ...owner }: NewFindings,
): PreparedFindings {
  const id = toRowId(reference.capture_id, part)
  const plain = encodeJsonWithBytes(findings)
  const hash = createHash('sha256')
  for (const piece of plain) hash.update(piece)
  const content = encryptAll(key, findingsAad({ reference, part }), plain)
  const row = {
    ...owner,
    id,
    kind: findingsKind,
    media_type: 'application/octet-stream',
    digest: keyedDigest(key, hash.digest('hex')),
    byte_count: plain.reduce((size, { length }) => size + length, 0),
    content,
    created_at: clock.now(),
  }
  return {
    writes: [replace('captures', row)],
    release: () => releaseBuffer(content),
  }
}

/** Reads findings in captures, in one round trip. @throws {UnreadableCaptureError} */
export async function readFindings<Findings>(
  store: Store,
  key: Uint8Array,
  references: readonly FindingsReference[],
): Promise<readonly (FindingsReference & { readonly findings: Findings })[]> {
  if (references.length === 0) return []
  const named = new Map(references.map(one => [toRowId(one.reference.capture_id, one.part), one]))
  const sql = `SELECT id, content FROM captures WHERE id IN (${toPlaceholders(references)})`
  const rows = await readAll(store, {
    sql,
    values: [...named.keys()],
    columns: columnsOf('captures', 'id', 'content'),
  })
  return rows.flatMap(row => {
    const one = named.get(row.id)
    if (one === undefined) return []
    const content = requireValue(row.content, 'content')
    const findings = decryptFindings<Findings>(key, one, content)
    releaseBuffer(content)
    return [{ ...one, findings }]
  })
}

function decryptFindings<Findings>(key: Uint8Array, one: FindingsReference, content: Uint8Array): Findings {
  try {
    return decodeJsonWithBytes(decrypt(key, findingsAad(one), content)) as Findings
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause
    const message = `the findings in capture ${one.reference.capture_id} cannot be decrypted`
    throw new UnreadableCaptureError(message, { cause })
  }
}

/** Deletes a transaction's findings, once its analysis has used them. */
export function deleteFindings(transactionId: string): Statement {
  return {
    sql: 'DELETE FROM captures WHERE transaction_id = ? AND kind = ?',
    values: [transactionId, findingsKind],
  }
}
