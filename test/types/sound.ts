import { type Host, type JobHandler, readFirst, type Store, type Unit } from 'durable-xstate-sql'
import { jobDone } from 'durable-xstate-sql/sql'
import { z } from 'zod'
import { transactionMachine } from '../../machines/transaction.ts'
import { actorTable, columnsOf, insert, type TableRow } from '../../src/database/schema.ts'
import { json } from '../../src/http/content.ts'
import { defineEndpoint } from '../../src/http/endpoint.ts'
import type { AuditEntry } from '../../src/identity/operators/audit_log.ts'
import { status } from '../../src/schemas/common.ts'
import type { AnalysisHandler } from '../../src/verification/analysis/admission.ts'
import type { NewCapture } from '../../src/verification/captures/new_capture.ts'
import type { TransactionDefinition } from '../../src/verification/transactions/actor.ts'
import type { ListedCapture } from '../../src/verification/transactions/capture_reading.ts'
import { actorNow, type TransactionRow } from '../../src/verification/transactions/rows.ts'
import type { Session } from '../../src/verification/transactions/session.ts'
import type { TimelineEvent } from '../../src/verification/transactions/timeline.ts'
import type { DeliveryView } from '../../src/webhooks/deliveries.ts'
import type { DeliveryActor, DeliveryDefinition } from '../../src/webhooks/delivery.ts'

/**
 * Uses all names of a chart or of a table in their right spelling. It is compiled and never run: planted.long.ts
 * misspells one after the other, and each must be found.
 */
interface Node {
  readonly host: Host
  readonly store: Store
  readonly transaction: TransactionDefinition
  readonly delivery: DeliveryDefinition
}

const capture = { capture_id: 'c', digest: 'd' }

/** Events, with their members. */
export async function sendAll({ host, transaction, delivery }: Node, id: string): Promise<void> {
  await host.send(transaction, id, { type: 'CANCEL' })
  await host.send(transaction, id, { type: 'FRONT_DROPPED' })
  const procedure = { name: 'acceptFromDevice', params: { device: 0 } } as const
  await host.send(transaction, id, { type: 'COMPLETE' }, { procedure })
  const challenge = { challenge_id: 'c', actions: ['BLINK'], expires_at: 1 } as const
  await host.send(transaction, id, { type: 'CHALLENGE_ISSUED', ...challenge })
  await host.send(transaction, id, { type: 'START', declared_document: 'PASSPORT', facts: capture })
  const fence = { job_id: 'd', lease: null }
  await host.send(transaction, id, { type: 'xstate.after.TTL.transaction.open' }, { fence })
  const output = { outcome: 'delivered', jitter: 0, retry_after_ms: null } as const
  await host.send(delivery, id, jobDone('attempt', output), { fence })
}

/** Events and entries of the journal inside another commit. */
export function* sendInCommit({ host, transaction, delivery }: Node, id: string): Unit<void> {
  yield* host.sendInTransaction(delivery, id, { type: 'TURN' })
  yield* host.appendToJournal(transaction, id, { type: 'ERASE', by: 'erasure', erasure_id: id })
}

/** A definition: its actions by the chart's, its columns by the table's. */
export const definition: TransactionDefinition = {
  name: 'transaction',
  table: actorTable('transactions'),
  charts: { 1: transactionMachine },
  currentVersion: 1,
  terminalStatuses: [],
  reads: ['config'],
  journalOnly: ['CAPTURE_READ'],
  actions: {
    *notifyIntegrator({ params, row }) {
      const words: readonly string[] = [params.status, row.config]
      yield words.map(word => insert('facts', { name: word, value: word }))
    },
  },
  procedures: {
    *useCustomer({ params }) {
      yield [insert('facts', { name: params.customer_id, value: '' })]
    },
    *acceptFromDevice({ params, context }) {
      const devices: readonly number[] = [params.device, context.device]
      yield devices.map(device => insert('facts', { name: `${device}`, value: '' }))
    },
  },
  onStatus: (_, now) => ({ finished_at: now }),
}

/** A handler, by the chart's jobs. */
export const admission: AnalysisHandler<'admission'> = {
  queue: 'admission',
  slots: () => 1,
  handle: async () => ({ output: null }),
}

/** A job handler, by the job's payload and output. */
export const attempt: JobHandler<DeliveryActor['chart'], 'attempt'> = {
  queue: 'attempt',
  slots: () => 1,
  handle: async job => ({ output: { outcome: 'gone', jitter: job.payload.attempt, retry_after_ms: null } }),
}

/** Rows, by their columns. */
export async function instants(store: Store, row: TransactionRow): Promise<readonly (number | null)[]> {
  const columns = columnsOf('transactions', 'completed_at', 'clock_offset_ms')
  const found = await readFirst(store, { sql: 'SELECT 1', values: [], columns })
  return [
    row.finished_at,
    found?.completed_at ?? null,
    actorNow({ clock: { now: () => 0, monotonic: () => 0, setTimer: () => () => {} } }, row),
  ]
}

/** Statuses, by the tags of the charts. */
export function isAsked(session: Session, row: TransactionRow, delivery: TableRow<'deliveries'>): boolean {
  return session.status === 'INITIATED' || row.status === 'EXPIRED' || delivery.status === 'EXHAUSTED'
}

/** Words of a fixed set, by their columns and by the views that show them. */
export function isLast(delivery: DeliveryView, event: TimelineEvent, audit: AuditEntry): boolean {
  return delivery.state === 'GONE' || event.status === 'FAILED' || audit.action === 'logout'
}

export function toRow(transaction_id: string, capture: ListedCapture, operator: TableRow<'operators'>): NewCapture {
  return {
    account_id: operator.role === 'admin' ? operator.id : transaction_id,
    transaction_id,
    kind: capture.kind === 'document_back' ? 'liveness' : 'signals',
    media_type: capture.media_type,
    content: Buffer.of(),
  }
}

/** A reply, by the schema that documents it. */
export const endpoint = defineEndpoint({
  method: 'post',
  path: '/token',
  operationId: 'makeToken',
  summary: '',
  description: '',
  tag: 'Tokens',
  authentication: 'none',
  responses: { 201: json('Made.', z.object({ token_type: z.literal('Bearer'), status })) },
  async handler() {
    return { status: 201, body: { token_type: 'Bearer', status: 'CREATED' } }
  },
})
