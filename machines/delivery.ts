import { assign, fromPromise, setup } from 'xstate'
import type { attemptOutcomes, deliveryStates } from './words.ts'

/** The chart's persisted names are schema: change one only together with this number (see test/golden). */
export const deliveryChartVersion = 1

export interface DeliveryInput {
  /** Milliseconds to wait before each attempt; its length is the number of attempts. */
  readonly schedule_ms: readonly number[]
  /** False while an earlier delivery of the same transaction is still under way. */
  readonly has_turn: boolean
}

export interface DeliveryContext extends DeliveryInput {
  /** The attempt under way or last made, from 1; 0 before the first. */
  readonly attempt: number
  readonly retry_delay_ms: number
}

/** TURN: no earlier delivery is under way. REDELIVER: the integrator or an operator wants it sent again. */
export type DeliveryEvent = { type: 'TURN' } | { type: 'REDELIVER' }

/** The outcome of an attempt. Randomness is drawn where the attempt is made, so that the step stays pure. */
export interface AttemptOutput {
  readonly outcome: (typeof attemptOutcomes)[number]
  /** −1 to 1: where in the ±20 % the next wait falls. */
  readonly jitter: number
  /** The receiver's own `Retry-After`; the wait is never shorter. */
  readonly retry_after_ms: number | null
}

const jitterShare = 0.2

/** A receiver that fails is given so long for each next attempt before a later status is sent to it. */
export const maxHeldMs = 5 * 60 * 1000

type Wait = Pick<AttemptOutput, 'jitter' | 'retry_after_ms'>

function planWait({ schedule_ms, attempt }: DeliveryContext, { jitter, retry_after_ms }: Wait): number {
  const planned = (schedule_ms[attempt] ?? 0) * (1 + jitterShare * jitter)
  return Math.max(Math.round(planned), retry_after_ms ?? 0)
}

async function onlyOnHost(): Promise<never> {
  throw new Error('jobs are run by the durable host')
}

export type DeliveryStatus = (typeof deliveryStates)[number]

/** One status that is sent to one integrator by webhook, until a receiver accepts it or the schedule ends. */
export const deliveryMachine = setup({
  types: {} as {
    context: DeliveryContext
    events: DeliveryEvent
    input: DeliveryInput
    tags: DeliveryStatus
    children: { attempt: 'attempt' }
  },
  actors: { attempt: fromPromise<AttemptOutput, { attempt: number }>(onlyOnHost) },
  delays: { RETRY: ({ context }) => context.retry_delay_ms },
  guards: {
    turnHasCome: ({ context }) => context.has_turn,
    receiverHasAccepted: (_, params: { outcome: AttemptOutput['outcome'] }) => params.outcome === 'delivered',
    receiverIsGone: (_, params: { outcome: AttemptOutput['outcome'] }) => params.outcome === 'gone',
    attemptsAreLeft: ({ context }) => context.attempt < context.schedule_ms.length,
    nextAttemptIsFar: ({ context }, params: Wait) =>
      context.attempt < context.schedule_ms.length && planWait(context, params) > maxHeldMs,
  },
  actions: {
    /** The host sends TURN to the transaction's first waiting delivery in the same commit, unless one is under way. */
    passTurnOn: () => {},
    takeTurn: assign({ has_turn: true }),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    startOver: assign({ attempt: 0, has_turn: false }),
    planRetry: assign({ retry_delay_ms: ({ context }, params: Wait) => planWait(context, params) }),
  },
}).createMachine({
  id: 'delivery',
  description: 'One status on its way to the integrator’s webhook.',
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
      always: { guard: 'turnHasCome', target: 'attempting', description: 'No earlier delivery is under way.' },
      on: {
        TURN: { target: 'attempting', actions: 'takeTurn', description: 'The delivery before it has ended.' },
      },
    },
    attempting: {
      tags: ['ATTEMPTING'],
      description: 'The request is signed and sent.',
      entry: 'countAttempt',
      invoke: {
        id: 'attempt',
        src: 'attempt',
        input: ({ context }) => ({ attempt: context.attempt }),
        onDone: [
          {
            guard: { type: 'receiverHasAccepted', params: ({ event }) => ({ outcome: event.output.outcome }) },
            target: 'delivered',
            description: 'The receiver answers 2xx.',
          },
          {
            guard: { type: 'receiverIsGone', params: ({ event }) => ({ outcome: event.output.outcome }) },
            target: 'gone',
            description: 'The receiver answers 410.',
          },
          {
            guard: { type: 'nextAttemptIsFar', params: ({ event }) => event.output },
            target: 'delayed',
            actions: { type: 'planRetry', params: ({ event }) => event.output },
            description:
              'The receiver refuses, or nobody answers, and the next attempt is more than five minutes away.',
          },
          {
            guard: 'attemptsAreLeft',
            target: 'backing_off',
            actions: { type: 'planRetry', params: ({ event }) => event.output },
            description: 'The receiver refuses, or nobody answers; another attempt follows.',
          },
          { target: 'exhausted', description: 'The last attempt failed too.' },
        ],
        onError: [
          {
            guard: { type: 'nextAttemptIsFar', params: { jitter: 0, retry_after_ms: null } },
            target: 'delayed',
            actions: { type: 'planRetry', params: { jitter: 0, retry_after_ms: null } },
            description: 'The request could not be made, and the next attempt is more than five minutes away.',
          },
          {
            guard: 'attemptsAreLeft',
            target: 'backing_off',
            actions: { type: 'planRetry', params: { jitter: 0, retry_after_ms: null } },
            description: 'The request could not be made; another attempt follows.',
          },
          { target: 'exhausted', description: 'The last request could not be made.' },
        ],
      },
    },
    backing_off: {
      tags: ['BACKING_OFF'],
      description: 'Waits as the schedule says, or as long as the receiver asks.',
      after: { RETRY: { target: 'attempting', description: 'The wait is over.' } },
    },
    delayed: {
      tags: ['DELAYED'],
      description: 'Waits for an attempt that is far away, and holds up no later status meanwhile.',
      entry: 'passTurnOn',
      after: { RETRY: { target: 'attempting', description: 'The wait is over.' } },
    },
    delivered: {
      tags: ['DELIVERED'],
      description: 'The receiver has accepted it.',
      entry: 'passTurnOn',
      on: {
        REDELIVER: {
          target: 'pending',
          actions: ['startOver', 'passTurnOn'],
          description: 'The integrator asks for it again.',
        },
      },
    },
    exhausted: {
      tags: ['EXHAUSTED'],
      description: 'Kept and replayable: no receiver accepted it in the whole schedule.',
      entry: 'passTurnOn',
      on: {
        REDELIVER: {
          target: 'pending',
          actions: ['startOver', 'passTurnOn'],
          description: 'The integrator asks for it again.',
        },
      },
    },
    gone: {
      tags: ['GONE'],
      description: 'The receiver wants no more of it.',
      entry: 'passTurnOn',
      on: {
        REDELIVER: {
          target: 'pending',
          actions: ['startOver', 'passTurnOn'],
          description: 'The integrator asks for it again.',
        },
      },
    },
  },
})
