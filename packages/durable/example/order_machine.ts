import { assign, fromPromise, setup } from 'xstate'

export interface OrderInput {
  readonly amountCents: number
  readonly paymentTimeoutMs: number
}

interface OrderContext extends OrderInput {
  readonly card: string
  /** The charge under way or last tried, from 1. */
  readonly attempt: number
}

/** The events that a shop may send to an order. */
export type OrderEvent = { type: 'PAY'; card: string } | { type: 'CANCEL' }

/** Jobs are declared here and done by the worker's handlers. */
async function runByWorker(): Promise<never> {
  throw new Error('jobs are run by a worker')
}

/** An ordinary chart. Its tags are the statuses of an order; its `after` and `invoke` survive crashes. */
export const orderMachine = setup({
  types: {} as {
    context: OrderContext
    events: OrderEvent
    input: OrderInput
    tags: 'PLACED' | 'CHARGING' | 'BACKING_OFF' | 'PAID' | 'DECLINED' | 'EXPIRED' | 'CANCELLED'
    children: { charge: 'charge' }
  },
  actors: { charge: fromPromise<{ receipt: string }, { amountCents: number; card: string }>(runByWorker) },
  delays: {
    PAYMENT_TIMEOUT: ({ context }) => context.paymentTimeoutMs,
    BACKOFF: ({ context }) => 100 * 2 ** context.attempt,
  },
  guards: { attemptsLeft: ({ context }) => context.attempt < 3 },
  actions: {
    takeCard: assign((_, params: { card: string }) => ({ card: params.card })),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    /** Written by the definition, in the commit of the step. */
    addInvoice: (_, _params: { receipt: string }) => {},
  },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ ...input, card: '', attempt: 0 }),
  initial: 'placed',
  states: {
    placed: {
      tags: ['PLACED'],
      after: { PAYMENT_TIMEOUT: { target: 'expired' } },
      on: {
        PAY: {
          target: 'charging',
          actions: { type: 'takeCard', params: ({ event }) => ({ card: event.card }) },
        },
        CANCEL: { target: 'cancelled' },
      },
    },
    charging: {
      tags: ['CHARGING'],
      entry: 'countAttempt',
      invoke: {
        id: 'charge',
        src: 'charge',
        input: ({ context }) => ({ amountCents: context.amountCents, card: context.card }),
        onDone: {
          target: 'paid',
          actions: { type: 'addInvoice', params: ({ event }) => ({ receipt: event.output.receipt }) },
        },
        onError: [{ guard: 'attemptsLeft', target: 'backing_off' }, { target: 'declined' }],
      },
    },
    backing_off: { tags: ['BACKING_OFF'], after: { BACKOFF: { target: 'charging' } } },
    paid: { type: 'final', tags: ['PAID'] },
    declined: { type: 'final', tags: ['DECLINED'] },
    expired: { type: 'final', tags: ['EXPIRED'] },
    cancelled: { type: 'final', tags: ['CANCELLED'] },
  },
})
