import type { Decision } from '@attestor/rules'
import type { CaptureName } from '@attestor/vision'
import { readAll, readFirst, type Store } from 'durable-xstate-sql'
import { activeStates, listColumns, type RowOf } from 'durable-xstate-sql/sql'
import type { TransactionContext } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import type { Role } from '../database/words.ts'
import { readFeatureRecord } from '../features.ts'
import type { HttpDeps } from '../http/deps.ts'
import { toMode } from '../identity/accounts/accounts.ts'
import { includesRole } from '../identity/operators/roles.ts'
import { listCaptures } from '../verification/transactions/capture_reading.ts'
import { isTerminal } from '../verification/transactions/definition.ts'
import { readFailure } from '../verification/transactions/failure.ts'
import { listHeldCaptures } from '../verification/transactions/held_captures.ts'
import { parseContext } from '../verification/transactions/rows.ts'
import { readTrace } from '../verification/transactions/trace.ts'
import { listDeliveries } from '../webhooks/deliveries.ts'
import { findInCapture, nothingFound, type Seen } from './capture_findings.ts'
import { explain } from './explain.ts'
import { viewFound } from './find_transactions.ts'

const ownColumns = {
  ...columnsOf('transactions', 'id', 'account_id', 'customer_id', 'transaction_type', 'status', 'decision'),
  ...columnsOf('transactions', 'reason', 'country'),
  ...columnsOf('transactions', 'created_at', 'initiated_at', 'completed_at', 'processing_at', 'finished_at'),
  ...columnsOf(
    'transactions',
    'awaiting_review_since',
    'expires_at',
    'erasure_id',
    'version',
    'chart_version',
    'snapshot',
  ),
} as const

const columns = {
  ...ownColumns,
  account_name: columnsOf('accounts', 'name').name,
  account_mode: columnsOf('accounts', 'mode').mode,
  has_customer: 'count',
} as const

type RecordRow = RowOf<typeof columns>

/** @throws {ApiError} `not_found` */
async function readRow(store: Store, id: string): Promise<RecordRow> {
  const sql = `SELECT ${listColumns(ownColumns, 't')}, a.name AS account_name, a.mode AS account_mode,
      (SELECT COUNT(*) FROM customers c WHERE c.id = t.customer_id) AS has_customer
    FROM transactions t JOIN accounts a ON a.id = t.account_id WHERE t.id = ?`
  const row = await readFirst(store, { sql, values: [id], columns })
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  return row
}

/** The account of a transaction, by which every other function finds it. @throws {ApiError} `not_found` */
export async function findAccountId(store: Store, id: string): Promise<string> {
  const query = { sql: 'SELECT account_id FROM transactions WHERE id = ?', values: [id] }
  const row = await readFirst(store, { ...query, columns: columnsOf('transactions', 'account_id') })
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  return row.account_id
}

const entryColumns = columnsOf('journal', 'event', 'occurred_at')

interface ReviewEvent {
  readonly type: string
  readonly operator_id?: string
  readonly decision?: Decision
}

const selectReviewEvents = `SELECT event, occurred_at FROM journal WHERE actor_id = ? AND sequence >=
    (SELECT MIN(f.sequence) FROM journal f WHERE f.actor_id = ? AND f.event LIKE '%"trace_sha256"%')
  ORDER BY sequence LIMIT 2000`

const deadlineEvent = 'xstate.after.REVIEW_DEADLINE.'

type ReviewState = 'awaiting' | 'decided' | 'lapsed'

/** The state of a transaction's review, read from its journal; null where it has none. @throws {ApiError} `damaged` */
async function readReview(store: Store, row: RecordRow) {
  const { review_ms } = parseContext(row).limits
  if (review_ms === null) return null
  const entries = (
    await readAll(store, { sql: selectReviewEvents, values: [row.id, row.id], columns: entryColumns })
  ).map(({ event, occurred_at }) => ({ ...(JSON.parse(event) as ReviewEvent), occurred_at }))
  const [first] = entries
  const decided = entries.find(({ type }) => type === 'REVIEWED')
  const lapsed = entries.find(({ type }) => type.startsWith(deadlineEvent))
  const end = decided ?? lapsed
  if (first === undefined || (row.awaiting_review_since === null && end === undefined)) return null
  const state: ReviewState = decided !== undefined ? 'decided' : lapsed !== undefined ? 'lapsed' : 'awaiting'
  const name = { sql: 'SELECT name FROM operators WHERE id = ?', values: [decided?.operator_id ?? ''] }
  return {
    state,
    since: isoTimestamp(first.occurred_at),
    due_at: isoTimestamp(first.occurred_at + review_ms),
    ended_at: end === undefined ? null : isoTimestamp(end.occurred_at),
    operator_id: decided?.operator_id ?? null,
    operator_name: (await readFirst(store, { ...name, columns: columnsOf('operators', 'name') }))?.name ?? null,
    decision: decided?.decision ?? null,
  }
}

function listActions(role: Role, row: RecordRow, isErased: boolean) {
  const isReviewer = includesRole(role, 'reviewer')
  const isOpen = !isTerminal(row.status)
  return {
    cancel: isReviewer && isOpen && !isErased,
    review: isReviewer && row.awaiting_review_since !== null && !isErased,
    erase: includesRole(role, 'admin') && !isErased,
    read_personal: isReviewer && !isErased,
    read_captures: isReviewer && !isErased,
    redeliver: isReviewer && !isErased,
    export_evidence: isReviewer,
  }
}

export type RecordDeps = Pick<HttpDeps, 'transactions' | 'deliveries'>

/** The action that a frame of the challenge was asked for. */
function findAction({ challenge }: TransactionContext, capture: CaptureName | undefined): string | null {
  return challenge?.actions.find((_, n) => capture === `frame_${n}`) ?? null
}

/** An erased transaction has none of these parts. */
async function readParts({ transactions, deliveries }: RecordDeps, row: RecordRow, isErased: boolean) {
  const { id, account_id } = row
  const ofFeatures = await readFeatureRecord(transactions.store, { ...row, is_erased: isErased })
  if (isErased) return { trace: null, captures: [], deliveries: [], ...ofFeatures }
  const [trace, captures, sent] = await Promise.all([
    readTrace(transactions, id),
    listCaptures(transactions, account_id, id),
    listDeliveries(deliveries, account_id, id),
  ])
  const context = parseContext(row)
  const names = new Map(listHeldCaptures(context).map(one => [one.reference.capture_id, one.capture]))
  const seen: Seen = trace?.trace ?? { measured: {}, regions: {} }
  return {
    trace,
    captures: captures.map(one => {
      const name = names.get(one.id)
      const found = name === undefined ? nothingFound : findInCapture(seen, name)
      const action = findAction(context, name)
      const { [`liveness.challenge.${action}.passed`]: passed } = seen.measured
      // Null where it was not judged.
      return { ...one, action, shows_action: typeof passed === 'boolean' ? passed : null, found }
    }),
    ...ofFeatures,
    // A receiver's response may hold personal data.
    deliveries: sent.map(one => ({ ...one, attempts: one.attempts.map(({ answer: _, ...attempt }) => attempt) })),
  }
}

/** A transaction as an operator sees it, without anything personal. @throws {ApiError} `not_found`, `damaged` */
export async function readRecord(deps: RecordDeps, id: string, role: Role) {
  const { store } = deps.transactions
  const row = await readRow(store, id)
  const isErased = row.erasure_id !== null || row.has_customer === 0
  const { trace, ...parts } = await readParts(deps, row, isErased)
  const review = await readReview(store, row)
  const awaiting_review = row.awaiting_review_since !== null
  const failure = row.status === 'FAILED' ? await readFailure(deps.transactions, id) : null
  const ended = review === null || review.state === 'awaiting' ? null : review
  const { value } = JSON.parse(row.snapshot) as { readonly value: unknown }
  return {
    ...viewFound(row),
    account_mode: toMode(row.account_mode),
    expires_at: isoTimestamp(row.expires_at),
    erasure_id: row.erasure_id,
    // The sequence of the journal's last entry: events up to it are in this answer.
    version: row.version,
    chart: { name: 'transaction', version: row.chart_version, svg: `/charts/transaction/${row.chart_version}.svg` },
    // The names are those of the drawing's `data-state`.
    states: activeStates(value),
    review,
    explanation: explain({ status: row.status, is_erased: isErased, awaiting_review, trace, failure, review: ended }),
    ...parts,
    // The caller's possible actions now.
    actions: listActions(role, row, isErased),
  }
}
