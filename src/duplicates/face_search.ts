import { computeSearchLimit, type FaceTemplate, type StrangerDistances } from '@attestor/rules'
import { readAll, readFirst, type Statement, type Store } from 'durable-xstate-sql'
import { type RowOf, toPlaceholders } from 'durable-xstate-sql/sql'
import { LRUCache } from 'lru-cache'
import { decrypt, encrypt, type ServiceKeys } from '../base/encryption.ts'
import { decryptColumn } from '../database/root_columns.ts'
import { columnsOf } from '../database/schema.ts'
import type { ComparedRow } from '../verification/transactions/deps.ts'
import { createFaceIndex, type FaceIndex, measureIndexBytes, quantise } from './face_index.ts'

export interface FaceSearchOptions {
  readonly store: Store
  readonly serviceKeys: ServiceKeys
  /** Limit for all accounts together: those that were searched last stay in memory. */
  readonly maxBytes: number
}

/** An enrolled face near to one that is searched, and the transaction that enrolled it. */
interface FoundFace {
  readonly customer_id: string
  readonly transaction_id: string
  readonly distance: number
}

interface FaceSearchResult {
  /** Those up to `limit`, the nearest first. */
  readonly found: readonly FoundFace[]
  readonly faces_searched: number
  readonly limit: number
  readonly nearest: number | null
}

/** Searches the enrolled faces of an account that has it switched on. */
export interface FaceSearch {
  /** Null where the account does not search, or has more faces than fit into memory. */
  find(owner: ComparedRow, template: FaceTemplate, strangers: StrangerDistances): Promise<FaceSearchResult | null>
  /** Makes a face searchable, after the statement that enrols it; none where the account does not search. */
  prepareEnrolment(owner: ComparedRow, template: FaceTemplate): Promise<readonly Statement[]>
}

const accountColumns = columnsOf('face_searches', 'id', 'generation', 'data_key', 'sequence')
const vectorColumns = columnsOf('face_vectors', 'customer_id', 'sequence', 'model', 'vector')
const customerColumns = columnsOf('customers', 'id', 'face_transaction_id')

type AccountRow = RowOf<typeof accountColumns>

/** A loaded account: its faces as of `sequence`. */
interface LoadedAccount {
  readonly generation: string
  readonly model: string
  readonly key: Buffer
  readonly index: FaceIndex
  sequence: number
}

const pageRows = 1000

function vectorAad(customer_id: string): string {
  return `face_vectors/${customer_id}/vector`
}

function toVector(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

async function readAccount(store: Store, account_id: string): Promise<AccountRow | null> {
  const sql = 'SELECT id, generation, data_key, sequence FROM face_searches WHERE id = ?'
  return readFirst(store, { sql, values: [account_id], columns: accountColumns })
}

/** Reads the changes since the last search; all faces at the first. */
async function readChanges(store: Store, account: AccountRow, loaded: LoadedAccount): Promise<void> {
  const sql = `SELECT customer_id, sequence, model, vector FROM face_vectors WHERE account_id = ? AND sequence > ?
    ORDER BY account_id, sequence LIMIT ${pageRows}`
  // A face that is enrolled again while all are read is read twice.
  const onceUntil = loaded.sequence < 0 ? account.sequence : loaded.sequence
  for (;;) {
    const rows = await readAll(store, { sql, values: [account.id, loaded.sequence], columns: vectorColumns })
    for (const { customer_id, model, vector, sequence } of rows) {
      if (sequence > onceUntil) loaded.index.remove(customer_id)
      if (vector !== null && model === loaded.model)
        loaded.index.add(customer_id, toVector(decrypt(loaded.key, vectorAad(customer_id), vector)))
      loaded.sequence = sequence
    }
    if (rows.length < pageRows) return
  }
}

/** Whether an account's faces fit into memory. Counted before they are read. */
async function fits({ store, maxBytes }: FaceSearchOptions, account_id: string, length: number): Promise<boolean> {
  const sql = 'SELECT COUNT(*) AS n FROM face_vectors WHERE account_id = ?'
  const row = await readFirst(store, { sql, values: [account_id], columns: { n: 'count' } })
  return measureIndexBytes(row?.n ?? 0, length) <= maxBytes
}

/** An erasure since the last look, of this moment on another node too, has taken the customer's face. */
async function keepEnrolled(
  store: Store,
  account_id: string,
  near: readonly { readonly customer_id: string; readonly distance: number }[],
): Promise<readonly FoundFace[]> {
  if (near.length === 0) return []
  const rows = await readAll(store, {
    sql: `SELECT id, face_transaction_id FROM customers WHERE account_id = ? AND face IS NOT NULL
      AND id IN (${toPlaceholders(near)})`,
    values: [account_id, ...near.map(({ customer_id }) => customer_id)],
    columns: customerColumns,
  })
  const enrolled = new Map(rows.map(row => [row.id, row.face_transaction_id]))
  return near.flatMap(({ customer_id, distance }) => {
    const transaction_id = enrolled.get(customer_id) ?? null
    return transaction_id === null ? [] : [{ customer_id, transaction_id, distance }]
  })
}

export function openFaceSearch(options: FaceSearchOptions): FaceSearch {
  const { store, serviceKeys, maxBytes } = options
  const accounts = new LRUCache<string, LoadedAccount>({
    maxSize: maxBytes,
    sizeCalculation: ({ index }) => Math.max(1, index.bytes()),
  })
  /** The last search of each account. An index does not change while it is searched. */
  const running = new Map<string, Promise<unknown>>()

  const load = async (account: AccountRow, model: string, length: number): Promise<LoadedAccount | null> => {
    const { id, generation } = account
    const known = accounts.get(id)
    const isKnown = known?.generation === generation && known.model === model
    if (!isKnown) accounts.delete(id)
    if (!isKnown && !(await fits(options, id, length))) return null
    const key = decryptColumn(serviceKeys, 'face_searches', id, account.data_key)
    const loaded = isKnown ? known : { generation, model, key, index: createFaceIndex(length), sequence: -1 }
    if (loaded.sequence !== account.sequence) {
      await readChanges(store, account, loaded)
      accounts.set(id, loaded)
    }
    return loaded
  }

  const search = async (
    { account_id, customer_id }: ComparedRow,
    { model, values }: FaceTemplate,
    strangers: StrangerDistances,
  ): Promise<FaceSearchResult | null> => {
    const account = await readAccount(store, account_id)
    if (account === null) {
      accounts.delete(account_id)
      return null
    }
    const loaded = await load(account, model, values.length)
    if (loaded === null) return null
    const faces_searched = loaded.index.size()
    const limit = computeSearchLimit(strangers, faces_searched)
    const near = await loaded.index.search(quantise(values), customer_id, limit)
    const found = await keepEnrolled(store, account_id, near)
    const nearest = found[0]?.distance ?? null
    return { found: found.filter(({ distance }) => distance <= limit), faces_searched, limit, nearest }
  }

  return {
    find(owner, template, strangers) {
      const { account_id } = owner
      const before = running.get(account_id) ?? Promise.resolve()
      const next = before.catch(() => {}).then(() => search(owner, template, strangers))
      running.set(account_id, next)
      const forget = (): void => {
        if (running.get(account_id) === next) running.delete(account_id)
      }
      next.then(forget, forget)
      return next
    },
    async prepareEnrolment({ id, account_id, customer_id }, { model, values }) {
      const account = await readAccount(store, account_id)
      if (account === null) return []
      const key = decryptColumn(serviceKeys, 'face_searches', account_id, account.data_key)
      const vector = encrypt(key, vectorAad(customer_id), new Uint8Array(quantise(values).buffer))
      const isEnrolled = 'EXISTS (SELECT 1 FROM customers c WHERE c.id = ? AND c.face_transaction_id = ?)'
      const enrolled = [customer_id, id]
      return [
        {
          sql: `UPDATE face_searches SET sequence = sequence + 1 WHERE id = ? AND generation = ? AND ${isEnrolled}`,
          values: [account_id, account.generation, ...enrolled],
        },
        { sql: `DELETE FROM face_vectors WHERE customer_id = ? AND ${isEnrolled}`, values: [customer_id, ...enrolled] },
        {
          sql: `INSERT INTO face_vectors (customer_id, account_id, sequence, model, vector)
            SELECT c.id, s.id, s.sequence, ?, ? FROM customers c JOIN face_searches s ON s.id = c.account_id
            WHERE c.id = ? AND c.face_transaction_id = ? AND s.generation = ?`,
          values: [model, vector, ...enrolled, account.generation],
        },
      ]
    },
  }
}
