import { type ActorState, run, runAll, type Statement, selectAll, selectFirst, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, listColumns, type Query, type RowOf } from 'durable-xstate-sql/sql'
import { newId } from '../../base/ids.ts'
import { columnsOf } from '../../database/schema.ts'
import { removeFeatureFace } from '../../features.ts'
import { computeFaceMac } from '../../identity/row_macs.ts'
import {
  deleteKeptResponses,
  type EmptiedRow,
  type ErasureContext,
  emptiedColumns,
  emptyTransaction,
  endTransaction,
} from './empty_transaction.ts'
import { type ErasureWork, hasObjects, maxCaptureBytesPerCommit, removeCaptures } from './erase_captures.ts'
import { addCounts, type ErasureCounts, type ErasureSubject, insertErasure, noCounts } from './receipts.ts'

/** `erased_by` is a client id, or `command_line`; `record` is committed with its beginning. */
export interface Erasure {
  readonly account_id: string
  readonly erased_by: string
  readonly subject_id: string
  readonly record?: CommitRecord
}

/** The outcome of the first commit of an erasure. */
interface BegunErasure {
  readonly counts: ErasureCounts
  readonly ended: readonly ActorState[]
}

/** Deletes a customer's row with its key; null if there is none. */
function* removeCustomer({ store }: ErasureContext, erasure: Erasure): Unit<BegunErasure | null> {
  const { account_id, subject_id } = erasure
  const sql = `SELECT face_transaction_id FROM customers WHERE id = ? AND account_id = ?${store.dialect.forUpdate}`
  const columns = columnsOf('customers', 'face_transaction_id')
  const customer = yield* selectFirst({ sql, values: [subject_id, account_id], columns })
  if (customer === null) return null
  // This deletes the key: nothing else that it encrypted, in backups for instance, can be decrypted afterwards.
  const removal: Statement = { sql: 'DELETE FROM customers WHERE id = ?', values: [subject_id] }
  const [, answers] = yield* runAll([
    removal,
    deleteKeptResponses(subject_id),
    ...removeFeatureFace(account_id, subject_id),
  ])
  const faces = customer.face_transaction_id === null ? 0 : 1
  return { counts: { ...noCounts, faces, answers: answers?.changed ?? 0 }, ended: [] }
}

const removedColumns = { ...emptiedColumns, ...columnsOf('transactions', 'customer_id') } as const

/** Selects the transaction if its customer exists. Otherwise the customer's erasure empties it. */
const selectTransaction = `SELECT ${listColumns(removedColumns)} FROM transactions
  WHERE id = ? AND account_id = ? AND erasure_id IS NULL
  AND (SELECT COUNT(*) FROM customers c WHERE c.id = transactions.customer_id) = 1`

/** Empties a transaction except for its captures, and deletes the face that it enrolled. */
function* removeTransaction(context: ErasureContext, erasure: Erasure, erasure_id: string): Unit<BegunErasure | null> {
  const { account_id, subject_id } = erasure
  const sql = selectTransaction + context.store.dialect.forUpdate
  const row = yield* selectFirst({ sql, values: [subject_id, account_id], columns: removedColumns })
  if (row === null) return null
  const ended = yield* endTransaction(context, row)
  const face_mac = computeFaceMac(context.rowKey, { id: row.customer_id, face: null, face_transaction_id: null })
  const deleteFace = `UPDATE customers SET face = NULL, face_transaction_id = NULL, face_mac = ?
    WHERE id = ? AND face_transaction_id = ?`
  const { changed: faces } = yield* run({ sql: deleteFace, values: [face_mac, row.customer_id, subject_id] })
  if (faces > 0) yield* runAll(removeFeatureFace(account_id, row.customer_id))
  const answers = yield* emptyTransaction(context, row, erasure_id)
  const counts = { ...noCounts, transactions: 1, cancelled: ended === null ? 0 : 1, faces, answers }
  return { counts, ended: ended === null ? [] : [ended] }
}

/** The first commit of an erasure. No call finds the subject afterwards. Resolves with its id; null if there is no such subject. */
export function beginErasure(
  context: ErasureContext,
  subject: ErasureSubject,
  erasure: Erasure,
): Promise<string | null> {
  return context.host.transaction(function* () {
    const { record, ...about } = erasure
    const erasure_id = newId()
    const begun =
      subject === 'customer'
        ? yield* removeCustomer(context, erasure)
        : yield* removeTransaction(context, erasure, erasure_id)
    if (begun === null) return { value: null, actors: [] }
    const { counts, ended } = begun
    yield* run(insertErasure({ ...about, erasure_id, subject, erased_at: context.clock.now(), counts }))
    if (record !== undefined) yield* record()
    return { value: erasure_id, actors: ended }
  })
}

/** A long commit would block others. */
const maxTransactionsPerCommit = 10

/** The last transaction that was emptied, newest first. */
interface ErasurePosition {
  readonly created_at: number
  readonly id: string
}

const erasureColumns = columnsOf('erasures', 'id', 'account_id', 'subject', 'subject_id', 'counts', 'reached')

type ErasureRow = RowOf<typeof erasureColumns>

function selectNext({ store: { dialect } }: ErasureContext, erasure: ErasureRow): Query<typeof emptiedColumns> {
  const ofCustomer = dialect.equals('customer_id', erasure.subject_id)
  const reached = erasure.reached === null ? null : (JSON.parse(erasure.reached) as ErasurePosition)
  const after = reached === null ? '' : 'AND created_at <= ? AND (created_at < ? OR id < ?)'
  // The newest first, because the open ones are among them.
  const sql = `SELECT ${listColumns(emptiedColumns)} FROM transactions
    WHERE ${ofCustomer.sql} AND account_id = ? AND erasure_id IS NULL ${after}
    ORDER BY customer_id DESC, created_at DESC, id DESC LIMIT ${maxTransactionsPerCommit}${dialect.forUpdate}`
  const from = reached === null ? [] : [reached.created_at, reached.created_at, reached.id]
  return { sql, values: [...ofCustomer.values, erasure.account_id, ...from], columns: emptiedColumns }
}

/** Empties the next transactions of a customer; returns the last of them, and whether there may be more. */
function* eraseNext(
  context: ErasureContext,
  erasure: ErasureRow,
  work: ErasureWork,
): Unit<{ reached: EmptiedRow | null; more: boolean }> {
  const rows = yield* selectAll(selectNext(context, erasure))
  let reached: EmptiedRow | null = null
  for (const row of rows) {
    const ended = yield* endTransaction(context, row)
    if (ended !== null) {
      work.counts = addCounts(work.counts, { cancelled: 1 })
      work.ended.push(ended)
    }
    if (!(yield* removeCaptures(work, row.id))) return { reached, more: true }
    const answers = yield* emptyTransaction(context, row, erasure.id)
    work.counts = addCounts(work.counts, { transactions: 1, answers })
    reached = row
  }
  return { reached, more: rows.length === maxTransactionsPerCommit }
}

const selectErasure = `SELECT ${listColumns(erasureColumns)} FROM erasures
  WHERE id = ? AND completed_at IS NULL`

/** The data that an erasure still has to delete: rows, or only objects whose rows are gone. */
export type ErasureRest = 'rows' | 'objects' | 'nothing'

/**
 * Commits the next part of an erasure; resolves with the rest. It stores its position, so that another process can
 * continue after any commit.
 */
export function continueErasure(context: ErasureContext, erasure_id: string): Promise<ErasureRest> {
  return context.host.transaction(function* () {
    const sql = selectErasure + context.store.dialect.forUpdate
    const erasure = yield* selectFirst({ sql, values: [erasure_id], columns: erasureColumns })
    if (erasure === null) return { value: 'nothing', actors: [] }
    const work: ErasureWork = {
      bytes_left: maxCaptureBytesPerCommit,
      counts: JSON.parse(erasure.counts) as ErasureCounts,
      ended: [],
    }
    const { reached, more } =
      erasure.subject === 'customer'
        ? yield* eraseNext(context, erasure, work)
        : { reached: null, more: !(yield* removeCaptures(work, erasure.subject_id)) }
    const rest = more ? 'rows' : (yield* hasObjects(erasure)) ? 'objects' : 'nothing'
    const position =
      reached === null
        ? erasure.reached
        : JSON.stringify({ created_at: reached.created_at, id: reached.id } satisfies ErasurePosition)
    yield* run({
      sql: 'UPDATE erasures SET counts = ?, reached = ?, completed_at = ? WHERE id = ? AND completed_at IS NULL',
      values: [JSON.stringify(work.counts), position, rest === 'nothing' ? context.clock.now() : null, erasure_id],
    })
    return { value: rest, actors: work.ended }
  })
}
