import { assign, fromPromise, setup } from 'xstate'

/** The chart's persisted names are schema: change one only together with this number (see test/golden). */
export const deliveryChartVersion = 1

/** What a delivery begins with. */
export interface DeliveryInput {
  /** Milliseconds to wait before each attempt; its length is the number of attempts. */
  readonly schedule_ms: readonly number[]
  /** False while an earlier delivery of the same transaction is still under way. */
  readonly has_turn: boolean
}

/** What a delivery remembers. */
export interface DeliveryContext extends DeliveryInput {
  /** The attempt under way or last made, from 1; 0 before the first. */
  readonly attempt: number
  readonly retry_delay_ms: number
}

/** Its turn has come; or somebody asks for it again. */
export type DeliveryEvent = { type: 'TURN' } | { type: 'REDELIVER' }

/** What an attempt came to. Chance is drawn where the attempt is made, so that the step stays pure. */
export interface AttemptOutput {
  readonly outcome: 'delivered' | 'failed' | 'gone'
  /** −1 to 1: where in the ±20 % the next wait falls. */
  readonly jitter: number
  /** The receiver's own `Retry-After`; the wait is never shorter. */
  readonly retry_after_ms: number | null
}

const jitter_share = 0.2

const onlyOnHost = async (): Promise<never> => {
  throw new Error('jobs are run by the durable host')
}

/** One status told to one integrator, as often as it takes (spec, "Events"; decisions.md, "Webhooks"). */
export const deliveryMachine = setup({
  types: {} as {
    context: DeliveryContext
    events: DeliveryEvent
    input: DeliveryInput
    tags: 'PENDING' | 'ATTEMPTING' | 'BACKING_OFF' | 'DELIVERED' | 'EXHAUSTED' | 'GONE'
    children: { attempt: 'attempt' }
  },
  actors: { attempt: fromPromise<AttemptOutput, { attempt: number }>(onlyOnHost) },
  delays: { RETRY: ({ context }) => context.retry_delay_ms },
  guards: {
    hasTurn: ({ context }) => context.has_turn,
    isDelivered: (_, params: { outcome: string }) => params.outcome === 'delivered',
    isGone: (_, params: { outcome: string }) => params.outcome === 'gone',
    attemptsLeft: ({ context }) => context.attempt < context.schedule_ms.length,
  },
  actions: {
    /** The host tells TURN to the transaction's first waiting delivery in the same commit, unless one is under way. */
    giveTurn: () => {},
    takePermit: assign({ has_turn: true }),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    startOver: assign({ attempt: 0, has_turn: false }),
    planRetry: assign(({ context }, params: { jitter: number; retry_after_ms: number | null }) => {
      const planned = (context.schedule_ms[context.attempt] ?? 0) * (1 + jitter_share * params.jitter)
      return { retry_delay_ms: Math.max(Math.round(planned), params.retry_after_ms ?? 0) }
    }),
  },
}).createMachine({
  id: 'delivery',
  context: ({ input }) => ({
    schedule_ms: input.schedule_ms,
    has_turn: input.has_turn,
    attempt: 0,
    retry_delay_ms: input.schedule_ms[0] ?? 0,
  }),
  initial: 'pending',
  states: {
    pending: {
      tags: ['PENDING'],
      description: 'Waits for its turn: one delivery of a transaction is under way, the earliest status first.',
      always: { guard: 'hasTurn', target: 'attempting' },
      on: { TURN: { target: 'attempting', actions: 'takePermit' } },
    },
    attempting: {
      tags: ['ATTEMPTING'],
      entry: 'countAttempt',
      invoke: {
        id: 'attempt',
        src: 'attempt',
        input: ({ context }) => ({ attempt: context.attempt }),
        onDone: [
          {
            guard: { type: 'isDelivered', params: ({ event }) => ({ outcome: event.output.outcome }) },
            target: 'delivered',
          },
          { guard: { type: 'isGone', params: ({ event }) => ({ outcome: event.output.outcome }) }, target: 'gone' },
          {
            guard: 'attemptsLeft',
            target: 'backing_off',
            actions: {
              type: 'planRetry',
              params: ({ event }) => ({ jitter: event.output.jitter, retry_after_ms: event.output.retry_after_ms }),
            },
          },
          { target: 'exhausted' },
        ],
        onError: [
          {
            guard: 'attemptsLeft',
            target: 'backing_off',
            actions: { type: 'planRetry', params: { jitter: 0, retry_after_ms: null } },
          },
          { target: 'exhausted' },
        ],
      },
    },
    backing_off: { tags: ['BACKING_OFF'], after: { RETRY: { target: 'attempting' } } },
    delivered: {
      tags: ['DELIVERED'],
      entry: 'giveTurn',
      on: { REDELIVER: { target: 'pending', actions: ['startOver', 'giveTurn'] } },
    },
    exhausted: {
      tags: ['EXHAUSTED'],
      description: 'Kept and replayable: nobody answered in the whole schedule.',
      entry: 'giveTurn',
      on: { REDELIVER: { target: 'pending', actions: ['startOver', 'giveTurn'] } },
    },
    gone: {
      tags: ['GONE'],
      description: 'The receiver answered 410.',
      entry: 'giveTurn',
      on: { REDELIVER: { target: 'pending', actions: ['startOver', 'giveTurn'] } },
    },
  },
})
