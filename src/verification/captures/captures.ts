import { readAll, type Statement, type Store } from 'durable-xstate-sql'
import { toPlaceholders } from 'durable-xstate-sql/sql'
import type { CaptureReference } from '../../../machines/transaction.ts'
import type { Clock } from '../../base/clock.ts'
import { DecryptionError, decrypt, encrypt } from '../../base/encryption.ts'
import { newId } from '../../base/ids.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import type { CaptureKind } from '../../database/words.ts'
import type { CaptureContents, StoredContent } from './contents.ts'
import { keyedDigests, prepareDigest } from './digest.ts'
import { decryptContent, encryptContent } from './encrypt_content.ts'
import {
  deleteFindings,
  deleteFindingsPart,
  type FindingsReference,
  type NewFindings,
  prepareFindings,
  readFindings,
} from './findings.ts'
import { type NewCapture, UnreadableCaptureError } from './new_capture.ts'

/** The stores of the captures' rows and of their contents. */
export interface CaptureStores {
  readonly store: Store
  readonly contents: CaptureContents
}

function contentAad(captureId: string): string {
  return `captures/${captureId}/content`
}

/** A capture that is ready for the commit that names it. */
export interface PreparedCapture extends Pick<StoredContent, 'usableUntil' | 'writes'> {
  readonly reference: CaptureReference
}

function prepareRow(
  clock: Clock,
  key: Uint8Array,
  { content, digest: row_digest, ...capture }: NewCapture,
  encrypted: { readonly id: string; readonly content: Buffer | null },
): { readonly reference: CaptureReference; readonly insertion: Statement } {
  const [digest, contentSha256] = keyedDigests(key, content)
  const row = {
    ...capture,
    ...encrypted,
    digest: row_digest === 'KEYED' ? digest : contentSha256,
    byte_count: content.length,
    created_at: clock.now(),
  }
  return { reference: { capture_id: encrypted.id, digest }, insertion: insert('captures', row) }
}

/**
 * Encrypts a small capture with its customer's key, to be stored in the database. The caller commits the returned
 * statement.
 */
function encryptCapture(
  clock: Clock,
  key: Uint8Array,
  capture: NewCapture,
): { readonly reference: CaptureReference; readonly insertion: Statement } {
  const id = newId()
  return prepareRow(clock, key, capture, { id, content: encrypt(key, contentAad(id), capture.content) })
}

/** The JSON that a device reported is small: it is stored in the row and read with it. */
function isSmall({ media_type }: NewCapture): boolean {
  return media_type === 'application/json'
}

/** Encrypts a capture with its customer's key, and stores its content. @throws {ApiError} `unavailable` */
async function prepareCapture(
  clock: Clock,
  contents: CaptureContents,
  key: Uint8Array,
  capture: NewCapture,
): Promise<PreparedCapture> {
  if (isSmall(capture)) {
    const { reference, insertion } = encryptCapture(clock, key, capture)
    return { reference, writes: [insertion], usableUntil: null }
  }
  const id = newId()
  const { account_id, transaction_id, content } = capture
  await prepareDigest(content)
  const encrypt = () => encryptContent(key, contentAad(id), content)
  const stored = await contents.put({ id, account_id, transaction_id }, { size: content.length, encrypt })
  const { reference, insertion } = prepareRow(clock, key, capture, { id, content: stored.content })
  return { reference, writes: [...stored.writes, insertion], usableUntil: stored.usableUntil }
}

/** Resolves with a function that returns the content, or throws if it is not the one that the reference names. */
async function decryptCapture(
  key: Uint8Array,
  captureId: string,
  encrypted: Uint8Array | undefined,
): Promise<(digest: string) => Buffer> {
  const fail = (message: string, options?: ErrorOptions) => () => {
    throw new UnreadableCaptureError(`capture ${captureId} ${message}`, options)
  }
  if (encrypted === undefined) return fail('is missing')
  try {
    const content = await decryptContent(key, contentAad(captureId), encrypted)
    await prepareDigest(content)
    const digests = keyedDigests(key, content)
    return digest => (digests.includes(digest) ? content : fail('does not match its digest')())
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause
    return fail('cannot be decrypted', { cause })
  }
}

/** Decrypts contents one after another. */
async function decryptCaptures(
  key: Uint8Array,
  ids: readonly string[],
  found: ReadonlyMap<string, Uint8Array>,
): Promise<ReadContent> {
  const opened = new Map<string, (digest: string) => Buffer>()
  for (const id of ids) opened.set(id, await decryptCapture(key, id, found.get(id)))
  return ({ capture_id, digest }) => {
    const content = opened.get(capture_id)
    if (content === undefined) throw new UnreadableCaptureError(`capture ${capture_id} is missing`)
    return content(digest)
  }
}

/** Returns the content of one of the captures that were read. @throws {UnreadableCaptureError} */
export type ReadContent = (reference: CaptureReference) => Buffer

const contentColumns = columnsOf('captures', 'id', 'byte_count', 'content')

/** Reads captures, their rows in one round trip. @throws {ApiError} `unavailable` where their contents can't be read now */
async function readCaptures(
  { store, contents }: CaptureStores,
  key: Uint8Array,
  references: readonly CaptureReference[],
): Promise<ReadContent> {
  const marks = toPlaceholders(references)
  const values = references.map(({ capture_id }) => capture_id)
  const sql = `SELECT id, byte_count, content FROM captures WHERE id IN (${marks})`
  const rows = references.length === 0 ? [] : await readAll(store, { sql, values, columns: contentColumns })
  return decryptCaptures(key, values, await contents.get(rows))
}

/** The newest captures of a kind in a customer's other transactions. */
export interface EarlierCaptures {
  readonly customer_id: string
  readonly transaction_id: string
  readonly kind: CaptureKind
  readonly limit: number
}

const earlierColumns = { ...contentColumns, ...columnsOf('captures', 'digest') } as const

/** Reads and decrypts them in one query, so that nothing is removed in between. @throws {UnreadableCaptureError} */
async function readEarlierCaptures(
  { store, contents }: CaptureStores,
  key: Uint8Array,
  { customer_id, transaction_id, kind, limit }: EarlierCaptures,
): Promise<readonly Buffer[]> {
  const sql = `SELECT c.id, c.byte_count, c.digest, c.content FROM transactions t JOIN captures c ON c.transaction_id = t.id
    WHERE t.customer_id = ? AND t.id <> ? AND c.kind = ? ORDER BY c.created_at DESC, c.id LIMIT ${limit}`
  const values = [customer_id, transaction_id, kind]
  const rows = await readAll(store, { sql, values, columns: earlierColumns })
  const ids = rows.map(({ id }) => id)
  const getContent = await decryptCaptures(key, ids, await contents.get(rows))
  return rows.map(({ id, digest }) => getContent({ capture_id: id, digest }))
}

export type Captures = ReturnType<typeof openCaptures>

export function openCaptures(stores: CaptureStores, clock: Clock) {
  return {
    /** Encrypts a small capture, which is stored in the database. */
    encrypt: (key: Uint8Array, capture: NewCapture) => encryptCapture(clock, key, capture),
    prepare: (key: Uint8Array, capture: NewCapture) => prepareCapture(clock, stores.contents, key, capture),
    /** The content of a small capture, as its row has it. @throws {DecryptionError} */
    decrypt: (key: Uint8Array, captureId: string, content: Uint8Array) => decrypt(key, contentAad(captureId), content),
    read: (key: Uint8Array, references: readonly CaptureReference[]) => readCaptures(stores, key, references),
    readEarlier: (key: Uint8Array, which: EarlierCaptures) => readEarlierCaptures(stores, key, which),
    prepareFindings: (key: Uint8Array, findings: NewFindings) => prepareFindings(clock, key, findings),
    readFindings: <Findings>(key: Uint8Array, references: readonly FindingsReference[]) =>
      readFindings<Findings>(stores.store, key, references),
    deleteFindings,
    deleteFindingsPart,
    collect: stores.contents.collect,
    isAvailable: stores.contents.isAvailable,
  }
}
