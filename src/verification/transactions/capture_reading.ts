import { readAll, readFirst } from 'durable-xstate-sql'
import { type CommitRecord, findsRow, listColumns, type RowOf, recordNothing, wordOf } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { DecryptionError, decryptWithRoot, encryptWithRoot, type ServiceKeys } from '../../base/encryption.ts'
import { columnsOf } from '../../database/schema.ts'
import { type FeatureKind, featureStepOf } from '../../features.ts'
import type { TransactionJournalEvent } from './actor.ts'
import type { Caller, TransactionDeps } from './deps.ts'
import { findTransaction, openCaptureKey, type TransactionRow } from './rows.ts'
import type { CaptureKind } from './steps.ts'

const pictureKinds = ['document_front', 'document_back', 'selfie', 'liveness'] as const

const columns = {
  ...columnsOf('captures', 'id', 'media_type', 'byte_count', 'digest', 'created_at'),
  // Only these are selected.
  kind: wordOf<(typeof pictureKinds)[number] | FeatureKind>(),
} as const

type CaptureRow = RowOf<typeof columns>

/** Returns the name that the step has in the session. */
function nameKind({ kind }: CaptureRow): CaptureKind {
  const isPicture = (kind: CaptureRow['kind']): kind is (typeof pictureKinds)[number] =>
    pictureKinds.some(picture => picture === kind)
  return isPicture(kind) ? kind : featureStepOf[kind]
}

function toListedCapture(row: CaptureRow) {
  return {
    id: row.id,
    kind: nameKind(row),
    media_type: row.media_type,
    byte_count: row.byte_count,
    created_at: isoTimestamp(row.created_at),
  }
}

export type ListedCapture = ReturnType<typeof toListedCapture>

const selectImages = `SELECT ${listColumns(columns)} FROM captures
  WHERE transaction_id = ? AND kind IN (${[...pictureKinds, ...Object.keys(featureStepOf)].map(kind => `'${kind}'`).join(', ')})`

/**
 * Lists the captures; none for a transaction that proves an age, even while they exist. @throws {ApiError} `not_found`
 */
export async function listCaptures(
  deps: TransactionDeps,
  account_id: string,
  id: string,
): Promise<readonly ListedCapture[]> {
  if ((await findTransaction(deps, account_id, id)).transaction_type === 'AGE') return []
  return (await readAll(deps.store, { sql: `${selectImages} ORDER BY created_at, id`, values: [id], columns })).map(
    toListedCapture,
  )
}

/** A link lets its holder read one image until then, in the name of the client that requested it. */
interface CaptureLink extends Caller {
  readonly transaction_id: string
  readonly capture_id: string
  readonly until: number
}

/** A person opens the link at once. */
const linkLifetimeMs = 5 * 60_000

const linkPurpose = 'capture_link'

async function findCapture(
  deps: TransactionDeps,
  { id, transaction_type }: Pick<TransactionRow, 'id' | 'transaction_type'>,
  capture_id: string,
): Promise<CaptureRow> {
  const row = await readFirst(deps.store, { sql: `${selectImages} AND id = ?`, values: [id, capture_id], columns })
  if (row === null || transaction_type === 'AGE') throw new ApiError('not_found', 'capture_id: not found')
  return row
}

/** Creates an encrypted link to one image, valid for five minutes. @throws {ApiError} `not_found` */
export async function createCaptureLink(
  deps: TransactionDeps,
  serviceKeys: ServiceKeys,
  caller: Caller,
  { transaction_id, capture_id }: Pick<CaptureLink, 'transaction_id' | 'capture_id'>,
): Promise<{ readonly link: string; readonly expires_at: string }> {
  await findCapture(deps, await findTransaction(deps, caller.account_id, transaction_id), capture_id)
  const { account_id, client_id } = caller
  const until = deps.clock.now() + linkLifetimeMs
  const content: CaptureLink = { account_id, client_id, transaction_id, capture_id, until }
  const link = encryptWithRoot(serviceKeys, linkPurpose, linkPurpose, JSON.stringify(content)).toString('base64url')
  return { link, expires_at: isoTimestamp(until) }
}

/** Decrypts a link. @throws {ApiError} `not_found` for one that this service never created, `gone` for an expired one */
export function readCaptureLink(deps: TransactionDeps, serviceKeys: ServiceKeys, link: string): CaptureLink {
  try {
    const opened = JSON.parse(
      decryptWithRoot(serviceKeys, linkPurpose, linkPurpose, Buffer.from(link, 'base64url')).toString('utf8'),
    ) as CaptureLink
    if (deps.clock.now() < opened.until) return opened
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    throw new ApiError('not_found', 'link: not found')
  }
  throw new ApiError('gone', 'link: has expired')
}

export interface ReadCapture extends Pick<ListedCapture, 'kind' | 'media_type'> {
  readonly content: Buffer
}

/** Each read adds a journal entry for good, so it needs a bound: twice the one for devices. */
const maxJournalEntries = 4000

/** A request to read an image: its transaction, and the event that the journal records. */
export interface CaptureReading {
  readonly account_id: string
  readonly transaction_id: string
  readonly capture_id: string
  readonly createEvent: (kind: CaptureKind) => TransactionJournalEvent
  /** Further statements that are committed with the journal's entry. */
  readonly record?: CommitRecord
}

/**
 * Reads an image. The journal records who reads it, and when, before a byte leaves; so the timeline and the evidence have
 * it. `expect` gets the size before the image is read, and may throw.
 * @throws {ApiError} `not_found` if the image was erased or removed, `gone` if it was read too often
 */
export async function readCapture(
  deps: TransactionDeps,
  { account_id, transaction_id, capture_id, createEvent, record = recordNothing }: CaptureReading,
  expect: (byte_count: number) => void,
): Promise<ReadCapture> {
  const transaction = await findTransaction(deps, account_id, transaction_id)
  if (transaction.version >= maxJournalEntries) throw new ApiError('gone', 'capture: images were read too often')
  const key = openCaptureKey(deps, transaction)
  const row = await findCapture(deps, transaction, capture_id)
  const kind = nameKind(row)
  expect(row.byte_count)
  const reference = { capture_id, digest: row.digest }
  const content = (await deps.captures.read(key, [reference]))(reference)
  await deps.store.commit(function* () {
    yield* deps.host.appendToJournal(deps.definition, transaction_id, createEvent(kind))
    // The journal entry locked the transaction. An erasure may have deleted the capture before that.
    if (!(yield* findsRow({ sql: 'SELECT id FROM captures WHERE id = ?', values: [capture_id] })))
      throw new ApiError('not_found', 'capture_id: not found')
    yield* record()
  })
  return { kind, media_type: row.media_type, content }
}

/** Reads the image of a link, in the name of the client that requested it. @throws {ApiError} as `readCapture` */
export function readLinkedCapture(
  deps: TransactionDeps,
  { client_id, ...capture }: CaptureLink & Pick<CaptureReading, 'record'>,
  expect: (byte_count: number) => void,
): Promise<ReadCapture> {
  const { capture_id } = capture
  const createEvent = (kind: CaptureKind) =>
    ({ type: 'CAPTURE_READ', by: 'integrator', client_id, capture_id, kind }) as const
  return readCapture(deps, { ...capture, createEvent }, expect)
}
