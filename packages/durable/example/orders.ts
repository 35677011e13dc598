import { join } from 'node:path'
import {
  type ActorDefinition,
  actorColumns,
  defineSchema,
  durableTables,
  JobError,
  type JobHandler,
  journalColumns,
  runLater,
} from '../index.ts'
import { orderMachine } from './order_machine.ts'

const tables = {
  ...durableTables,
  orders: {
    columns: { ...actorColumns, ...journalColumns, customer: 'name', paid_at: 'instant?' },
    indices: [['chart_version, status'], ['held_until']],
  },
  invoices: {
    columns: { order_id: 'id key', account_id: 'id', receipt: 'word', created_at: 'instant' },
    indices: [],
  },
} as const

/** The tables, and the folder of their migrations. */
export const schema = defineSchema(tables, join(import.meta.dirname, 'migrations'))

interface OrderActor {
  readonly chart: typeof orderMachine
  readonly columns: typeof tables.orders.columns
  readonly reads: 'customer'
  readonly journalOnly: never
  readonly procedures: Record<never, never>
}

/** Orders as durable actors. */
export const order: ActorDefinition<OrderActor> = {
  name: 'order',
  table: schema.actorTable('orders'),
  charts: { 1: orderMachine },
  currentVersion: 1,
  terminalStatuses: ['PAID', 'DECLINED', 'EXPIRED', 'CANCELLED'],
  reads: ['customer'],
  journalOnly: [],
  actions: {
    *addInvoice({ actor_id, account_id, time, params }) {
      const invoice = { order_id: actor_id, account_id, receipt: params.receipt, created_at: time.actor }
      yield* runLater([schema.insert('invoices', invoice)])
    },
  },
  procedures: {},
  onStatus: (status, now) => (status === 'PAID' ? { paid_at: now } : {}),
}

/** Charges a card and resolves with the receipt, however often it is called with the same key. */
export type Charge = (card: string, amountCents: number, idempotencyKey: string) => Promise<string>

/** Charges cards. After a crash a job may run again; its id stays the same. */
export function createChargeHandler(charge: Charge): JobHandler<typeof orderMachine, 'charge'> {
  return {
    queue: 'charge',
    slots: () => 4,
    async handle({ id, payload: { card, amountCents } }) {
      try {
        return { output: { receipt: await charge(card, amountCents, id) } }
      } catch (cause) {
        throw new JobError('CHARGE_FAILED', 'the card could not be charged', { cause })
      }
    },
  }
}
