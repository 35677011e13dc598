import type { FailureCode } from '@attestor/rules'
import { type ActionContext, runLater, type Statement, type Unit } from 'durable-xstate-sql'
import { type ActorCharts, type Dialect, type ReplayedDefinition, toPlaceholders } from 'durable-xstate-sql/sql'
import { durableCharts } from '../../../machines/charts.ts'
import {
  listReferences,
  listSignable,
  type TransactionContext,
  type TransactionStatus,
  transactionChartVersion,
  type transactionMachine,
} from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { actorTable, type ColumnName, insert } from '../../database/schema.ts'
import { touchCustomer } from '../../identity/customers/touch_customer.ts'
import { requireUsable } from '../captures/contents.ts'
import { deleteCaptureKey, deleteCaptures, deleteCapturesById } from '../captures/delete_captures.ts'
import { listFindingsIds } from '../captures/findings.ts'
import type { TransactionActor, TransactionDefinition } from './actor.ts'
import { requireCapturer, requireNewImage, requireUnusedNonce } from './device_checks.ts'
import { parseConfig, parseContext } from './rows.ts'

const terminalStatuses: readonly TransactionStatus[] = ['FINISHED', 'FAILED', 'EXPIRED']

export function isTerminal(status: TransactionStatus): boolean {
  return terminalStatuses.includes(status)
}

/** The column with the time of each status. EXPIRED has none. */
const statusColumns: Readonly<Partial<Record<TransactionStatus, ColumnName<'transactions'>>>> = {
  INITIATED: 'initiated_at',
  COMPLETED: 'completed_at',
  PROCESSING: 'processing_at',
  FINISHED: 'finished_at',
  FAILED: 'finished_at',
}

/** Writes the deliveries of statuses into the commits that reach them. */
export interface DeliveryQueue {
  /** Returns the statement whose rows `queue` needs. */
  select(transaction_id: string): Statement
  queue(
    context: ActionContext<TransactionActor>,
    notified: { readonly status: TransactionStatus; readonly url: string },
  ): Unit<void>
}

/** Events that mostly lead to a status that integrators are notified of. After any other its deliveries are read then. */
function mayNotify(type: string): boolean {
  return type === 'COMPLETE' || type.startsWith('xstate.done.actor.')
}

/** Writes the reason of a failure, for lists and searches. */
function writeFailure({ actor_id, account_id }: ActionContext<TransactionActor>, code: FailureCode): Statement[] {
  // Data that an analysis wrote for a reviewer no longer counts.
  const sql = 'UPDATE transactions SET reason = ?, outcome_mac = NULL WHERE id = ?'
  return [
    insert('transaction_issues', { code, transaction_id: actor_id, account_id }),
    { sql, values: [code, actor_id] },
  ]
}

function listCaptureIds(context: TransactionContext): readonly string[] {
  return listReferences(context).map(({ capture_id }) => capture_id)
}

/** Captures that came with a signature, by their ids. */
function listNonces(context: TransactionContext): ReadonlyMap<string, string> {
  return new Map(
    listSignable(context).flatMap(one => (one.signed === undefined ? [] : [[one.capture_id, one.signed] as const])),
  )
}

/** The second of two concurrent uploads that are signed with one nonce. */
function repeatsNonce(before: TransactionContext, after: TransactionContext): boolean {
  const known = listNonces(before)
  const used = new Set(known.values())
  return [...listNonces(after)].some(([id, nonce]) => !known.has(id) && used.has(nonce))
}

/** A capture, and the findings in it. */
function withFindings(captureIds: readonly string[]): readonly string[] {
  return captureIds.flatMap(id => [id, ...listFindingsIds(id)])
}

/** Deletes images that the snapshot does not name: those of expired challenges that later ones replaced. */
function deleteStrayCaptures({
  actor_id,
  context,
  params: { findings },
}: ActionContext<TransactionActor, { readonly findings: 'keep' | 'delete' }>): readonly Statement[] {
  const { challenge, takes } = context
  const mayHaveStrays = takes.challenge > (challenge === null ? 0 : 1)
  if (findings === 'keep' && !mayHaveStrays) return []
  const captureIds = listCaptureIds(context)
  const ids = findings === 'keep' ? withFindings(captureIds) : captureIds
  const others = ids.length === 0 ? '' : ` AND id NOT IN (${toPlaceholders(ids)})`
  return deleteCaptures({ sql: `transaction_id = ?${others}`, values: [actor_id, ...ids] })
}

/** The configuration stays, as nothing in it is personal, and so do the result and its trace, which say an age alone. */
function deletePerson(transaction_id: string): readonly Statement[] {
  return [deleteCaptureKey(transaction_id), ...deleteCaptures({ sql: 'transaction_id = ?', values: [transaction_id] })]
}

const procedures = {
  /** Deletes the captures that the event replaces or drops, so that no image stays that no snapshot names. */
  *acceptFromDevice({ row, context, time, params: { device, image, usableUntil = null } }) {
    const before = parseContext(row)
    requireCapturer({ device }, before)
    if (image !== undefined) requireNewImage(before, image)
    requireUsable(usableUntil, time.wall)
    requireUnusedNonce(repeatsNonce(before, context))
    const named = listCaptureIds(context)
    const replaced = listCaptureIds(before).filter(id => !named.includes(id))
    yield* runLater(deleteCapturesById(withFindings(replaced)))
  },
} satisfies Partial<TransactionDefinition['procedures']>

const buildCharts: ActorCharts<typeof transactionMachine> = {
  charts: durableCharts.transaction,
  currentVersion: () => transactionChartVersion,
}

const journalOnly = ['ERASE', 'HANDOFF_OFFERED', 'HANDOFF_SENT', 'CAPTURE_READ', 'ADVICE_GIVEN'] as const

/** The parts of the definition that replaying a journal needs. */
export const replayedTransaction: ReplayedDefinition = {
  name: 'transaction',
  charts: durableCharts.transaction,
  journalOnly,
}

/** Transactions as durable actors. A change of status notifies the integrator, if a webhook is configured. */
export function createTransactionDefinition(
  dialect: Dialect,
  deliveries: DeliveryQueue,
  versions: ActorCharts<typeof transactionMachine> = buildCharts,
): TransactionDefinition {
  return {
    name: 'transaction',
    table: actorTable('transactions'),
    charts: versions.charts,
    get currentVersion() {
      return versions.currentVersion()
    },
    terminalStatuses,
    reads: ['config', 'account_id'],
    lane: 'account_id',
    journalOnly,
    actions: {
      *notifyIntegrator(context) {
        const { webhook } = parseConfig(context.row)
        const { status } = context.params
        if (webhook !== null && (webhook.events === null || webhook.events.some(event => event === status)))
          yield* deliveries.queue(context, { status, url: webhook.url })
      },
      *deleteStrayCaptures(context) {
        yield* runLater(deleteStrayCaptures(context))
      },
      *deletePerson({ actor_id, context }) {
        if (context.transaction_type === 'AGE') yield* runLater(deletePerson(actor_id))
      },
      *openReview({ actor_id, time }) {
        const sql = 'UPDATE transactions SET awaiting_review_since = ? WHERE id = ?'
        yield* runLater([{ sql, values: [time.actor, actor_id] }])
      },
      *recordDecision({ actor_id, params }) {
        const sql = 'UPDATE transactions SET decision = ? WHERE id = ?'
        yield* runLater([{ sql, values: [params.decision, actor_id] }])
      },
      *recordFailure(context) {
        const { failure } = context.params
        if (failure !== null) yield* runLater(writeFailure(context, failure))
      },
    },
    procedures: {
      ...procedures,
      /** Serialises with an erasure: either that finds the transaction, or this finds no customer. */
      *useCustomer({ params: { customer_id } }) {
        if (!(yield* touchCustomer(dialect, customer_id))) throw new ApiError('not_found', 'customer_id: not found')
      },
    },
    readsBeside: (id, { type }) => (mayNotify(type) ? [deliveries.select(id)] : []),
    onStatus(status, now) {
      const column = statusColumns[status]
      // The commit of the result writes the decision of a FINISHED one.
      const decision = status === 'FAILED' ? { decision: 'UNDETERMINED' as const } : {}
      const review = isTerminal(status) ? { awaiting_review_since: null } : {}
      return { ...(column === undefined ? {} : { [column]: now }), ...decision, ...review }
    },
  }
}
