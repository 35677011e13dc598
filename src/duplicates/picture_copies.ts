import type { ReplayFingerprint } from '@attestor/rules'
import type { PictureCode, PictureCopies } from '@attestor/vision'
import { readAll, type Statement } from 'durable-xstate-sql'
import { type Query, type RowOf, toPlaceholders } from 'durable-xstate-sql/sql'
import { LRUCache } from 'lru-cache'
import { hmac } from '../base/encryption.ts'
import { columnsOf, insert } from '../database/schema.ts'
import type { ComparedRow, TransactionDeps } from '../verification/transactions/deps.ts'

export interface CopyDeps extends Pick<TransactionDeps, 'store' | 'customerKey'> {
  readonly captures: Pick<TransactionDeps['captures'], 'decrypt'>
  /** HMAC key of the planes by which copies of pictures are found. */
  readonly pictureKey: Uint8Array
}

/** Planes of some accounts, for each picture key. */
const planes = new WeakMap<Uint8Array, LRUCache<string, Buffer>>()
const maxAccounts = 200

/** The account's own planes: the codes of two accounts have nothing in common. */
function findPlanes({ pictureKey }: CopyDeps, account_id: string, { planeBytes }: PictureCopies): Buffer {
  const ofKey = planes.get(pictureKey) ?? new LRUCache<string, Buffer>({ max: maxAccounts })
  planes.set(pictureKey, ofKey)
  const known = ofKey.get(account_id)
  if (known !== undefined) return known
  const parts = Array.from({ length: Math.ceil(planeBytes / 32) }, (_, n) =>
    hmac(pictureKey, `${account_id}/${n}`).digest(),
  )
  const drawn = Buffer.concat(parts)
  ofKey.set(account_id, drawn)
  return drawn
}

export function insertCodes(
  deps: CopyDeps,
  copies: PictureCopies,
  capture: { readonly id: string; readonly transaction_id: string; readonly account_id: string },
  fingerprints: readonly ReplayFingerprint[],
): readonly Statement[] {
  const { id: capture_id, transaction_id, account_id } = capture
  const drawn = findPlanes(deps, account_id, copies)
  const rows = fingerprints.map((fingerprint, position) => {
    const [band_0 = 0, band_1 = 0, band_2 = 0, band_3 = 0] = copies.code(fingerprint, drawn).bands
    return { capture_id, position, account_id, transaction_id, band_0, band_1, band_2, band_3 }
  })
  return rows.length === 0 ? [] : [insert('picture_codes', ...rows)]
}

const codeColumns = columnsOf('picture_codes', 'capture_id', 'position', 'band_0', 'band_1', 'band_2', 'band_3')

type CodeRow = RowOf<typeof codeColumns>

/** Codes of different pictures are alike in a band by chance: a few in some thousand. */
const maxRead = 200
const maxCompared = 20

const bands = ['band_0', 'band_1', 'band_2', 'band_3'] as const

function selectCodes(account_id: string, { copies }: PictureCode): Query<typeof codeColumns> {
  const selects = bands.map(
    (band, n) => `SELECT * FROM (SELECT capture_id, position, band_0, band_1, band_2, band_3 FROM picture_codes
      WHERE account_id = ? AND ${band} IN (${toPlaceholders(copies[n] ?? [])}) ORDER BY capture_id DESC LIMIT ${maxRead}) ${band}s`,
  )
  const values = bands.flatMap((_, n) => [account_id, ...(copies[n] ?? [])])
  return { sql: selects.join(' UNION '), values, columns: codeColumns }
}

/** The fingerprints to search for, and the engine's way to compare them. */
export interface WantedCopies {
  readonly copies: PictureCopies
  readonly fingerprints: readonly ReplayFingerprint[]
}

interface Candidate {
  readonly fingerprint: ReplayFingerprint
  readonly row: CodeRow
  readonly differentBits: number
}

/** Returns the likeliest candidates first. */
async function findCandidates(
  deps: CopyDeps,
  account_id: string,
  { copies, fingerprints }: WantedCopies,
): Promise<readonly Candidate[]> {
  const drawn = findPlanes(deps, account_id, copies)
  const found: Candidate[] = []
  for (const fingerprint of fingerprints) {
    const code = copies.code(fingerprint, drawn)
    for (const row of await readAll(deps.store, selectCodes(account_id, code))) {
      const kept = bands.map(band => row[band])
      found.push({ fingerprint, row, differentBits: copies.countDifferentBits(code.bands, kept) })
    }
  }
  return found
    .filter(({ differentBits }) => differentBits <= copies.maxDifferentBits)
    .sort((one, other) => one.differentBits - other.differentBits)
}

const copyColumns = {
  ...columnsOf('captures', 'id', 'content'),
  transaction_id: columnsOf('captures', 'transaction_id').transaction_id,
  ...columnsOf('transactions', 'customer_id'),
  ...columnsOf('customers', 'data_key'),
} as const

/** Transactions of the account's other customers with a copy of one of these pictures: encoded again, or changed a little. */
export async function findCopies(
  deps: CopyDeps,
  { account_id, customer_id }: ComparedRow,
  wanted: WantedCopies,
): Promise<readonly { readonly transaction_id: string; readonly customer_id: string }[]> {
  const candidates = await findCandidates(deps, account_id, wanted)
  const ids = [...new Set(candidates.map(({ row }) => row.capture_id))].slice(0, maxCompared)
  if (ids.length === 0) return []
  const rows = await readAll(deps.store, {
    sql: `SELECT c.id, c.content, c.transaction_id, t.customer_id, k.data_key FROM captures c
      JOIN transactions t ON t.id = c.transaction_id JOIN customers k ON k.id = t.customer_id
      WHERE c.id IN (${toPlaceholders(ids)}) AND t.customer_id <> ? AND t.erasure_id IS NULL
      ORDER BY c.created_at DESC, c.transaction_id DESC`,
    values: [...ids, customer_id],
    columns: copyColumns,
  })
  return rows.filter(({ id, content, ...other }) => {
    if (content === null) return false
    const key = deps.customerKey(other.customer_id, other.data_key)
    const kept = JSON.parse(deps.captures.decrypt(key, id, content).toString('utf8')) as ReplayFingerprint[]
    return candidates.some(({ fingerprint, row }) => {
      const copy = row.capture_id === id ? kept[row.position] : undefined
      return copy !== undefined && wanted.copies.areCopies(fingerprint, copy)
    })
  })
}
