import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { DecryptionError, decrypt, deriveKey, encrypt } from '../base/encryption.ts'
import { columnsOf } from '../database/schema.ts'
import { listOf, type RowOf } from '../durable/store/columns.ts'
import { finds } from '../durable/store/statement.ts'
import { readAll, readFirst } from '../durable/store/store.ts'
import type { TransactionJournalEvent } from './actor.ts'
import type { Caller, TransactionDeps } from './deps.ts'
import { findTransaction, openDataKey } from './rows.ts'

/** An image of a transaction, without the image. */
export interface ListedCapture {
  readonly id: string
  readonly kind: string
  readonly media_type: string
  readonly byte_count: number
  readonly created_at: string
}

const columns = columnsOf('captures', 'id', 'kind', 'media_type', 'byte_count', 'digest', 'created_at')

type CaptureRow = RowOf<typeof columns>

const toListedCapture = (row: CaptureRow): ListedCapture => ({
  id: row.id,
  kind: row.kind,
  media_type: row.media_type,
  byte_count: row.byte_count,
  created_at: isoTimestamp(row.created_at),
})

const selectImages = `SELECT ${listOf(columns)} FROM captures
  WHERE transaction_id = ? AND kind NOT IN ('facts', 'signals', 'imprints')`

/** The images that a transaction holds. @throws {ApiError} `not_found` */
export const listCaptures = async (
  deps: TransactionDeps,
  account_id: string,
  id: string,
): Promise<readonly ListedCapture[]> => {
  await findTransaction(deps, account_id, id)
  return (await readAll(deps.store, { sql: `${selectImages} ORDER BY created_at, id`, values: [id], columns })).map(toListedCapture)
}

/** What a link lets its holder do: read one image, until then, in the name of the client that asked for it. */
interface CaptureLink extends Caller {
  readonly transaction_id: string
  readonly capture_id: string
  readonly until: number
}

/** A link is handed to a person who looks at once. */
export const linkLifetimeMs = 5 * 60_000

const linkAad = 'capture_link'
const deriveLinkKey = (master: Uint8Array): Buffer => deriveKey(master, linkAad)

const findCapture = async (deps: TransactionDeps, transaction_id: string, capture_id: string): Promise<CaptureRow> => {
  const values = [transaction_id, capture_id]
  const row = await readFirst(deps.store, { sql: `${selectImages} AND id = ?`, values, columns })
  if (row === null) throw new ApiError('not_found', 'capture_id: not found')
  return row
}

/** Makes a link to one image: sealed, good for five minutes and for nothing else. @throws {ApiError} `not_found` */
export const createCaptureLink = async (
  deps: TransactionDeps,
  master: Uint8Array,
  caller: Caller,
  { transaction_id, capture_id }: Pick<CaptureLink, 'transaction_id' | 'capture_id'>,
): Promise<{ readonly link: string; readonly expires_at: string }> => {
  await findTransaction(deps, caller.account_id, transaction_id)
  await findCapture(deps, transaction_id, capture_id)
  const { account_id, client_id } = caller
  const until = deps.clock.now() + linkLifetimeMs
  const given: CaptureLink = { account_id, client_id, transaction_id, capture_id, until }
  const link = encrypt(deriveLinkKey(master), linkAad, JSON.stringify(given)).toString('base64url')
  return { link, expires_at: isoTimestamp(until) }
}

/** What a link is to. @throws {ApiError} `not_found` for one that we never gave, `gone` after its time */
export const readCaptureLink = (deps: TransactionDeps, master: Uint8Array, link: string): CaptureLink => {
  try {
    const opened = JSON.parse(
      decrypt(deriveLinkKey(master), linkAad, Buffer.from(link, 'base64url')).toString('utf8'),
    ) as CaptureLink
    if (deps.clock.now() < opened.until) return opened
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    throw new ApiError('not_found', 'link: not found')
  }
  throw new ApiError('gone', 'link: its time is over')
}

/** An image that is read. */
export interface ReadCapture extends Pick<ListedCapture, 'kind' | 'media_type'> {
  readonly content: Buffer
}

/** Each reading is an entry of the journal for good: it keeps its end, twice as far off as a device can push it. */
const maxJournalEntries = 4000

/**
 * Reads what a link is to. That it is read, by whom and when, is in the journal, and so in the timeline and the
 * evidence, before a byte of it leaves. `expect` is called with its size before it is read, and may refuse it.
 * @throws {ApiError} `not_found` where it was erased or removed meanwhile, `gone`
 * where the journal is full
 */
export const readLinkedCapture = async (
  deps: TransactionDeps,
  link: CaptureLink,
  expect: (byte_count: number) => void,
): Promise<ReadCapture> => {
  const { account_id, client_id, transaction_id, capture_id } = link
  const transaction = await findTransaction(deps, account_id, transaction_id)
  if (transaction.version >= maxJournalEntries) throw new ApiError('gone', 'link: images were read too often')
  const key = openDataKey(deps, transaction)
  const row = await findCapture(deps, transaction_id, capture_id)
  const kind = row.kind
  expect(row.byte_count)
  const reference = { capture_id, digest: row.digest }
  const content = (await deps.captures.read(key, [reference]))(reference)
  const event: TransactionJournalEvent = { type: 'CAPTURE_READ', by: 'integrator', client_id, capture_id, kind }
  await deps.store.commit(function* () {
    yield* deps.host.appendToJournal(deps.definition, transaction_id, event)
    // Under the transaction's lock now: an erasure that came while this was opened has taken the row away.
    if (!(yield* finds({ sql: 'SELECT id FROM captures WHERE id = ?', values: [capture_id] })))
      throw new ApiError('not_found', 'capture_id: not found')
  })
  return { kind, media_type: row.media_type, content }
}
