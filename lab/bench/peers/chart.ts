import { assign, fromPromise, setup } from 'xstate'

/** The events that every contender gets after its creation. */
export type PeerEvent = { type: 'START' } | { type: 'CAPTURE'; digest: string } | { type: 'COMPLETE' }

export interface PeerInput {
  readonly id: string
}

interface PeerContext extends PeerInput {
  readonly captures: readonly string[]
  readonly decision: string
}

export const ttlMs = 3_600_000
export const analysisDeadlineMs = 300_000

/** The engine that makes the chart durable does its jobs. */
async function runElsewhere(): Promise<never> {
  throw new Error('jobs are not run by the chart')
}

/** A small verification: nine events, two timers, an analysis and one notification. */
export const peerMachine = setup({
  types: {} as {
    context: PeerContext
    events: PeerEvent
    input: PeerInput
    tags: 'CREATED' | 'INITIATED' | 'PROCESSING' | 'FINISHED' | 'NOTIFIED' | 'FAILED' | 'EXPIRED'
    children: { analyse: 'analyse'; notify: 'notify' }
  },
  actors: {
    analyse: fromPromise<{ decision: string }, PeerInput>(runElsewhere),
    notify: fromPromise<null, PeerInput>(runElsewhere),
  },
  delays: { TTL: ttlMs, ANALYSIS_DEADLINE: analysisDeadlineMs },
  actions: {
    keepCapture: assign({ captures: ({ context }, { digest }: { digest: string }) => [...context.captures, digest] }),
    keepDecision: assign({ decision: (_, { decision }: { decision: string }) => decision }),
  },
}).createMachine({
  id: 'peer',
  context: ({ input }) => ({ id: input.id, captures: [], decision: '' }),
  initial: 'open',
  states: {
    open: {
      after: { TTL: { target: 'expired' } },
      initial: 'created',
      states: {
        created: { tags: ['CREATED'], on: { START: { target: 'initiated' } } },
        initiated: {
          tags: ['INITIATED'],
          on: {
            CAPTURE: { actions: { type: 'keepCapture', params: ({ event }) => ({ digest: event.digest }) } },
            COMPLETE: { target: '#peer.processing' },
          },
        },
      },
    },
    processing: {
      tags: ['PROCESSING'],
      after: { ANALYSIS_DEADLINE: { target: 'failed' } },
      invoke: {
        id: 'analyse',
        src: 'analyse',
        input: ({ context }) => ({ id: context.id }),
        onDone: {
          target: 'finished',
          actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.output.decision }) },
        },
        onError: { target: 'failed' },
      },
    },
    finished: {
      tags: ['FINISHED'],
      invoke: {
        id: 'notify',
        src: 'notify',
        input: ({ context }) => ({ id: context.id }),
        onDone: { target: 'notified' },
        onError: { target: 'failed' },
      },
    },
    notified: { type: 'final', tags: ['NOTIFIED'] },
    failed: { type: 'final', tags: ['FAILED'] },
    expired: { type: 'final', tags: ['EXPIRED'] },
  },
})
