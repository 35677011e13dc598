import { assign, fromPromise, setup } from 'xstate'

/** The chart's persisted names are schema: change one only together with this number (see test/golden). */
export const transactionChartVersion = 1

/** Limits that a transaction keeps for its life, whatever the settings become meanwhile. */
export interface TransactionLimits {
  readonly ttl_ms: number
  readonly capture_attempts: number
  readonly challenge_attempts: number
  readonly challenge_ms: number
  readonly analysis_attempts: number
  readonly analysis_backoff_ms: number
  readonly analysis_deadline_ms: number
}

/** Where a capture lies; its pixels never enter a snapshot. */
export interface CaptureReference {
  readonly capture_id: string
  readonly digest: string
}

/** `PASSPORT` has one side, a card two; `UNDECLARED` leaves the back to the person. */
export type DeclaredDocument = 'PASSPORT' | 'ID_CARD' | 'DRIVING_LICENSE' | 'RESIDENCE_PERMIT' | 'UNDECLARED'

/** A challenge that was issued, and the frames that have answered it so far: `frames[n]` answers `actions[n]`. */
export interface LivenessChallenge {
  readonly challenge_id: string
  readonly actions: readonly string[]
  readonly frames: readonly (CaptureReference | null)[]
  /** When it is void, in epoch milliseconds: a late timer gives no more time. */
  readonly expires_at: number
}

/** Why a transaction FAILED: a technical inability to decide (decisions.md, "States"). */
export type FailureCode = 'ANALYSIS_ERROR' | 'ANALYSIS_TIMEOUT' | 'CAPTURE_UNREADABLE' | 'CANCELLED'

/** What a transaction begins with. */
export interface TransactionInput {
  readonly transaction_type: 'DOCUMENT_AND_BIOMETRIC' | 'BIOMETRIC_ONLY'
  readonly limits: TransactionLimits
}

/** What a transaction remembers: references and counts, nothing personal. */
export interface TransactionContext extends TransactionInput {
  readonly declared_document: DeclaredDocument
  /** What the device told at the start: its facts, location permission, consent. */
  readonly facts: CaptureReference | null
  readonly front: CaptureReference | null
  readonly back: CaptureReference | null
  readonly selfie: CaptureReference | null
  readonly signals: CaptureReference | null
  readonly challenge: LivenessChallenge | null
  /** How often each was taken, retakes included. */
  readonly takes: { readonly front: number; readonly back: number; readonly selfie: number; readonly challenge: number }
  readonly analysis_attempt: number
  readonly decision: string | null
  readonly failure: FailureCode | null
}

/** Who cancels, where it is not the device. */
export type Canceller = 'integrator' | 'erasure'

/** What the device and the integrator can tell a transaction. */
export type TransactionEvent =
  | { type: 'START'; declared_document: DeclaredDocument; facts: CaptureReference }
  | { type: 'SIGNALS'; capture: CaptureReference }
  | { type: 'FRONT_CAPTURED'; capture: CaptureReference }
  | { type: 'BACK_CAPTURED'; capture: CaptureReference }
  | { type: 'SELFIE_CAPTURED'; capture: CaptureReference }
  | { type: 'CHALLENGE_ISSUED'; challenge_id: string; actions: readonly string[]; expires_at: number }
  | { type: 'FRAME_CAPTURED'; challenge_id: string; position: number; capture: CaptureReference }
  | { type: 'FRONT_DROPPED' }
  | { type: 'BACK_DROPPED' }
  | { type: 'SELFIE_DROPPED' }
  | { type: 'CHALLENGE_DROPPED' }
  | { type: 'COMPLETE' }
  | { type: 'CANCEL'; by?: Canceller; client_id?: string }

/** What an analysis tells the chart. The findings themselves are sealed beside it in the same commit. */
export interface AnalysisOutput {
  readonly decision: 'APPROVED' | 'REJECTED' | 'UNDETERMINED'
  /** Pins the decision's trace in the journal, which keeps this event. */
  readonly trace_sha256: string
}

const needsNoDocument = (context: TransactionContext): boolean => context.transaction_type === 'BIOMETRIC_ONLY'

const missesBack = (context: TransactionContext): boolean =>
  context.back === null && context.declared_document !== 'PASSPORT' && context.declared_document !== 'UNDECLARED'

const isAnswered = (challenge: LivenessChallenge | null): boolean =>
  challenge?.frames.every(frame => frame !== null) === true

/** How many of the challenge's actions are still without a frame, or none if the frame is not of this challenge. */
const framesMissing = (challenge: LivenessChallenge | null, event: TransactionEvent): number | null =>
  event.type === 'FRAME_CAPTURED' &&
  event.challenge_id === challenge?.challenge_id &&
  event.position < challenge.frames.length
    ? challenge.frames.filter((frame, position) => frame === null && position !== event.position).length
    : null

/** The codes that a failed analysis can carry in its error's `code`. */
const isUnreadable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'CAPTURE_UNREADABLE'

const onlyOnHost = async (): Promise<never> => {
  throw new Error('jobs are run by the durable host')
}

/** One verification from CREATED to its end (spec, "States and transitions"). */
export const transactionMachine = setup({
  types: {} as {
    context: TransactionContext
    events: TransactionEvent
    input: TransactionInput
    tags: 'CREATED' | 'INITIATED' | 'COMPLETED' | 'PROCESSING' | 'FINISHED' | 'FAILED' | 'EXPIRED'
  },
  actors: {
    admission: fromPromise<undefined, undefined>(onlyOnHost),
    analysis: fromPromise<AnalysisOutput, { attempt: number }>(onlyOnHost),
  },
  delays: {
    TTL: ({ context }) => context.limits.ttl_ms,
    CHALLENGE_TTL: ({ context }) => context.limits.challenge_ms,
    ANALYSIS_BACKOFF: ({ context }) => context.limits.analysis_backoff_ms,
    ANALYSIS_DEADLINE: ({ context }) => context.limits.analysis_deadline_ms,
  },
  guards: {
    needsNoDocument: ({ context }) => needsNoDocument(context),
    missesBack: ({ context }) => missesBack(context),
    hasBack: ({ context }) => context.back !== null,
    frontTakesLeft: ({ context }) => context.takes.front < context.limits.capture_attempts,
    backTakesLeft: ({ context }) => context.takes.back < context.limits.capture_attempts,
    selfieTakesLeft: ({ context }) => context.takes.selfie < context.limits.capture_attempts,
    challengesLeft: ({ context }) => context.takes.challenge < context.limits.challenge_attempts,
    answersChallenge: ({ context, event }) => framesMissing(context.challenge, event) !== null,
    answersLastAction: ({ context, event }) => framesMissing(context.challenge, event) === 0,
    everyStepIsTaken: ({ context }) =>
      (needsNoDocument(context) || (context.front !== null && !missesBack(context))) &&
      context.selfie !== null &&
      isAnswered(context.challenge),
    captureIsUnreadable: ({ event }) => 'error' in event && isUnreadable(event.error),
    /** What was handed in is judged, whatever the person would rather have then. */
    isNotByDevice: ({ event }) => event.type === 'CANCEL' && event.by !== undefined,
    analysisAttemptsLeft: ({ context }) => context.analysis_attempt < context.limits.analysis_attempts,
  },
  actions: {
    /** The host writes a delivery of `status` into the same commit. */
    notify: (_, _params: { status: string }) => {},
    declare: assign(({ event }) =>
      event.type === 'START' ? { declared_document: event.declared_document, facts: event.facts } : {},
    ),
    keepSignals: assign(({ event }) => (event.type === 'SIGNALS' ? { signals: event.capture } : {})),
    keepFront: assign(({ context, event }) =>
      event.type === 'FRONT_CAPTURED'
        ? { front: event.capture, takes: { ...context.takes, front: context.takes.front + 1 } }
        : {},
    ),
    keepBack: assign(({ context, event }) =>
      event.type === 'BACK_CAPTURED'
        ? { back: event.capture, takes: { ...context.takes, back: context.takes.back + 1 } }
        : {},
    ),
    keepSelfie: assign(({ context, event }) =>
      event.type === 'SELFIE_CAPTURED'
        ? { selfie: event.capture, takes: { ...context.takes, selfie: context.takes.selfie + 1 } }
        : {},
    ),
    keepChallenge: assign(({ context, event }) =>
      event.type === 'CHALLENGE_ISSUED'
        ? {
            challenge: {
              challenge_id: event.challenge_id,
              actions: event.actions,
              frames: event.actions.map(() => null),
              expires_at: event.expires_at,
            },
            takes: { ...context.takes, challenge: context.takes.challenge + 1 },
          }
        : {},
    ),
    keepFrame: assign(({ context, event }) =>
      event.type === 'FRAME_CAPTURED' && context.challenge !== null
        ? { challenge: { ...context.challenge, frames: context.challenge.frames.with(event.position, event.capture) } }
        : {},
    ),
    dropFront: assign({ front: null }),
    dropBack: assign({ back: null }),
    dropSelfie: assign({ selfie: null }),
    dropChallenge: assign({ challenge: null }),
    countAnalysis: assign({ analysis_attempt: ({ context }) => context.analysis_attempt + 1 }),
    keepDecision: assign((_, params: { decision: string }) => ({ decision: params.decision })),
    fail: assign((_, params: { failure: FailureCode }) => ({ failure: params.failure })),
  },
}).createMachine({
  id: 'transaction',
  context: ({ input }) => ({
    transaction_type: input.transaction_type,
    limits: input.limits,
    declared_document: 'UNDECLARED',
    facts: null,
    front: null,
    back: null,
    selfie: null,
    signals: null,
    challenge: null,
    takes: { front: 0, back: 0, selfie: 0, challenge: 0 },
    analysis_attempt: 0,
    decision: null,
    failure: null,
  }),
  initial: 'open',
  states: {
    open: {
      description: 'The person has until the transaction’s lifetime ends, counted from its creation.',
      initial: 'CREATED',
      after: { TTL: { target: 'EXPIRED' } },
      on: { CANCEL: { target: 'FAILED', actions: { type: 'fail', params: { failure: 'CANCELLED' } } } },
      states: {
        CREATED: {
          tags: ['CREATED'],
          description: 'The backend has opened the transaction; the device has not begun.',
          on: { START: { target: 'INITIATED', actions: 'declare' } },
        },
        INITIATED: {
          tags: ['INITIATED'],
          description: 'The person takes the steps that the type asks for, in any order, retakes included.',
          entry: { type: 'notify', params: { status: 'INITIATED' } },
          type: 'parallel',
          on: { COMPLETE: { guard: 'everyStepIsTaken', target: '#transaction.COMPLETED' } },
          states: {
            document: {
              initial: 'awaiting_front',
              states: {
                awaiting_front: {
                  always: { guard: 'needsNoDocument', target: 'not_required' },
                  on: {
                    FRONT_CAPTURED: [{ guard: 'frontTakesLeft', target: 'front_taken', actions: 'keepFront' }],
                  },
                },
                front_taken: {
                  description: 'A passport is complete; a card still needs its back.',
                  always: [{ guard: 'missesBack', target: 'awaiting_back' }, { target: 'captured' }],
                },
                awaiting_back: {
                  on: {
                    FRONT_CAPTURED: { guard: 'frontTakesLeft', actions: 'keepFront' },
                    FRONT_DROPPED: { target: 'awaiting_front', actions: 'dropFront' },
                    BACK_CAPTURED: { guard: 'backTakesLeft', target: 'captured', actions: 'keepBack' },
                  },
                },
                captured: {
                  on: {
                    FRONT_CAPTURED: { guard: 'frontTakesLeft', actions: 'keepFront' },
                    FRONT_DROPPED: { target: 'awaiting_front', actions: 'dropFront' },
                    BACK_CAPTURED: { guard: 'backTakesLeft', actions: 'keepBack' },
                    BACK_DROPPED: { guard: 'hasBack', target: 'front_taken', actions: 'dropBack' },
                  },
                },
                not_required: { description: 'BIOMETRIC_ONLY shows no document.' },
              },
            },
            selfie: {
              initial: 'awaiting_selfie',
              states: {
                awaiting_selfie: {
                  on: { SELFIE_CAPTURED: { guard: 'selfieTakesLeft', target: 'captured', actions: 'keepSelfie' } },
                },
                captured: {
                  on: {
                    SELFIE_CAPTURED: { guard: 'selfieTakesLeft', actions: 'keepSelfie' },
                    SELFIE_DROPPED: { target: 'awaiting_selfie', actions: 'dropSelfie' },
                  },
                },
              },
            },
            liveness: {
              initial: 'awaiting_challenge',
              states: {
                awaiting_challenge: {
                  on: { CHALLENGE_ISSUED: { guard: 'challengesLeft', target: 'answering', actions: 'keepChallenge' } },
                },
                answering: {
                  description: 'The challenge is one-shot: its frames come in time, or it is void.',
                  after: { CHALLENGE_TTL: { target: 'awaiting_challenge', actions: 'dropChallenge' } },
                  on: {
                    CHALLENGE_ISSUED: {
                      guard: 'challengesLeft',
                      target: 'answering',
                      reenter: true,
                      actions: 'keepChallenge',
                    },
                    FRAME_CAPTURED: [
                      { guard: 'answersLastAction', target: 'captured', actions: 'keepFrame' },
                      { guard: 'answersChallenge', actions: 'keepFrame' },
                    ],
                    CHALLENGE_DROPPED: { target: 'awaiting_challenge', actions: 'dropChallenge' },
                  },
                },
                captured: {
                  on: {
                    CHALLENGE_ISSUED: { guard: 'challengesLeft', target: 'answering', actions: 'keepChallenge' },
                    CHALLENGE_DROPPED: { target: 'awaiting_challenge', actions: 'dropChallenge' },
                  },
                },
              },
            },
            signals: {
              initial: 'unreported',
              states: {
                unreported: { on: { SIGNALS: { target: 'reported', actions: 'keepSignals' } } },
                reported: { on: { SIGNALS: { actions: 'keepSignals' } } },
              },
            },
          },
        },
      },
    },
    COMPLETED: {
      tags: ['COMPLETED'],
      description: 'Committed, seen and told; waits until an analyser has room.',
      entry: { type: 'notify', params: { status: 'COMPLETED' } },
      on: {
        CANCEL: {
          guard: 'isNotByDevice',
          target: 'FAILED',
          actions: { type: 'fail', params: { failure: 'CANCELLED' } },
        },
      },
      invoke: {
        id: 'admission',
        src: 'admission',
        onDone: { target: 'PROCESSING' },
        onError: { target: 'FAILED', actions: { type: 'fail', params: { failure: 'ANALYSIS_ERROR' } } },
      },
    },
    PROCESSING: {
      tags: ['PROCESSING'],
      description: 'The captures are judged, with retries, within a deadline.',
      entry: { type: 'notify', params: { status: 'PROCESSING' } },
      on: {
        CANCEL: {
          guard: 'isNotByDevice',
          target: 'FAILED',
          actions: { type: 'fail', params: { failure: 'CANCELLED' } },
        },
      },
      after: {
        ANALYSIS_DEADLINE: { target: 'FAILED', actions: { type: 'fail', params: { failure: 'ANALYSIS_TIMEOUT' } } },
      },
      initial: 'analysing',
      states: {
        analysing: {
          entry: 'countAnalysis',
          invoke: {
            id: 'analysis',
            src: 'analysis',
            input: ({ context }) => ({ attempt: context.analysis_attempt }),
            onDone: {
              target: '#transaction.FINISHED',
              actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.output.decision }) },
            },
            onError: [
              {
                guard: 'captureIsUnreadable',
                target: '#transaction.FAILED',
                actions: { type: 'fail', params: { failure: 'CAPTURE_UNREADABLE' } },
              },
              { guard: 'analysisAttemptsLeft', target: 'backing_off' },
              {
                target: '#transaction.FAILED',
                actions: { type: 'fail', params: { failure: 'ANALYSIS_ERROR' } },
              },
            ],
          },
        },
        backing_off: { after: { ANALYSIS_BACKOFF: { target: 'analysing' } } },
      },
    },
    FINISHED: { tags: ['FINISHED'], type: 'final', entry: { type: 'notify', params: { status: 'FINISHED' } } },
    FAILED: { tags: ['FAILED'], type: 'final', entry: { type: 'notify', params: { status: 'FAILED' } } },
    EXPIRED: { tags: ['EXPIRED'], type: 'final', entry: { type: 'notify', params: { status: 'EXPIRED' } } },
  },
})
