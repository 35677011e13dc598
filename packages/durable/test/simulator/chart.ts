import { assign, fromPromise, setup } from 'xstate'

export interface ParcelInput {
  readonly deadlineMs: number
}

interface ParcelContext extends ParcelInput {
  readonly attempt: number
}

/** The events of a client. Each has a token of its own, by which its effects are found. */
export type ParcelEvent =
  | { type: 'SEND'; token: string }
  | { type: 'TOUCH'; token: string }
  | { type: 'FETCH'; token: string }
  | { type: 'CANCEL'; token: string }

/** The result of a run of a job, with a token of its own. */
export interface Carried {
  readonly token: string
}

async function runByWorker(): Promise<never> {
  throw new Error('jobs are run by a worker')
}

/** Delays in milliseconds. They and the clients' instants share many values, so that events meet timers. */
function createParcelMachine(delays: { readonly packing: number; readonly pickup: number }) {
  return setup({
    types: {} as {
      context: ParcelContext
      events: ParcelEvent
      input: ParcelInput
      tags: 'PACKING' | 'SENDING' | 'RESTING' | 'WAITING' | 'EXPIRED' | 'CANCELLED' | 'LOST' | 'RETURNED' | 'FETCHED'
      children: { carry: 'carry' }
    },
    actors: { carry: fromPromise<Carried, { attempt: number }>(runByWorker) },
    delays: {
      DEADLINE: ({ context }) => context.deadlineMs,
      PACKING: () => delays.packing,
      REST: ({ context }) => 500 * 2 ** context.attempt,
      PICKUP: () => delays.pickup,
    },
    guards: { attemptsLeft: ({ context }) => context.attempt < 3 },
    actions: {
      countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
      note: (_, _params: { token: string }) => {},
      announce: () => {},
    },
  }).createMachine({
    id: 'parcel',
    context: ({ input }) => ({ ...input, attempt: 0 }),
    initial: 'open',
    states: {
      open: {
        initial: 'packing',
        after: { DEADLINE: { target: 'expired' } },
        on: {
          CANCEL: {
            target: 'cancelled',
            actions: { type: 'note', params: ({ event }) => ({ token: event.token }) },
          },
        },
        states: {
          packing: {
            tags: ['PACKING'],
            after: { PACKING: { target: 'sending' } },
            on: {
              SEND: { target: 'sending', actions: { type: 'note', params: ({ event }) => ({ token: event.token }) } },
              TOUCH: {
                target: 'packing',
                reenter: true,
                actions: { type: 'note', params: ({ event }) => ({ token: event.token }) },
              },
            },
          },
          sending: {
            tags: ['SENDING'],
            entry: 'countAttempt',
            on: { TOUCH: { actions: { type: 'note', params: ({ event }) => ({ token: event.token }) } } },
            invoke: {
              id: 'carry',
              src: 'carry',
              input: ({ context }) => ({ attempt: context.attempt }),
              onDone: {
                target: 'waiting',
                actions: { type: 'note', params: ({ event }) => ({ token: event.output.token }) },
              },
              onError: [{ guard: 'attemptsLeft', target: 'resting' }, { target: '#parcel.lost' }],
            },
          },
          resting: { tags: ['RESTING'], after: { REST: { target: 'sending' } } },
          waiting: {
            tags: ['WAITING'],
            after: { PICKUP: { target: '#parcel.returned' } },
            on: {
              FETCH: {
                target: '#parcel.fetched',
                actions: { type: 'note', params: ({ event }) => ({ token: event.token }) },
              },
              TOUCH: { actions: { type: 'note', params: ({ event }) => ({ token: event.token }) } },
            },
          },
        },
      },
      expired: { type: 'final', tags: ['EXPIRED'], entry: 'announce' },
      cancelled: { type: 'final', tags: ['CANCELLED'], entry: 'announce' },
      lost: { type: 'final', tags: ['LOST'], entry: 'announce' },
      returned: { type: 'final', tags: ['RETURNED'], entry: 'announce' },
      fetched: { type: 'final', tags: ['FETCHED'], entry: 'announce' },
    },
  })
}

export type ParcelMachine = ReturnType<typeof createParcelMachine>

/** The chart by its versions; only newer builds know the second. */
export const parcelMachines = {
  1: createParcelMachine({ packing: 2000, pickup: 3000 }),
  2: createParcelMachine({ packing: 3000, pickup: 2000 }),
} as const

/** The message that a parcel has ended: an actor that another one's commit makes, with jobs in lanes. */
export const noticeMachine = setup({
  types: {} as {
    context: { readonly attempt: number }
    events: { type: 'NEVER' }
    input: Record<never, never>
    tags: 'PENDING' | 'PAUSED' | 'DELIVERED' | 'FAILED'
    children: { deliver: 'deliver' }
  },
  actors: { deliver: fromPromise<Carried, { attempt: number }>(runByWorker) },
  delays: { PAUSE: 1000 },
  guards: { attemptsLeft: ({ context }) => context.attempt < 3 },
  actions: { countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }) },
}).createMachine({
  id: 'notice',
  context: { attempt: 0 },
  initial: 'pending',
  states: {
    pending: {
      tags: ['PENDING'],
      entry: 'countAttempt',
      invoke: {
        id: 'deliver',
        src: 'deliver',
        input: ({ context }) => ({ attempt: context.attempt }),
        onDone: { target: 'delivered' },
        onError: [{ guard: 'attemptsLeft', target: 'paused' }, { target: 'failed' }],
      },
    },
    paused: { tags: ['PAUSED'], after: { PAUSE: { target: 'pending' } } },
    delivered: { type: 'final', tags: ['DELIVERED'] },
    failed: { type: 'final', tags: ['FAILED'] },
  },
})
