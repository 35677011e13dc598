import { charts } from '../../machines/charts.ts'
import { transactionChartVersion } from '../../machines/transaction.ts'
import { actorTable, type ColumnName } from '../database/schema.ts'
import type { ActionContext } from '../durable/actors/definition.ts'
import { runLater, type Statement, type Unit } from '../durable/store/statement.ts'
import type { TransactionActor, TransactionDefinition } from './actor.ts'
import type { TransactionConfig } from './config.ts'
import { parseContext } from './rows.ts'

/** spec, "States and transitions". */
export const statuses = ['CREATED', 'INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED'] as const

/** One of `statuses`. */
export type Status = (typeof statuses)[number]

/** decisions.md, "States": these absorb every later event. */
const terminalStatuses = ['FINISHED', 'FAILED', 'EXPIRED']

/** Whether a transaction in this status has ended. */
export const isTerminal = (status: string): boolean => terminalStatuses.includes(status)

/** spec, "Transaction": the timestamp that reaching a status sets. EXPIRED has none. */
const statusColumns: Readonly<Record<string, ColumnName<'transactions'>>> = {
  INITIATED: 'initiated_at',
  COMPLETED: 'completed_at',
  PROCESSING: 'processing_at',
  FINISHED: 'finished_at',
  FAILED: 'finished_at',
}

/** Writes the delivery of a status into the commit that reached it. */
export type QueueDelivery = (
  context: ActionContext<TransactionActor>,
  told: { readonly status: string; readonly url: string },
) => Unit<void>

/** Statuses that no more is captured in. */
const captureEndStatuses = ['COMPLETED', 'FAILED', 'EXPIRED']

/** What an upload left that broke off, or a challenge whose time ran out: images that no snapshot names any more. */
const deleteStrayCaptures = ({ actor_id, row }: ActionContext<TransactionActor>): Statement => {
  const { facts, front, back, selfie, signals, challenge } = parseContext(row)
  const held = [facts, front, back, selfie, signals, ...(challenge?.frames ?? [])]
  const ids = held.flatMap(reference => reference?.capture_id ?? [])
  const beyond = ids.length === 0 ? '' : ` AND id NOT IN (${ids.map(() => '?').join(', ')})`
  return { sql: `DELETE FROM captures WHERE transaction_id = ?${beyond}`, values: [actor_id, ...ids] }
}

/** Transactions as durable actors. spec, "Events": told as the status changes, where a webhook is configured. */
export const createTransactionDefinition = (queueDelivery: QueueDelivery): TransactionDefinition => ({
  name: 'transaction',
  table: actorTable('transactions'),
  charts: charts.transaction,
  currentVersion: transactionChartVersion,
  terminalStatuses,
  reads: ['config'],
  journalOnly: ['ERASE', 'CAPTURE_READ'],
  actions: {
    *notifyIntegrator(context) {
      const { webhook } = JSON.parse(context.row.config) as TransactionConfig
      const { status } = context.params
      if (captureEndStatuses.includes(status)) yield* runLater([deleteStrayCaptures(context)])
      if (webhook !== null && (webhook.events === null || webhook.events.some(event => event === status)))
        yield* queueDelivery(context, { status, url: webhook.url })
    },
  },
  onStatus(status, now) {
    const column = statusColumns[status]
    // That of a FINISHED one is written with its result.
    const decision = status === 'FAILED' ? { decision: 'UNDETERMINED' } : {}
    return column === undefined ? decision : { [column]: now, ...decision }
  },
})
