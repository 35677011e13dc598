import {
  type DocumentIdentity,
  type DocumentUses,
  type Duplicates,
  type FaceMatches,
  type FaceTemplate,
  identifyDocument,
  type SharedWithOthers,
  type StrangerDistances,
} from '@attestor/rules'
import { readAll, runLater, type Statement, type Unit } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import { unavailable } from '../base/api_error.ts'
import { hmac } from '../base/encryption.ts'
import { columnsOf, insert, replace } from '../database/schema.ts'
import { touchOwner } from '../identity/customers/touch_customer.ts'
import type { ComparedCase, ComparedRow, Comparison } from '../verification/transactions/deps.ts'
import { listHeldCaptures } from '../verification/transactions/held_captures.ts'
import type { FaceSearch } from './face_search.ts'
import { type CopyDeps, findCopies, insertCodes, type WantedCopies } from './picture_copies.ts'
import type { DuplicateKind } from './rows.ts'

export interface ComparisonDeps extends CopyDeps {
  /** HMAC key of the documents that customers show. */
  readonly documentKey: Uint8Array
  readonly faces: FaceSearch
  /** Counts a transaction that shares something with another customer's, for metrics. */
  readonly count: (kind: DuplicateKind) => void
}

/** A transaction of another customer that shares something. */
interface Sharer {
  readonly kind: DuplicateKind
  readonly transaction_id: string
  readonly customer_id: string
}

/** The matches: for the rules, and for the rows of `duplicates`. */
interface FoundDuplicates {
  readonly duplicates: Duplicates
  readonly sharers: readonly Sharer[]
}

/** The data to search for; null for nothing. */
interface DuplicateSearch {
  readonly document: DocumentIdentity | null
  /** The copies to search for, beside the same bytes; null to search for no picture. */
  readonly images: WantedCopies | 'bytes' | null
  readonly face: { readonly template: FaceTemplate; readonly strangers: StrangerDistances } | null
}

/** Counts end here, so that a search reads no more rows. */
const maxRead = 1000
/** Most transactions that a result and the rows of `duplicates` name, the newest first. */
const maxNamed = 10

const hourMs = 3_600_000

/** Includes the account, so that the HMACs of two accounts have nothing in common. */
function hashDocument({ documentKey }: ComparisonDeps, account_id: string, identity: DocumentIdentity): string {
  return hmac(documentKey, JSON.stringify([account_id, ...identity])).digest('base64url')
}

/**
 * Commits the use of a document before the others are read: when two transactions run at once, at least one finds the
 * other. A retried analysis may have read another number.
 */
function recordUse({ store }: ComparisonDeps, owner: ComparedRow, document: string, used_at: number): Promise<void> {
  const { id: transaction_id, account_id, customer_id } = owner
  return store.commit(function* (): Unit<void> {
    const isPresent = yield* touchOwner(store.dialect, customer_id, transaction_id)
    if (!isPresent) throw unavailable('the transaction is being erased')
    yield* runLater([replace('document_uses', { transaction_id, account_id, customer_id, document, used_at })])
  })
}

const useColumns = columnsOf('document_uses', 'transaction_id', 'customer_id', 'used_at')
const sharerColumns = columnsOf('document_uses', 'transaction_id', 'customer_id')

/** Selects uses by customers that are not erased. */
const selectUses = `SELECT u.transaction_id, u.customer_id, u.used_at FROM document_uses u
  JOIN customers c ON c.id = u.customer_id WHERE u.account_id = ? AND u.document = ?
  ORDER BY u.used_at DESC, u.transaction_id DESC LIMIT ${maxRead}`

/**
 * Selects other customers' pictures with the same bytes as one of the transaction's. They are in no order: sorting
 * would read them all.
 */
const selectImages = `SELECT o.transaction_id, t.customer_id, o.created_at FROM captures i
  JOIN captures o ON o.account_id = i.account_id AND o.digest = i.digest
  JOIN transactions t ON t.id = o.transaction_id JOIN customers c ON c.id = t.customer_id
  WHERE i.transaction_id = ? AND i.kind IN ('document_front', 'document_back', 'selfie', 'liveness')
    AND o.kind IN ('document_front', 'document_back', 'selfie', 'liveness')
    AND t.customer_id <> ? AND t.erasure_id IS NULL LIMIT ${maxRead}`

const imageColumns = { ...sharerColumns, ...columnsOf('captures', 'created_at') } as const

async function findImages(
  { store }: ComparisonDeps,
  owner: ComparedRow,
): Promise<readonly RowOf<typeof imageColumns>[]> {
  const rows = await readAll(store, { sql: selectImages, values: [owner.id, owner.customer_id], columns: imageColumns })
  return rows.toSorted((one, other) => other.created_at - one.created_at)
}

function toShared(rows: readonly RowOf<typeof sharerColumns>[]): SharedWithOthers {
  const ids = new Set(rows.map(({ transaction_id }) => transaction_id))
  return {
    customers: new Set(rows.map(({ customer_id }) => customer_id)).size,
    transaction_ids: [...ids].slice(0, maxNamed),
  }
}

async function findUses(
  deps: ComparisonDeps,
  owner: ComparedRow,
  identity: DocumentIdentity,
  now: number,
): Promise<{ readonly uses: DocumentUses; readonly others: readonly RowOf<typeof useColumns>[] }> {
  const document = hashDocument(deps, owner.account_id, identity)
  await recordUse(deps, owner, document, now)
  const rows = await readAll(deps.store, {
    sql: selectUses,
    values: [owner.account_id, document],
    columns: useColumns,
  })
  const others = rows.filter(({ customer_id }) => customer_id !== owner.customer_id)
  const countWithin = (hours: number): number => rows.filter(({ used_at }) => used_at > now - hours * hourMs).length
  const uses = {
    ...toShared(others),
    transactions_24_hours: countWithin(24),
    transactions_30_days: countWithin(30 * 24),
  }
  return { uses, others }
}

function toSharers(
  kind: DuplicateKind,
  rows: readonly RowOf<typeof sharerColumns>[],
  { transaction_ids }: SharedWithOthers,
): readonly Sharer[] {
  return transaction_ids.flatMap(id => {
    const row = rows.find(({ transaction_id }) => transaction_id === id)
    return row === undefined ? [] : [{ kind, transaction_id: id, customer_id: row.customer_id }]
  })
}

function round(distance: number): number {
  return Math.round(distance * 1000) / 1000
}

async function findFaces(
  { faces }: ComparisonDeps,
  owner: ComparedRow,
  face: DuplicateSearch['face'],
): Promise<{ readonly matches: FaceMatches; readonly sharers: readonly Sharer[] } | null> {
  const result = face === null ? null : await faces.find(owner, face.template, face.strangers)
  if (result === null) return null
  const { found, faces_searched, limit, nearest } = result
  const shared = toShared(found)
  return {
    matches: { ...shared, faces_searched, limit: round(limit), nearest: nearest === null ? null : round(nearest) },
    sharers: toSharers('face', found, shared),
  }
}

/** Finds the data that transactions of the account's other customers share with one; `now` is by its own clock. */
export async function findDuplicates(
  deps: ComparisonDeps,
  owner: ComparedRow,
  { document, images, face }: DuplicateSearch,
  now: number,
): Promise<FoundDuplicates> {
  const found = document === null ? null : await findUses(deps, owner, document, now)
  const rows =
    images === null
      ? null
      : [...(await findImages(deps, owner)), ...(images === 'bytes' ? [] : await findCopies(deps, owner, images))]
  const shared = rows === null ? null : toShared(rows)
  const faces = await findFaces(deps, owner, face)
  return {
    duplicates: { document: found?.uses ?? null, images: shared, face: faces?.matches ?? null },
    sharers: [
      ...(found === null ? [] : toSharers('document', found.others, found.uses)),
      ...(rows === null || shared === null ? [] : toSharers('image', rows, shared)),
      ...(faces?.sharers ?? []),
    ],
  }
}

/** Adds the matches to the lists of both customers. */
function insertDuplicates(
  { id, account_id, customer_id }: ComparedRow,
  sharers: readonly Sharer[],
  found_at: number,
): readonly Statement[] {
  if (sharers.length === 0) return []
  const rows = sharers.map(({ kind, transaction_id, customer_id: other_customer_id }) => ({
    transaction_id: id,
    kind,
    other_transaction_id: transaction_id,
    account_id,
    customer_id,
    other_customer_id,
    found_at,
  }))
  return [insert('duplicates', ...rows)]
}

/** Selects what the fraud policy asks for. */
function selectSearched({ context, config, findings, fingerprints, copies }: ComparedCase): DuplicateSearch {
  const { fraud_policy: policy, face_search } = config
  const showsDocument = context.transaction_type === 'DOCUMENT_AND_BIOMETRIC'
  const document =
    showsDocument && policy.on_document_of_another_customer !== 'IGNORE' ? identifyDocument(findings.document) : null
  const isLookedFor = policy.on_image_of_another_transaction !== 'IGNORE' && listHeldCaptures(context).length > 0
  const images = copies === null ? 'bytes' : { copies, fingerprints }
  const { template = null, strangers = null } = findings.face ?? {}
  const isSearched = face_search && policy.on_face_of_another_customer !== 'IGNORE'
  const face = isSearched && template !== null && strangers !== null ? { template, strangers } : null
  return { document, images: isLookedFor ? images : null, face }
}

export function createComparison(deps: ComparisonDeps): Comparison {
  return {
    async compare(of) {
      const { row, fingerprints, copies, now } = of
      const { duplicates, sharers } = await findDuplicates(deps, row, selectSearched(of), now)
      const { id: transaction_id, account_id } = row
      return {
        input: { duplicates },
        keep(decided_at) {
          for (const kind of new Set(sharers.map(sharer => sharer.kind))) deps.count(kind)
          return insertDuplicates(row, sharers, decided_at)
        },
        remember: id =>
          copies === null || duplicates.images === null
            ? []
            : insertCodes(deps, copies, { id, transaction_id, account_id }, fingerprints),
      }
    },
    enrol: async (row, { face_search, test }, template) =>
      face_search && test === null ? deps.faces.prepareEnrolment(row, template) : [],
  }
}
