import { assertEvent, assign, fromPromise, setup } from 'xstate'

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
  readonly takes: Readonly<Record<CapturePart | 'challenge', number>>
  readonly analysis_attempt: number
  readonly decision: string | null
  readonly failure: FailureCode | null
}

/** Who cancels, where it is not the device. */
export type Canceller = 'integrator' | 'erasure'

/** What the person shows: each is taken and retaken a limited number of times. */
export type CapturePart = 'front' | 'back' | 'selfie'

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

/** How many of the challenge's actions are still without a frame; null if the frame is not of this challenge. */
const framesMissing = (challenge: LivenessChallenge | null, event: TransactionEvent): number | null => {
  assertEvent(event, 'FRAME_CAPTURED')
  const { challenge_id, position } = event
  return challenge_id === challenge?.challenge_id && position < challenge.frames.length
    ? challenge.frames.filter((frame, other) => frame === null && other !== position).length
    : null
}

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
    children: { admission: 'admission'; analysis: 'analysis' }
  },
  actors: {
    admission: fromPromise<null, undefined>(onlyOnHost),
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
    takesLeft: ({ context }, { part }: { part: CapturePart }) => context.takes[part] < context.limits.capture_attempts,
    challengesLeft: ({ context }) => context.takes.challenge < context.limits.challenge_attempts,
    answersChallenge: ({ context, event }) => framesMissing(context.challenge, event) !== null,
    answersLastAction: ({ context, event }) => framesMissing(context.challenge, event) === 0,
    everyStepIsTaken: ({ context }) =>
      (needsNoDocument(context) || (context.front !== null && !missesBack(context))) &&
      context.selfie !== null &&
      isAnswered(context.challenge),
    captureIsUnreadable: (_, params: { error: unknown }) => isUnreadable(params.error),
    /** What was handed in is judged, whatever the person would rather have then. */
    isNotByDevice: ({ event }) => {
      assertEvent(event, 'CANCEL')
      return event.by !== undefined
    },
    analysisAttemptsLeft: ({ context }) => context.analysis_attempt < context.limits.analysis_attempts,
  },
  actions: {
    /** The host writes a delivery of `status` into the same commit. */
    notify: (_, _params: { status: string }) => {},
    declare: assign(({ event }) => {
      assertEvent(event, 'START')
      return { declared_document: event.declared_document, facts: event.facts }
    }),
    keepSignals: assign(({ event }) => {
      assertEvent(event, 'SIGNALS')
      return { signals: event.capture }
    }),
    keep: assign(({ context, event }, { part }: { part: CapturePart }) => {
      assertEvent(event, ['FRONT_CAPTURED', 'BACK_CAPTURED', 'SELFIE_CAPTURED'])
      return { [part]: event.capture, takes: { ...context.takes, [part]: context.takes[part] + 1 } }
    }),
    drop: assign((_, { part }: { part: CapturePart }) => ({ [part]: null })),
    keepChallenge: assign(({ context, event }) => {
      assertEvent(event, 'CHALLENGE_ISSUED')
      const { challenge_id, actions, expires_at } = event
      return {
        challenge: { challenge_id, actions, frames: actions.map(() => null), expires_at },
        takes: { ...context.takes, challenge: context.takes.challenge + 1 },
      }
    }),
    keepFrame: assign(({ context: { challenge }, event }) => {
      assertEvent(event, 'FRAME_CAPTURED')
      return { challenge: challenge && { ...challenge, frames: challenge.frames.with(event.position, event.capture) } }
    }),
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
          on: { COMPLETE: { guard: 'everyStepIsTaken', target: '#transaction.submitted' } },
          states: {
            document: {
              initial: 'awaiting_front',
              states: {
                awaiting_front: {
                  always: { guard: 'needsNoDocument', target: 'not_required' },
                  on: {
                    FRONT_CAPTURED: [
                      {
                        guard: { type: 'takesLeft', params: { part: 'front' } },
                        target: 'front_taken',
                        actions: { type: 'keep', params: { part: 'front' } },
                      },
                    ],
                  },
                },
                front_taken: {
                  description: 'A passport is complete; a card still needs its back.',
                  always: [{ guard: 'missesBack', target: 'awaiting_back' }, { target: 'captured' }],
                },
                awaiting_back: {
                  on: {
                    FRONT_CAPTURED: {
                      guard: { type: 'takesLeft', params: { part: 'front' } },
                      actions: { type: 'keep', params: { part: 'front' } },
                    },
                    FRONT_DROPPED: { target: 'awaiting_front', actions: { type: 'drop', params: { part: 'front' } } },
                    BACK_CAPTURED: {
                      guard: { type: 'takesLeft', params: { part: 'back' } },
                      target: 'captured',
                      actions: { type: 'keep', params: { part: 'back' } },
                    },
                  },
                },
                captured: {
                  on: {
                    FRONT_CAPTURED: {
                      guard: { type: 'takesLeft', params: { part: 'front' } },
                      actions: { type: 'keep', params: { part: 'front' } },
                    },
                    FRONT_DROPPED: { target: 'awaiting_front', actions: { type: 'drop', params: { part: 'front' } } },
                    BACK_CAPTURED: {
                      guard: { type: 'takesLeft', params: { part: 'back' } },
                      actions: { type: 'keep', params: { part: 'back' } },
                    },
                    BACK_DROPPED: {
                      guard: 'hasBack',
                      target: 'front_taken',
                      actions: { type: 'drop', params: { part: 'back' } },
                    },
                  },
                },
                not_required: { description: 'BIOMETRIC_ONLY shows no document.' },
              },
            },
            selfie: {
              initial: 'awaiting_selfie',
              states: {
                awaiting_selfie: {
                  on: {
                    SELFIE_CAPTURED: {
                      guard: { type: 'takesLeft', params: { part: 'selfie' } },
                      target: 'captured',
                      actions: { type: 'keep', params: { part: 'selfie' } },
                    },
                  },
                },
                captured: {
                  on: {
                    SELFIE_CAPTURED: {
                      guard: { type: 'takesLeft', params: { part: 'selfie' } },
                      actions: { type: 'keep', params: { part: 'selfie' } },
                    },
                    SELFIE_DROPPED: {
                      target: 'awaiting_selfie',
                      actions: { type: 'drop', params: { part: 'selfie' } },
                    },
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
    submitted: {
      description: 'What was handed in is judged; only the integrator and an erasure still end it before.',
      initial: 'COMPLETED',
      on: {
        CANCEL: {
          guard: 'isNotByDevice',
          target: 'FAILED',
          actions: { type: 'fail', params: { failure: 'CANCELLED' } },
        },
      },
      states: {
        COMPLETED: {
          tags: ['COMPLETED'],
          description: 'Committed, seen and told; waits until an analyser has room.',
          entry: { type: 'notify', params: { status: 'COMPLETED' } },
          invoke: {
            id: 'admission',
            src: 'admission',
            onDone: { target: 'PROCESSING' },
            onError: {
              target: '#transaction.FAILED',
              actions: { type: 'fail', params: { failure: 'ANALYSIS_ERROR' } },
            },
          },
        },
        PROCESSING: {
          tags: ['PROCESSING'],
          description: 'The captures are judged, with retries, within a deadline.',
          entry: { type: 'notify', params: { status: 'PROCESSING' } },
          after: {
            ANALYSIS_DEADLINE: {
              target: '#transaction.FAILED',
              actions: { type: 'fail', params: { failure: 'ANALYSIS_TIMEOUT' } },
            },
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
                    guard: { type: 'captureIsUnreadable', params: ({ event }) => ({ error: event.error }) },
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
      },
    },
    FINISHED: { tags: ['FINISHED'], type: 'final', entry: { type: 'notify', params: { status: 'FINISHED' } } },
    FAILED: { tags: ['FAILED'], type: 'final', entry: { type: 'notify', params: { status: 'FAILED' } } },
    EXPIRED: { tags: ['EXPIRED'], type: 'final', entry: { type: 'notify', params: { status: 'EXPIRED' } } },
  },
})
