import type {
  CapturePart,
  ChipAbsence,
  Decision,
  DocumentType,
  FailureCode,
  LivenessAction,
  TransactionType,
  WalletPolicy,
} from '@attestor/rules'
import { assertEvent, assign, fromPromise, setup } from 'xstate'
import type { statuses } from './words.ts'

/** The chart's persisted names are schema: change one only together with this number (see test/golden). */
export const transactionChartVersion = 1

/** Limits that a transaction keeps for its life, even if settings change meanwhile. */
export interface TransactionLimits {
  readonly ttl_ms: number
  readonly capture_attempts: number
  readonly challenge_attempts: number
  readonly challenge_ms: number
  /** Whether a wallet may be asked, beside photographs or in their place alone. */
  readonly wallet: WalletPolicy
  /** The time that a request to a wallet is open. */
  readonly wallet_ms: number
  /** The time in which a device attests its key. */
  readonly attestation_ms: number
  readonly analysis_attempts: number
  readonly analysis_backoff_ms: number
  readonly analysis_deadline_ms: number
  /** The time that an UNDETERMINED analysis waits for a reviewer; null for accounts without reviews. */
  readonly review_ms: number | null
  /** Number of times that the person may take captures again that could not be judged. */
  readonly resubmissions: number
}

/** Identifies a capture; its pixels never enter a snapshot. */
export interface CaptureReference {
  readonly capture_id: string
  readonly digest: string
  /** The nonce of the signature that the capture came with, by the device's attested key. Absent where it came without one. */
  readonly signed?: string
}

/** `UNDECLARED` leaves the back to the person. */
export type DeclaredDocument = DocumentType | 'UNDECLARED'

/** A challenge that was issued, and the frames that have answered it so far: `frames[n]` answers `actions[n]`. */
export interface LivenessChallenge {
  readonly challenge_id: string
  readonly actions: readonly LivenessAction[]
  readonly frames: readonly (CaptureReference | null)[]
  /** The challenge becomes void at this instant, in epoch milliseconds: a late timer gives no extra time. */
  readonly expires_at: number
}

/** Eight random bytes that a document's chip signs to show that it is no copy. Used once. */
interface ChipChallenge {
  readonly challenge_id: string
  /** The nonce in hex. */
  readonly nonce: string
  /** The challenge becomes void at this instant, in epoch milliseconds. */
  readonly expires_at: number
}

/** A request to a wallet. Its nonce and its key are in the capture, encrypted. It is answered once. */
interface WalletRequest {
  readonly request_id: string
  readonly capture: CaptureReference
  /** The request becomes void at this instant, in epoch milliseconds. */
  readonly expires_at: number
}

/** Random bytes that a device's maker attests a key for. They are answered once. */
interface AttestationChallenge {
  readonly challenge_id: string
  /** The nonce in hex. */
  readonly nonce: string
  /** The challenge becomes void at this instant, in epoch milliseconds. */
  readonly expires_at: number
}

/** A device's attested key, and its maker's statement about the device. */
interface AttestationReference extends CaptureReference {
  /** The challenge that it answered, which signatures by the key name. */
  readonly challenge_id: string
  /** Number of the attested device: the attestation counts as long as that device captures. */
  readonly device: number
}

/** Parts that the analysis could not judge, for which it asks the person again. */
export interface Resubmission {
  /** Parts that the person still has to take. */
  readonly parts: readonly (CapturePart | 'challenge')[]
  /** The rest of the transaction's lifetime, in milliseconds. */
  readonly expires_in_ms: number
  /** The answered challenge that a new one replaces once that is answered too. */
  readonly answered: LivenessChallenge | null
}

export interface TransactionInput {
  readonly transaction_type: TransactionType
  readonly limits: TransactionLimits
}

/** The parts whose takes are counted. */
export type CountedPart = CapturePart | 'challenge' | 'chip' | 'wallet' | 'attestation'

/** The context of a transaction: references and counts, no personal data. */
export interface TransactionContext extends TransactionInput {
  readonly declared_document: DeclaredDocument
  /** The device's report at the start: its facts, location permission, consent. */
  readonly facts: CaptureReference | null
  readonly front: CaptureReference | null
  readonly back: CaptureReference | null
  readonly selfie: CaptureReference | null
  readonly signals: CaptureReference | null
  readonly challenge: LivenessChallenge | null
  /** The reading of the document's chip, or the device's report that there is none. */
  readonly chip: CaptureReference | null
  readonly chip_challenge: ChipChallenge | null
  /** Why the device read no chip; null: it read one, or has said nothing. */
  readonly chip_unavailable: ChipAbsence | null
  readonly attestation: AttestationReference | null
  readonly attestation_challenge: AttestationChallenge | null
  /** The open request to a wallet, or the one that `wallet` answers. */
  readonly wallet_request: WalletRequest | null
  /** A wallet's answer, in place of pictures of a document. */
  readonly wallet: CaptureReference | null
  /** The number of times that each part was taken, retakes included; of a wallet, that it was asked, and of attestations, the challenges. */
  readonly takes: Readonly<Record<CountedPart, number>>
  /** Set while the person is asked for captures again. */
  readonly resubmission: Resubmission | null
  /** The number of times that the person was asked and submitted again. */
  readonly resubmissions: number
  /** Number of the device that captures: 0 is the first, and each hand-off adds one. */
  readonly device: number
  /** The last device so far: no two have one number, as the first takes the capture back at times. */
  readonly last_device: number
  readonly analysis_attempt: number
  readonly decision: Decision | null
  readonly failure: FailureCode | null
}

/** The party that cancels, if it is not the device. */
type Canceller = 'integrator' | 'erasure' | 'operator'

/** The events that the device, the integrator, an operator and an erasure send. */
export type TransactionEvent =
  | { type: 'START'; declared_document: DeclaredDocument; facts: CaptureReference }
  | { type: 'DOCUMENT_CHANGED'; declared_document: DeclaredDocument }
  | { type: 'SIGNALS'; capture: CaptureReference }
  | { type: 'FRONT_CAPTURED'; capture: CaptureReference }
  | { type: 'BACK_CAPTURED'; capture: CaptureReference }
  | { type: 'SELFIE_CAPTURED'; capture: CaptureReference }
  | { type: 'CHALLENGE_ISSUED'; challenge_id: string; actions: readonly LivenessAction[]; expires_at: number }
  | { type: 'FRAME_CAPTURED'; challenge_id: string; position: number; capture: CaptureReference }
  | { type: 'CHIP_CHALLENGE_ISSUED'; challenge_id: string; nonce: string; expires_at: number }
  | { type: 'CHIP_READ'; challenge_id: string | null; capture: CaptureReference; unavailable?: ChipAbsence }
  | { type: 'CHIP_DROPPED' }
  | { type: 'WALLET_REQUESTED'; request_id: string; capture: CaptureReference; expires_at: number }
  | { type: 'WALLET_ANSWERED'; request_id: string; capture: CaptureReference }
  | { type: 'WALLET_REFUSED'; request_id: string; reason: string }
  | { type: 'WALLET_DROPPED' }
  | { type: 'ATTESTATION_CHALLENGED'; challenge_id: string; nonce: string; expires_at: number }
  | { type: 'ATTESTED'; challenge_id: string; capture: CaptureReference }
  | { type: 'ATTESTATION_REFUSED'; challenge_id: string; reason: string }
  | { type: 'FRONT_DROPPED' }
  | { type: 'BACK_DROPPED' }
  | { type: 'SELFIE_DROPPED' }
  | { type: 'CHALLENGE_DROPPED' }
  | { type: 'HANDED_OFF' }
  | { type: 'HANDED_BACK' }
  | { type: 'COMPLETE' }
  | { type: 'CANCEL'; by?: Canceller; client_id?: string; operator_id?: string }
  | { type: 'REVIEWED'; by: 'operator'; operator_id: string; decision: Decision; reason_sha256: string }

export type TransactionStatus = (typeof statuses)[number]

/** The result of an analysis. The findings themselves are encrypted and stored by the same commit. */
export interface AnalysisOutput {
  readonly decision: Decision
  /** Pins the decision's trace in the journal, which keeps this event. Absent where the person is asked again: nothing is decided. */
  readonly trace_sha256?: string
  readonly resubmission?: Resubmission
}

export function countTakesLeft({ limits, takes }: TransactionContext, kind: CountedPart): number {
  return (kind === 'challenge' ? limits.challenge_attempts : limits.capture_attempts) - takes[kind]
}

function documentIsNotRequired(context: TransactionContext): boolean {
  return context.transaction_type === 'BIOMETRIC_ONLY'
}

/** Lists the captures that a context names. */
export function listReferences(context: TransactionContext): readonly CaptureReference[] {
  const { facts, signals, attestation, wallet_request, wallet, resubmission } = context
  const named = [facts, signals, attestation, wallet_request?.capture ?? null, wallet]
  const answered = resubmission?.answered?.frames ?? []
  return [...listSignable(context), ...[...named, ...answered].filter(one => one !== null)]
}

/** The captures that the key of an attested device can sign. */
export type SignableCaptures = Pick<TransactionContext, 'front' | 'back' | 'selfie' | 'challenge' | 'chip'>

export function listSignable(captures: SignableCaptures): readonly CaptureReference[] {
  const { front, back, selfie, challenge, chip } = captures
  return [front, back, selfie, chip, ...(challenge?.frames ?? [])].filter(one => one !== null)
}

/** Whether nothing but the wallet's answer is asked: an age that its issuer signs needs no face. */
function isWalletAlone({ transaction_type, wallet, limits }: TransactionContext): boolean {
  return transaction_type === 'AGE' && (wallet !== null || limits.wallet === 'REQUIRE')
}

/** Whether a selfie and a challenge are taken. */
export function takesFace(context: TransactionContext): boolean {
  return !isWalletAlone(context)
}

/** Whether pictures of a document may be taken, and its chip be read. */
export function takesPhotographs(context: TransactionContext): boolean {
  return !documentIsNotRequired(context) && context.limits.wallet !== 'REQUIRE' && context.wallet === null
}

/** Whether the wallet may be asked, or asked again. */
export function mayAskWallet(context: TransactionContext): boolean {
  return context.limits.wallet !== 'IGNORE' && !documentIsNotRequired(context) && countTakesLeft(context, 'wallet') > 0
}

const needsBack: Readonly<Record<DeclaredDocument, boolean>> = {
  PASSPORT: false,
  ID_CARD: true,
  DRIVING_LICENSE: true,
  RESIDENCE_PERMIT: true,
  UNDECLARED: false,
}

export function isBackRequired({ declared_document }: TransactionContext): boolean {
  return needsBack[declared_document]
}

function backIsMissing(context: TransactionContext): boolean {
  return context.back === null && context.wallet === null && isBackRequired(context)
}

export function isAnswered(challenge: LivenessChallenge | null): boolean {
  return challenge?.frames.every(frame => frame !== null) === true
}

/** Returns the number of the challenge's actions without a frame; null if the frame is not of this challenge. */
function framesMissing(challenge: LivenessChallenge | null, event: TransactionEvent): number | null {
  assertEvent(event, 'FRAME_CAPTURED')
  const { challenge_id, position } = event
  return challenge_id === challenge?.challenge_id && position < challenge.frames.length
    ? challenge.frames.filter((frame, other) => frame === null && other !== position).length
    : null
}

function hasDocument(context: TransactionContext): boolean {
  const isPictured = context.front !== null && !backIsMissing(context)
  return documentIsNotRequired(context) || context.wallet !== null || (takesPhotographs(context) && isPictured)
}

function hasFace(context: TransactionContext): boolean {
  return !takesFace(context) || (context.selfie !== null && isAnswered(context.challenge))
}

function mayTake(context: TransactionContext, part: CapturePart): boolean {
  return countTakesLeft(context, part) > 0 && (part === 'selfie' ? takesFace(context) : takesPhotographs(context))
}

/** Whether the person may take these again. */
export function mayResubmit(context: TransactionContext, parts: Resubmission['parts']): boolean {
  const { limits, resubmissions } = context
  const isAllowed = resubmissions < limits.resubmissions
  return isAllowed && parts.length > 0 && parts.every(part => countTakesLeft(context, part) > 0)
}

/** One part fewer to take. */
function withoutPart({ resubmission }: TransactionContext, part: CapturePart | 'challenge') {
  return resubmission === null
    ? {}
    : { resubmission: { ...resubmission, parts: resubmission.parts.filter(one => one !== part) } }
}

/** The earlier captures are judged until those that are asked for again replace them. */
function withChallengeAgain({ resubmission, challenge }: TransactionContext) {
  if (resubmission === null) return {}
  const { parts, answered } = resubmission
  const kept = isAnswered(challenge) ? challenge : answered
  return { resubmission: { ...resubmission, parts: [...new Set([...parts, 'challenge' as const])], answered: kept } }
}

/** The context without any capture of the person. */
const nobody = {
  facts: null,
  front: null,
  back: null,
  selfie: null,
  signals: null,
  challenge: null,
  chip: null,
  chip_challenge: null,
  chip_unavailable: null,
  attestation: null,
  attestation_challenge: null,
  wallet_request: null,
  wallet: null,
  resubmission: null,
} as const satisfies Partial<TransactionContext>

/** The codes that a failed analysis can carry in its error's `code`. */
function isUnreadable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'CAPTURE_UNREADABLE'
}

async function onlyOnHost(): Promise<never> {
  throw new Error('jobs are run by the durable host')
}

/** One verification from CREATED to its end: the seven statuses that the integrator sees are the states in capitals. */
export const transactionMachine = setup({
  types: {} as {
    context: TransactionContext
    events: TransactionEvent
    input: TransactionInput
    tags: TransactionStatus
    children: { admission: 'admission'; analysis: 'analysis' }
  },
  actors: {
    admission: fromPromise<null, undefined>(onlyOnHost),
    analysis: fromPromise<AnalysisOutput, { attempt: number }>(onlyOnHost),
  },
  delays: {
    TTL: ({ context }) => context.limits.ttl_ms,
    CHALLENGE_TTL: ({ context }) => context.limits.challenge_ms,
    WALLET_TTL: ({ context }) => context.limits.wallet_ms,
    ATTESTATION_TTL: ({ context }) => context.limits.attestation_ms,
    ANALYSIS_BACKOFF: ({ context }) => context.limits.analysis_backoff_ms,
    ANALYSIS_DEADLINE: ({ context }) => context.limits.analysis_deadline_ms,
    RESUBMISSION_DEADLINE: ({ context }) => context.resubmission?.expires_in_ms ?? 0,
    REVIEW_DEADLINE: ({ context }) => context.limits.review_ms ?? 0,
  },
  guards: {
    documentIsNotRequired: ({ context }) => documentIsNotRequired(context),
    documentIsAnother: ({ context, event }) => {
      assertEvent(event, 'DOCUMENT_CHANGED')
      return event.declared_document !== context.declared_document
    },
    backIsMissing: ({ context }) => backIsMissing(context),
    backIsCaptured: ({ context }) => context.back !== null,
    attemptsAreLeft: ({ context }, { part }: { part: CapturePart }) => mayTake(context, part),
    frontIsCaptured: ({ context }) => context.front !== null,
    walletMayBeAsked: ({ context }) => mayAskWallet(context),
    answersWalletRequest: ({ context, event }) => {
      assertEvent(event, ['WALLET_ANSWERED', 'WALLET_REFUSED'])
      return event.request_id === context.wallet_request?.request_id
    },
    challengesAreLeft: ({ context }) => countTakesLeft(context, 'challenge') > 0 && takesFace(context),
    frameAnswersChallenge: ({ context, event }) => framesMissing(context.challenge, event) !== null,
    frameAnswersLastAction: ({ context, event }) => framesMissing(context.challenge, event) === 0,
    photographsAreTaken: ({ context }) => takesPhotographs(context),
    /** Without a challenge the chip has signed nothing, which the rules judge. */
    chipMayBeRead: ({ context, event }) => {
      assertEvent(event, 'CHIP_READ')
      const { challenge_id } = event
      return (
        takesPhotographs(context) &&
        countTakesLeft(context, 'chip') > 0 &&
        (challenge_id === null || challenge_id === context.chip_challenge?.challenge_id)
      )
    },
    chipIsRead: ({ context }) => context.chip !== null,
    attestationsAreLeft: ({ context }) => countTakesLeft(context, 'attestation') > 0,
    answersAttestationChallenge: ({ context, event }) => {
      assertEvent(event, ['ATTESTED', 'ATTESTATION_REFUSED'])
      return event.challenge_id === context.attestation_challenge?.challenge_id
    },
    everyStepIsTaken: ({ context }) => hasDocument(context) && hasFace(context),
    everyPartIsTakenAgain: ({ context }) => !backIsMissing(context) && context.resubmission?.parts.length === 0,
    mayResubmit: ({ context }, params: { resubmission: Resubmission | undefined }) =>
      params.resubmission !== undefined && mayResubmit(context, params.resubmission.parts),
    mayTakeAgain: ({ context }, { part }: { part: CapturePart }) => mayTake(context, part),
    isCancelledByDevice: ({ event }) => {
      assertEvent(event, 'CANCEL')
      return event.by === undefined
    },
    captureIsUnreadable: (_, params: { error: unknown }) => isUnreadable(params.error),
    /** After completion the captures are judged, even if the person cancels. */
    isNotCancelledByDevice: ({ event }) => {
      assertEvent(event, 'CANCEL')
      return event.by !== undefined
    },
    /** A reviewer decides only if the rules leave the decision open and the account has reviewers. */
    isForReview: ({ context }, params: { decision: Decision }) =>
      context.limits.review_ms !== null && params.decision === 'UNDETERMINED',
    analysisAttemptsAreLeft: ({ context }) => context.analysis_attempt < context.limits.analysis_attempts,
  },
  actions: {
    /** The host writes a delivery of `status` into the same commit, if the integrator asked for it. */
    notifyIntegrator: (_, _params: { status: TransactionStatus }) => {},
    /** The host deletes the images that the snapshot does not name: those of challenges that expired. The analysis needs the findings. */
    deleteStrayCaptures: (_, _params: { findings: 'keep' | 'delete' }) => {},
    /** The host deletes everything that was captured where the answer is an age without a name. */
    deletePerson: () => {},
    /** The host puts the transaction on the list of the reviewers, until it ends. */
    openReview: () => {},
    /** The host writes the columns that are searched: the decision of a review, the code of a failure. */
    recordDecision: (_, _params: { decision: Decision }) => {},
    recordFailure: (_, _params: { failure: FailureCode | null }) => {},
    keepReview: assign(({ event }) => {
      assertEvent(event, 'REVIEWED')
      return { decision: event.decision }
    }),
    keepDeclaration: assign(({ event }) => {
      assertEvent(event, 'START')
      return { declared_document: event.declared_document, facts: event.facts }
    }),
    /** The attempts stay counted: changing the document gives no more of them. */
    changeDocument: assign(({ event }) => {
      assertEvent(event, 'DOCUMENT_CHANGED')
      return { declared_document: event.declared_document, front: null, back: null, chip: null, chip_unavailable: null }
    }),
    askResubmission: assign((_, params: { resubmission: Resubmission | undefined }) => ({
      resubmission: params.resubmission ?? null,
    })),
    /** The analysis then judges the new captures. */
    submitAgain: assign(({ context }) => ({
      resubmission: null,
      resubmissions: context.resubmissions + 1,
      analysis_attempt: 0,
    })),
    /** The analysis then judges the present captures, for the last time. */
    endResubmissions: assign(({ context }) => ({
      challenge: context.resubmission?.answered ?? context.challenge,
      resubmission: null,
      resubmissions: context.limits.resubmissions,
      analysis_attempt: 0,
    })),
    endChallengeAgain: assign(({ context: { resubmission } }) => ({
      resubmission:
        resubmission === null
          ? null
          : {
              ...resubmission,
              parts: resubmission.parts.filter(part => part !== 'challenge'),
              answered: null,
            },
    })),
    keepSignals: assign(({ event }) => {
      assertEvent(event, 'SIGNALS')
      return { signals: event.capture }
    }),
    keepCapture: assign(({ context, event }, { part }: { part: CapturePart }) => {
      assertEvent(event, ['FRONT_CAPTURED', 'BACK_CAPTURED', 'SELFIE_CAPTURED'])
      return {
        [part]: event.capture,
        takes: { ...context.takes, [part]: context.takes[part] + 1 },
        ...withoutPart(context, part),
      }
    }),
    dropCapture: assign((_, { part }: { part: CapturePart }) => ({ [part]: null })),
    keepChallenge: assign(({ context, event }) => {
      assertEvent(event, 'CHALLENGE_ISSUED')
      const { challenge_id, actions, expires_at } = event
      return {
        challenge: { challenge_id, actions, frames: actions.map(() => null), expires_at },
        takes: { ...context.takes, challenge: context.takes.challenge + 1 },
        ...withChallengeAgain(context),
      }
    }),
    keepFrame: assign(({ context: { challenge }, event }) => {
      assertEvent(event, 'FRAME_CAPTURED')
      return { challenge: challenge && { ...challenge, frames: challenge.frames.with(event.position, event.capture) } }
    }),
    dropChallenge: assign({ challenge: null }),
    keepChipChallenge: assign(({ event }) => {
      assertEvent(event, 'CHIP_CHALLENGE_ISSUED')
      const { challenge_id, nonce, expires_at } = event
      return { chip_challenge: { challenge_id, nonce, expires_at } }
    }),
    keepChip: assign(({ context, event }) => {
      assertEvent(event, 'CHIP_READ')
      return {
        chip: event.capture,
        chip_challenge: null,
        chip_unavailable: event.unavailable ?? null,
        takes: { ...context.takes, chip: context.takes.chip + 1 },
      }
    }),
    dropChip: assign({ chip: null, chip_unavailable: null }),
    keepWalletRequest: assign(({ context, event }) => {
      assertEvent(event, 'WALLET_REQUESTED')
      const { request_id, capture, expires_at } = event
      return {
        wallet_request: { request_id, capture, expires_at },
        wallet: null,
        takes: { ...context.takes, wallet: context.takes.wallet + 1 },
      }
    }),
    /** Pictures of a document that were taken before are not needed. */
    keepWallet: assign(({ event }) => {
      assertEvent(event, 'WALLET_ANSWERED')
      return { wallet: event.capture, front: null, back: null, chip: null, chip_unavailable: null }
    }),
    dropWallet: assign({ wallet: null, wallet_request: null }),
    keepAttestationChallenge: assign(({ context, event }) => {
      assertEvent(event, 'ATTESTATION_CHALLENGED')
      const { challenge_id, nonce, expires_at } = event
      return {
        attestation_challenge: { challenge_id, nonce, expires_at },
        takes: { ...context.takes, attestation: context.takes.attestation + 1 },
      }
    }),
    keepAttestation: assign(({ context, event }) => {
      assertEvent(event, 'ATTESTED')
      const { challenge_id, capture } = event
      return { attestation: { ...capture, challenge_id, device: context.device }, attestation_challenge: null }
    }),
    dropAttestationChallenge: assign({ attestation_challenge: null }),
    /** The captures that an age was found by do not outlive the answer. */
    forgetPerson: assign(({ context }) => (context.transaction_type === 'AGE' ? nobody : {})),
    countDevice: assign(({ context: { last_device } }) => ({ device: last_device + 1, last_device: last_device + 1 })),
    returnToFirstDevice: assign({ device: 0 }),
    countAnalysisAttempt: assign({ analysis_attempt: ({ context }) => context.analysis_attempt + 1 }),
    keepDecision: assign((_, params: { decision: Decision }) => ({ decision: params.decision })),
    fail: assign((_, params: { failure: FailureCode }) => ({ failure: params.failure })),
  },
}).createMachine({
  id: 'transaction',
  description: 'One verification of one person, from its creation to its result.',
  context: ({ input }) => ({
    transaction_type: input.transaction_type,
    limits: input.limits,
    declared_document: 'UNDECLARED',
    ...nobody,
    takes: { front: 0, back: 0, selfie: 0, challenge: 0, chip: 0, wallet: 0, attestation: 0 },
    resubmissions: 0,
    device: 0,
    last_device: 0,
    analysis_attempt: 0,
    decision: null,
    failure: null,
  }),
  initial: 'open',
  states: {
    open: {
      description: 'The person has until the transaction’s lifetime ends, counted from its creation.',
      initial: 'CREATED',
      after: {
        TTL: { target: 'EXPIRED', description: 'The lifetime ends before the person has finished.' },
      },
      on: {
        CANCEL: {
          target: 'FAILED',
          actions: { type: 'fail', params: { failure: 'CANCELLED' } },
          description: 'The device, the integrator or an erasure ends it.',
        },
        HANDED_OFF: {
          actions: 'countDevice',
          description: 'The person goes on with another device; the one before can only watch.',
        },
        HANDED_BACK: {
          actions: 'returnToFirstDevice',
          description: 'The first device takes the capture back.',
        },
      },
      states: {
        CREATED: {
          tags: ['CREATED'],
          description: 'The backend has opened the transaction; the device has not begun.',
          on: {
            START: {
              target: 'INITIATED',
              actions: 'keepDeclaration',
              description: 'The device starts the session and says which document it will show.',
            },
          },
        },
        INITIATED: {
          tags: ['INITIATED'],
          description: 'The person takes the steps that the type asks for, in any order, retakes included.',
          entry: { type: 'notifyIntegrator', params: { status: 'INITIATED' } },
          type: 'parallel',
          on: {
            COMPLETE: {
              guard: 'everyStepIsTaken',
              target: '#transaction.submitted',
              description: 'The person submits what was captured.',
            },
            CHIP_CHALLENGE_ISSUED: {
              guard: 'photographsAreTaken',
              actions: 'keepChipChallenge',
              description: 'The device gets the bytes that the document’s chip is to sign.',
            },
            CHIP_READ: {
              guard: 'chipMayBeRead',
              actions: 'keepChip',
              description: 'The document’s chip is read, or the device says why it cannot be.',
            },
            CHIP_DROPPED: {
              guard: 'chipIsRead',
              actions: 'dropChip',
              description: 'The person discards what was read of the chip.',
            },
          },
          states: {
            document: {
              description: 'The pictures of the document, or a wallet in their place.',
              initial: 'awaiting_front',
              states: {
                awaiting_front: {
                  description: 'Waits for the document’s front.',
                  always: [
                    {
                      guard: 'documentIsNotRequired',
                      target: 'not_required',
                      description: 'A step-up compares the face alone.',
                    },
                    {
                      guard: 'frontIsCaptured',
                      target: 'front_is_there',
                      description: 'The wallet gave nothing: the pictures from before count.',
                    },
                  ],
                  on: {
                    WALLET_REQUESTED: {
                      guard: 'walletMayBeAsked',
                      target: 'awaiting_wallet',
                      actions: 'keepWalletRequest',
                      description: 'The person chooses a wallet in place of pictures.',
                    },
                    DOCUMENT_CHANGED: {
                      guard: 'documentIsAnother',
                      actions: 'changeDocument',
                      description: 'The person has another type of document.',
                    },
                    FRONT_CAPTURED: {
                      guard: { type: 'attemptsAreLeft', params: { part: 'front' } },
                      target: 'front_is_there',
                      actions: { type: 'keepCapture', params: { part: 'front' } },
                      description: 'The front is uploaded.',
                    },
                  },
                },
                front_is_there: {
                  description: 'The front is there; it may be taken again.',
                  initial: 'front_taken',
                  on: {
                    WALLET_REQUESTED: {
                      guard: 'walletMayBeAsked',
                      target: 'awaiting_wallet',
                      actions: 'keepWalletRequest',
                      description: 'The person chooses a wallet after all; the pictures stay until it answers.',
                    },
                    DOCUMENT_CHANGED: {
                      guard: 'documentIsAnother',
                      target: 'awaiting_front',
                      actions: 'changeDocument',
                      description: 'The person has another type of document: these pictures are discarded.',
                    },
                    FRONT_CAPTURED: {
                      guard: { type: 'attemptsAreLeft', params: { part: 'front' } },
                      actions: { type: 'keepCapture', params: { part: 'front' } },
                      description: 'The front is taken again.',
                    },
                    FRONT_DROPPED: {
                      target: 'awaiting_front',
                      actions: { type: 'dropCapture', params: { part: 'front' } },
                      description: 'The person discards the front.',
                    },
                  },
                  states: {
                    front_taken: {
                      description: 'A passport is complete; a card still needs its back.',
                      always: [
                        { guard: 'backIsMissing', target: 'awaiting_back', description: 'A card has two sides.' },
                        { target: 'captured', description: 'No back is needed, or it is there.' },
                      ],
                    },
                    awaiting_back: {
                      description: 'Waits for the card’s back.',
                      on: {
                        BACK_CAPTURED: {
                          guard: { type: 'attemptsAreLeft', params: { part: 'back' } },
                          target: 'captured',
                          actions: { type: 'keepCapture', params: { part: 'back' } },
                          description: 'The back is uploaded.',
                        },
                      },
                    },
                    captured: {
                      description: 'Every side is there.',
                      on: {
                        BACK_CAPTURED: {
                          guard: { type: 'attemptsAreLeft', params: { part: 'back' } },
                          actions: { type: 'keepCapture', params: { part: 'back' } },
                          description: 'The back is taken, or taken again.',
                        },
                        BACK_DROPPED: {
                          guard: 'backIsCaptured',
                          target: 'front_taken',
                          actions: { type: 'dropCapture', params: { part: 'back' } },
                          description: 'The person discards the back.',
                        },
                      },
                    },
                  },
                },
                awaiting_wallet: {
                  description: 'A request to a wallet is open: it is answered once, in time.',
                  after: {
                    WALLET_TTL: {
                      target: 'awaiting_front',
                      actions: 'dropWallet',
                      description: 'The time for the answer is over.',
                    },
                  },
                  on: {
                    WALLET_REQUESTED: {
                      guard: 'walletMayBeAsked',
                      target: 'awaiting_wallet',
                      reenter: true,
                      actions: 'keepWalletRequest',
                      description: 'A new request replaces this one, and its time begins.',
                    },
                    WALLET_ANSWERED: {
                      guard: 'answersWalletRequest',
                      target: 'wallet_answered',
                      actions: 'keepWallet',
                      description: 'The wallet answers: the request is used up.',
                    },
                    WALLET_REFUSED: {
                      guard: 'answersWalletRequest',
                      target: 'awaiting_front',
                      actions: 'dropWallet',
                      description: 'What came is no answer to this request, which is used up.',
                    },
                    WALLET_DROPPED: {
                      target: 'awaiting_front',
                      actions: 'dropWallet',
                      description: 'The person declines, or has no wallet.',
                    },
                  },
                },
                wallet_answered: {
                  description: 'The wallet’s answer is there; it may be asked again.',
                  on: {
                    WALLET_REQUESTED: {
                      guard: 'walletMayBeAsked',
                      target: 'awaiting_wallet',
                      actions: 'keepWalletRequest',
                      description: 'Another wallet, or another document in it: this answer is discarded.',
                    },
                    WALLET_DROPPED: {
                      target: 'awaiting_front',
                      actions: 'dropWallet',
                      description: 'The person discards the answer.',
                    },
                  },
                },
                not_required: { description: 'BIOMETRIC_ONLY shows no document.' },
              },
            },
            selfie: {
              description: 'The picture of the face.',
              initial: 'awaiting_selfie',
              states: {
                awaiting_selfie: {
                  description: 'Waits for the selfie.',
                  on: {
                    SELFIE_CAPTURED: {
                      guard: { type: 'attemptsAreLeft', params: { part: 'selfie' } },
                      target: 'captured',
                      actions: { type: 'keepCapture', params: { part: 'selfie' } },
                      description: 'The selfie is uploaded.',
                    },
                  },
                },
                captured: {
                  description: 'The selfie is there; it may be taken again.',
                  on: {
                    SELFIE_CAPTURED: {
                      guard: { type: 'attemptsAreLeft', params: { part: 'selfie' } },
                      actions: { type: 'keepCapture', params: { part: 'selfie' } },
                      description: 'The selfie is taken again.',
                    },
                    SELFIE_DROPPED: {
                      target: 'awaiting_selfie',
                      actions: { type: 'dropCapture', params: { part: 'selfie' } },
                      description: 'The person discards the selfie.',
                    },
                  },
                },
              },
            },
            liveness: {
              description: 'The challenge that a picture of a face cannot answer.',
              initial: 'awaiting_challenge',
              states: {
                awaiting_challenge: {
                  description: 'Waits until the device asks for a challenge.',
                  on: {
                    CHALLENGE_ISSUED: {
                      guard: 'challengesAreLeft',
                      target: 'answering',
                      actions: 'keepChallenge',
                      description: 'The device gets its actions: look left, open the mouth, and so on.',
                    },
                  },
                },
                answering: {
                  description: 'The challenge is one-shot: its frames come in time, or it is void.',
                  after: {
                    CHALLENGE_TTL: {
                      target: 'awaiting_challenge',
                      actions: 'dropChallenge',
                      description: 'The time for the answer is over.',
                    },
                  },
                  on: {
                    CHALLENGE_ISSUED: {
                      guard: 'challengesAreLeft',
                      target: 'answering',
                      reenter: true,
                      actions: 'keepChallenge',
                      description: 'A new challenge replaces this one, and its time begins.',
                    },
                    FRAME_CAPTURED: [
                      {
                        guard: 'frameAnswersLastAction',
                        target: 'captured',
                        actions: 'keepFrame',
                        description: 'The last frame that was missing is uploaded.',
                      },
                      {
                        guard: 'frameAnswersChallenge',
                        actions: 'keepFrame',
                        description: 'A frame is uploaded; others are still missing.',
                      },
                    ],
                    CHALLENGE_DROPPED: {
                      target: 'awaiting_challenge',
                      actions: 'dropChallenge',
                      description: 'The person gives up this challenge.',
                    },
                  },
                },
                captured: {
                  description: 'Every action has its frame.',
                  on: {
                    CHALLENGE_ISSUED: {
                      guard: 'challengesAreLeft',
                      target: 'answering',
                      actions: 'keepChallenge',
                      description: 'The person tries again with a new challenge.',
                    },
                    CHALLENGE_DROPPED: {
                      target: 'awaiting_challenge',
                      actions: 'dropChallenge',
                      description: 'The person discards the answer.',
                    },
                  },
                },
              },
            },
            signals: {
              description: 'What the device reports about itself, its network and its location.',
              initial: 'unreported',
              states: {
                unreported: {
                  description: 'Nothing is reported yet, and nothing needs to be.',
                  on: {
                    SIGNALS: {
                      target: 'reported',
                      actions: 'keepSignals',
                      description: 'The device reports its signals.',
                    },
                  },
                },
                reported: {
                  description: 'The last report counts.',
                  on: { SIGNALS: { actions: 'keepSignals', description: 'A newer report replaces the last.' } },
                },
              },
            },
            attestation: {
              description: 'What the device’s maker signs of the device and of a key in it. Nothing of it is needed.',
              initial: 'unchallenged',
              states: {
                unchallenged: {
                  description: 'No challenge is open.',
                  on: {
                    ATTESTATION_CHALLENGED: {
                      guard: 'attestationsAreLeft',
                      target: 'challenged',
                      actions: 'keepAttestationChallenge',
                      description: 'The device gets the bytes that its key is to be attested for.',
                    },
                  },
                },
                challenged: {
                  description: 'The challenge is answered once, in time, or it is void.',
                  after: {
                    ATTESTATION_TTL: {
                      target: 'unchallenged',
                      actions: 'dropAttestationChallenge',
                      description: 'The time for the answer is over.',
                    },
                  },
                  on: {
                    ATTESTATION_CHALLENGED: {
                      guard: 'attestationsAreLeft',
                      target: 'challenged',
                      reenter: true,
                      actions: 'keepAttestationChallenge',
                      description: 'A new challenge replaces this one, and its time begins.',
                    },
                    ATTESTED: {
                      guard: 'answersAttestationChallenge',
                      target: 'unchallenged',
                      actions: 'keepAttestation',
                      description: 'The device’s maker attests its key.',
                    },
                    ATTESTATION_REFUSED: {
                      guard: 'answersAttestationChallenge',
                      target: 'unchallenged',
                      actions: 'dropAttestationChallenge',
                      description: 'What the device sent attests nothing; the challenge is used up.',
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    submitted: {
      description: 'What was submitted is judged; only the integrator and an erasure can still end it before.',
      initial: 'COMPLETED',
      on: {
        CANCEL: {
          guard: 'isNotCancelledByDevice',
          target: 'FAILED',
          actions: { type: 'fail', params: { failure: 'CANCELLED' } },
          description: 'The integrator or an erasure ends it.',
        },
      },
      states: {
        COMPLETED: {
          tags: ['COMPLETED'],
          description: 'Submitted, visible and notified; waits until an analyser has capacity.',
          entry: [
            { type: 'deleteStrayCaptures', params: { findings: 'keep' } },
            { type: 'notifyIntegrator', params: { status: 'COMPLETED' } },
          ],
          invoke: {
            id: 'admission',
            src: 'admission',
            onDone: { target: 'PROCESSING', description: 'An analyser has capacity.' },
            onError: {
              target: '#transaction.FAILED',
              actions: { type: 'fail', params: { failure: 'ANALYSIS_ERROR' } },
              description: 'No analyser could be asked.',
            },
          },
        },
        PROCESSING: {
          tags: ['PROCESSING'],
          description: 'The captures are judged: by the rules, and by a person where those leave it open.',
          entry: { type: 'notifyIntegrator', params: { status: 'PROCESSING' } },
          initial: 'under_analysis',
          states: {
            under_analysis: {
              description: 'An analyser is asked until it answers, or the deadline is over.',
              after: {
                ANALYSIS_DEADLINE: {
                  target: '#transaction.FAILED',
                  actions: { type: 'fail', params: { failure: 'ANALYSIS_TIMEOUT' } },
                  description: 'No attempt came to a result in time.',
                },
              },
              initial: 'analysing',
              states: {
                analysing: {
                  description: 'An analyser works on the captures.',
                  entry: 'countAnalysisAttempt',
                  invoke: {
                    id: 'analysis',
                    src: 'analysis',
                    input: ({ context }) => ({ attempt: context.analysis_attempt }),
                    onDone: [
                      {
                        guard: {
                          type: 'mayResubmit',
                          params: ({ event }) => ({ resubmission: event.output.resubmission }),
                        },
                        target: '#transaction.submitted.PROCESSING.awaiting_resubmission',
                        actions: {
                          type: 'askResubmission',
                          params: ({ event }) => ({ resubmission: event.output.resubmission }),
                        },
                        description: 'A capture could not be judged, and the account lets the person take it again.',
                      },
                      {
                        guard: {
                          type: 'isForReview',
                          params: ({ event }) => ({ decision: event.output.decision }),
                        },
                        target: '#transaction.submitted.PROCESSING.awaiting_review',
                        actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.output.decision }) },
                        description: 'The rules leave it open, and the account has reviewers.',
                      },
                      {
                        target: '#transaction.FINISHED',
                        actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.output.decision }) },
                        description: 'The analysis came to a decision.',
                      },
                    ],
                    onError: [
                      {
                        guard: { type: 'captureIsUnreadable', params: ({ event }) => ({ error: event.error }) },
                        target: '#transaction.FAILED',
                        actions: { type: 'fail', params: { failure: 'CAPTURE_UNREADABLE' } },
                        description:
                          'A stored capture is missing or cannot be decoded: another attempt would not help.',
                      },
                      {
                        guard: 'analysisAttemptsAreLeft',
                        target: 'backing_off',
                        description: 'The attempt failed; another one follows.',
                      },
                      {
                        target: '#transaction.FAILED',
                        actions: { type: 'fail', params: { failure: 'ANALYSIS_ERROR' } },
                        description: 'The last attempt failed too.',
                      },
                    ],
                  },
                },
                backing_off: {
                  description: 'Waits before the next attempt.',
                  after: { ANALYSIS_BACKOFF: { target: 'analysing', description: 'The wait is over.' } },
                },
              },
            },
            awaiting_resubmission: {
              description: 'The person takes again what could not be judged. Until then nothing is decided.',
              after: {
                RESUBMISSION_DEADLINE: {
                  target: 'under_analysis',
                  actions: 'endResubmissions',
                  description: 'The lifetime ends: what is there is judged.',
                },
              },
              on: {
                FRONT_CAPTURED: {
                  guard: { type: 'mayTakeAgain', params: { part: 'front' } },
                  actions: { type: 'keepCapture', params: { part: 'front' } },
                  description: 'The front is taken again.',
                },
                BACK_CAPTURED: {
                  guard: { type: 'mayTakeAgain', params: { part: 'back' } },
                  actions: { type: 'keepCapture', params: { part: 'back' } },
                  description: 'The back is taken again.',
                },
                SELFIE_CAPTURED: {
                  guard: { type: 'mayTakeAgain', params: { part: 'selfie' } },
                  actions: { type: 'keepCapture', params: { part: 'selfie' } },
                  description: 'The selfie is taken again.',
                },
                CHALLENGE_ISSUED: {
                  guard: 'challengesAreLeft',
                  actions: 'keepChallenge',
                  description: 'A new challenge; the answered one stays until this one is answered.',
                },
                FRAME_CAPTURED: [
                  {
                    guard: 'frameAnswersLastAction',
                    actions: ['keepFrame', 'endChallengeAgain'],
                    description: 'The last frame that was missing is uploaded.',
                  },
                  {
                    guard: 'frameAnswersChallenge',
                    actions: 'keepFrame',
                    description: 'A frame is uploaded; others are still missing.',
                  },
                ],
                SIGNALS: { actions: 'keepSignals', description: 'A newer report replaces the last.' },
                HANDED_BACK: {
                  actions: 'returnToFirstDevice',
                  description: 'The first device takes the capture back.',
                },
                COMPLETE: {
                  guard: 'everyPartIsTakenAgain',
                  target: 'under_analysis',
                  actions: 'submitAgain',
                  description: 'The person submits again.',
                },
                CANCEL: {
                  guard: 'isCancelledByDevice',
                  target: 'under_analysis',
                  actions: 'endResubmissions',
                  description: 'The person does not want to: what is there is judged.',
                },
              },
            },
            awaiting_review: {
              description: 'A person decides what the rules left open.',
              entry: 'openReview',
              on: {
                REVIEWED: {
                  target: '#transaction.FINISHED',
                  actions: [
                    'keepReview',
                    { type: 'recordDecision', params: ({ event }) => ({ decision: event.decision }) },
                  ],
                  description: 'A reviewer decides.',
                },
              },
              after: {
                REVIEW_DEADLINE: {
                  target: '#transaction.FINISHED',
                  actions: { type: 'recordDecision', params: { decision: 'UNDETERMINED' } },
                  description: 'No reviewer decided in time: it stays undetermined.',
                },
              },
            },
          },
        },
      },
    },
    FINISHED: {
      tags: ['FINISHED'],
      type: 'final',
      description: 'Decided: APPROVED, REJECTED or UNDETERMINED.',
      entry: ['forgetPerson', 'deletePerson', { type: 'notifyIntegrator', params: { status: 'FINISHED' } }],
    },
    FAILED: {
      tags: ['FAILED'],
      type: 'final',
      description: 'Not decided: cancelled, or no analysis was possible.',
      entry: [
        { type: 'recordFailure', params: ({ context }) => ({ failure: context.failure }) },
        'forgetPerson',
        'deletePerson',
        { type: 'deleteStrayCaptures', params: { findings: 'delete' } },
        { type: 'notifyIntegrator', params: { status: 'FAILED' } },
      ],
    },
    EXPIRED: {
      tags: ['EXPIRED'],
      type: 'final',
      description: 'The person did not finish in time.',
      entry: [
        'forgetPerson',
        'deletePerson',
        { type: 'deleteStrayCaptures', params: { findings: 'delete' } },
        { type: 'notifyIntegrator', params: { status: 'EXPIRED' } },
      ],
    },
  },
})
