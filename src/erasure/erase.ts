import type { TransactionEvent } from '../../machines/transaction.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import { Refusal } from '../base/refusal.ts'
import type { Host } from '../host/host.ts'
import type { ActorState } from '../host/kind.ts'
import { columnsOf, listOf, type RowOf } from '../store/columns.ts'
import { all, first, run, runAll, type Statement, type Unit } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import type { TransactionKind } from '../transactions/actor.ts'
import type { TransactionConfig } from '../transactions/config.ts'
import { isTerminal } from '../transactions/kind.ts'
import { type ErasureReceipt, type ErasureSubject, insertErasure, receiptFor } from './receipts.ts'

/** What the functions of this room work with. */
export interface ErasureRoom {
  readonly store: Store
  readonly clock: Clock
  readonly host: Host
  /** The transactions' kind. */
  readonly kind: TransactionKind
}

/** What is to be erased, and who wants it: a client, or `command_line`. */
export interface Erasure {
  readonly account_id: string
  readonly erased_by: string
  readonly subject_id: string
}

const transaction_columns = columnsOf('transactions', 'id', 'status', 'config')

type ErasedRow = RowOf<typeof transaction_columns>

/** Deliveries that are still to be made need the receiver's address and nothing else. */
const leftOfConfig = (row: ErasedRow, has_deliveries: boolean): string => {
  const { webhook } = JSON.parse(row.config) as TransactionConfig
  return JSON.stringify({ webhook: has_deliveries ? webhook : null })
}

/**
 * Empties a transaction under its lock: an open one ends first, in the same commit. Its row, its journal and what its
 * integrator is still to be told stay, as nothing in them is personal; no call finds the row by its id any more.
 */
function* eraseTransaction({ host, kind }: ErasureRoom, row: ErasedRow, erasure_id: string): Unit<Emptied> {
  const id = row.id
  const cancel: TransactionEvent = { type: 'CANCEL', by: 'erasure' }
  const ended = isTerminal(row.status) ? null : yield* host.sendWithin(kind, id, cancel)
  yield* host.noteWithin(kind, id, { type: 'ERASE', by: 'erasure', erasure_id })
  const [deliveries, captures, answers] = yield* runAll([
    {
      sql: 'SELECT u.id FROM due u JOIN deliveries d ON d.id = u.actor_id WHERE d.transaction_id = ? LIMIT 1',
      values: [id],
    },
    { sql: 'DELETE FROM captures WHERE transaction_id = ?', values: [id] },
    forgetAnswers(id),
    {
      // What a receiver answered may name somebody.
      sql: `UPDATE delivery_attempts SET answer = NULL, error = NULL
        WHERE delivery_id IN (SELECT id FROM deliveries WHERE transaction_id = ?)`,
      values: [id],
    },
  ])
  yield* run({
    sql: `UPDATE transactions SET expected_data = NULL, result = NULL, trace = NULL, reference = NULL,
      sealed_reference = NULL, config = ?, erasure_id = ? WHERE id = ?`,
    values: [leftOfConfig(row, deliveries?.rows[0] !== undefined), erasure_id, id],
  })
  return { ended, captures: captures?.changed ?? 0, answers: answers?.changed ?? 0 }
}

/** The answers kept for an `Idempotency-Key` that tell of a customer or a transaction. */
const forgetAnswers = (subject_id: string): Statement => ({
  sql: 'DELETE FROM idempotency_keys WHERE subject_id = ?',
  values: [subject_id],
})

interface Emptied {
  readonly ended: ActorState | null
  readonly captures: number
  readonly answers: number
}

/** What an erasure takes away beside transactions. */
interface Subject {
  readonly subject: ErasureSubject
  readonly transactions: readonly ErasedRow[]
  readonly faces: number
  /** Kept answers that tell of the customer itself. */
  readonly answers: number
  readonly removals: readonly Statement[]
}

function* eraseAll(room: ErasureRoom, erasure: Erasure, subject: Subject): Unit<readonly ActorState[]> {
  const erasure_id = newId()
  const emptied: Emptied[] = []
  for (const row of subject.transactions) emptied.push(yield* eraseTransaction(room, row, erasure_id))
  const ended = emptied.flatMap(one => one.ended ?? [])
  const counts = {
    transactions: emptied.length,
    cancelled: ended.length,
    captures: emptied.reduce((sum, { captures }) => sum + captures, 0),
    faces: subject.faces,
    answers: emptied.reduce((sum, { answers }) => sum + answers, subject.answers),
  }
  const receipt = { ...erasure, erasure_id, subject: subject.subject, erased_at: room.clock.now(), counts }
  yield* runAll([...subject.removals, insertErasure(receipt)])
  return ended
}

/** A customer with all that is theirs; null where it is gone already, or was never there. */
function* customerSubject({ store }: ErasureRoom, { account_id, subject_id }: Erasure): Unit<Subject | null> {
  const { lock } = store.dialect
  const sql = `SELECT face_transaction_id FROM customers WHERE id = ? AND account_id = ?${lock}`
  const customer = yield* first({
    sql,
    values: [subject_id, account_id],
    columns: columnsOf('customers', 'face_transaction_id'),
  })
  if (customer === null) return null
  const theirs = `SELECT ${listOf(transaction_columns)} FROM transactions WHERE customer_id = ? AND account_id = ? AND erasure_id IS NULL ORDER BY id${lock}`
  const transactions = yield* all({ sql: theirs, values: [subject_id, account_id], columns: transaction_columns })
  const { changed: answers } = yield* run(forgetAnswers(subject_id))
  return {
    subject: 'customer',
    transactions,
    faces: customer.face_transaction_id === null ? 0 : 1,
    answers,
    // With the row goes the key: whatever else it sealed, in backups and elsewhere, opens no more.
    removals: [{ sql: 'DELETE FROM customers WHERE id = ?', values: [subject_id] }],
  }
}

/** One transaction; the face that it enrolled is of the customer's, and goes with it. */
function* transactionSubject({ store }: ErasureRoom, { account_id, subject_id }: Erasure): Unit<Subject | null> {
  const { lock } = store.dialect
  const columns = { ...transaction_columns, ...columnsOf('transactions', 'customer_id') }
  const sql = `SELECT ${listOf(columns)} FROM transactions WHERE id = ? AND account_id = ? AND erasure_id IS NULL${lock}`
  const row = yield* first({ sql, values: [subject_id, account_id], columns })
  if (row === null) return null
  const forgetting =
    'UPDATE customers SET face = NULL, face_transaction_id = NULL WHERE id = ? AND face_transaction_id = ?'
  const { changed: faces } = yield* run({ sql: forgetting, values: [row.customer_id, subject_id] })
  return { subject: 'transaction', transactions: [row], faces, answers: 0, removals: [] }
}

const subjects = { customer: customerSubject, transaction: transactionSubject } as const

/**
 * Erases a customer or a transaction in one commit: what is open ends as FAILED/CANCELLED first, and a result, a face or
 * an image that comes later finds no taker. Repeating it answers with the same receipt.
 * @throws {Refusal} `not_found` for an unknown id and for another account's alike
 */
export const erase = async (room: ErasureRoom, subject: ErasureSubject, erasure: Erasure): Promise<ErasureReceipt> => {
  await room.host.within(function* () {
    const found = yield* subjects[subject](room, erasure)
    const told = found === null ? [] : yield* eraseAll(room, erasure, found)
    return { value: null, told }
  })
  // When it is repeated too: the first time may have died before this.
  await room.store.scrub()
  const receipt = await receiptFor(room.store, subject, erasure.account_id, erasure.subject_id)
  if (receipt === null) throw new Refusal('not_found', `${subject}_id: not found`)
  return receipt
}
