import type { Decision, DocumentType, LivenessAction, TransactionType } from '@attestor/rules'
import { assertEvent, assign, fromPromise, setup } from 'xstate'
import type { TransactionStatus } from './transaction.ts'

/** This chart is not persisted: a page runs it. The number names its drawing. */
export const captureChartVersion = 1

export type PictureStep = 'document_front' | 'document_back' | 'selfie'

/** The progress of a step, as the service reports it. */
export interface StepProgress {
  readonly step: PictureStep | 'liveness' | 'document_wallet'
  readonly required: boolean
  readonly state: 'missing' | 'captured'
  readonly attempts_left: number
}

/** The service's findings about a step's picture since it came. */
interface StepAdvice {
  readonly step: StepProgress['step']
  readonly warnings: readonly string[]
}

interface WalletProgress {
  /** Whether photographs do as well. */
  readonly policy: 'OFFER' | 'REQUIRE'
  /** `requested` while a request is open. */
  readonly state: 'missing' | 'requested' | 'captured'
  /** The id of the open request; null without one. */
  readonly request_id: string | null
  /** Requests that may still be made. */
  readonly attempts_left: number
}

/** The session as the service describes it to this device. */
export interface SessionProgress {
  readonly status: TransactionStatus
  readonly transaction_type: TransactionType
  /** The document that the person chose; null before the start, and if none was chosen. */
  readonly document_type: DocumentType | null
  readonly steps: readonly StepProgress[]
  readonly advice: readonly StepAdvice[]
  /** The steps whose picture the service still looks at. */
  readonly pending: readonly StepProgress['step'][]
  /** False where the capture was handed off to another device. */
  readonly may_capture: boolean
  /**
   * The step that a submitted transaction waits for beside its analysis: a reviewer, perhaps for hours, or captures that
   * the person may take again.
   */
  readonly waiting_for: 'review' | 'resubmission' | null
  /** Whether the face is searched among those of other customers: the consent says so. */
  readonly face_search: boolean
  /** Whether the person is asked for the location. */
  readonly asks_location: boolean
  /** The document's chip, which a browser can't read; null where the transaction reads none. */
  readonly chip: { readonly policy: 'PREFER' | 'REQUIRE'; readonly app_link: string | null } | null
  /** A wallet, in place of photographs; null where the transaction asks for none. */
  readonly wallet: WalletProgress | null
  /** The page to which the integrator wants the person sent at the end. */
  readonly redirect_url: string | null
  /** Counted by the service's clock, because this device's may be wrong. */
  readonly expires_in_ms: number
}

/** A challenge's actions, in their order. */
export interface Challenge {
  readonly challenge_id: string
  readonly actions: readonly LivenessAction[]
  /** The challenge's whole duration, and the part of it that was left when this device received it. */
  readonly lasts_ms: number
  readonly expires_in_ms: number
  readonly attempts_left: number
}

/** A request to a wallet, which is answered once. */
export interface WalletRequest {
  readonly request_id: string
  /** The browser gives these to the wallets that it knows: one for each protocol. */
  readonly requests: readonly { readonly protocol: string; readonly data: object }[]
  /** The link opens a wallet on this device; as a QR code it opens one on another. */
  readonly link: string
  readonly expires_in_ms: number
}

/** A wallet's answer, as the browser returned it. */
export interface WalletAnswer {
  readonly protocol: string
  readonly data: object
}

/** The service's answer to a picture. */
export interface Receipt {
  readonly warnings: readonly string[]
  /** Whether the service still looks at the picture. */
  readonly pending: boolean
  readonly attempts_left: number
}

/** A link for another device. */
export interface HandoffOffer {
  readonly code: string
  readonly verify_url: string
  /** Whether the operator has the link sent. */
  readonly may_send: boolean
  readonly expires_in_ms: number
}

export interface Outcome {
  readonly status: TransactionStatus
  readonly outcome: Decision | null
  readonly waiting_for: SessionProgress['waiting_for']
  /** Codes of the issues that the person can do something about. */
  readonly advice: readonly string[]
}

/** Why a call, or the camera, failed. Actors reject with `{ reason }`; any other error is a fault of the page. */
export type FailureReason =
  /** No network, or the service is unavailable: the same call may succeed later. */
  | 'offline'
  | 'busy'
  /** The link's token is unknown; its code was used; its time is over. */
  | 'unknown_link'
  | 'used_link'
  | 'gone'
  /** The session is in another state than this page assumes. */
  | 'changed'
  /** The picture can't be used: its bytes, its size, or that it was seen before. */
  | 'unreadable'
  | 'too_large'
  | 'wrong_type'
  | 'repeated'
  | 'challenge_over'
  /** The browser's wallets gave nothing: the person declined, or has none. */
  | 'wallet_declined'
  /** The request is not open: it was answered, is void, or its time is over. */
  | 'wallet_over'
  | 'camera_refused'
  | 'camera_missing'
  | 'camera_busy'

export interface CaptureInput {
  /** Whether no person can hold the camera: the page then offers to go on with a phone. */
  readonly is_desktop: boolean
  /** The link is a code that another device shows. */
  readonly by_handoff: boolean
  /** That code is not exchanged yet. */
  readonly has_code: boolean
  /** The integrator's page shows this one in a frame, which it closes at the end. */
  readonly is_embedded: boolean
}

export interface CaptureContext extends CaptureInput {
  readonly session: SessionProgress | null
  /** The session's own; kept for when the session is gone. */
  readonly redirect_url: string | null
  readonly document_type: DocumentType | null
  readonly step: PictureStep
  /** The picture that is being sent. The same bytes are sent again after a lost connection. */
  readonly picture: Blob | null
  readonly receipt: Receipt | null
  readonly challenge: Challenge | null
  /** The index of the action that is shown, from 0. */
  readonly position: number
  readonly offer: HandoffOffer | null
  readonly wallet_request: WalletRequest | null
  readonly wallet_answer: WalletAnswer | null
  readonly failure: FailureReason | null
  readonly camera_failure: FailureReason | null
  /** Calls that failed one after the other. */
  readonly failures: number
  readonly outcome: Outcome['outcome']
  readonly advice: Outcome['advice']
  /** The person has read that something is to be taken again. */
  readonly takes_again: boolean
  /** The steps whose picture the person keeps, in spite of the service's advice. */
  readonly kept: readonly StepProgress['step'][]
}

export type CaptureEvent =
  | { type: 'CONTINUE' }
  | { type: 'BACK' }
  | { type: 'CHOOSE'; document_type: DocumentType }
  | { type: 'CHOOSE_WALLET' }
  | { type: 'CHANGE_DOCUMENT' }
  | { type: 'SHUTTER' }
  | { type: 'CHOOSE_CAMERA'; camera: string }
  | { type: 'FILE'; picture: Blob }
  | { type: 'RETAKE' }
  | { type: 'KEEP' }
  | { type: 'TRY_AGAIN' }
  | { type: 'USE_FILES' }
  | { type: 'USE_PHONE' }
  | { type: 'ONLINE' }
  | { type: 'STOP' }
  | { type: 'STAY' }
  | { type: 'LEAVE' }
  | { type: 'xstate.error.actor.*'; error: unknown; actorId: string }

/** The screens: each state that waits for the person shows one. */
export type Screen =
  | 'LOADING'
  | 'TAKE_OVER'
  | 'CHOOSE_DEVICE'
  | 'CONSENT'
  | 'CHOOSE_DOCUMENT'
  | 'WALLET'
  | 'WALLET_WAITING'
  | 'WALLET_REFUSED'
  | 'EXPLAIN_PICTURE'
  | 'PICTURE_CAMERA'
  | 'NO_CAMERA'
  | 'SENDING_PICTURE'
  | 'PICTURE_ADVICE'
  | 'PICTURE_REFUSED'
  | 'EXPLAIN_LIVENESS'
  | 'LIVENESS_CAMERA'
  | 'LIVENESS_FILE'
  | 'SENDING_FRAME'
  | 'FRAME_ADVICE'
  | 'FRAME_REFUSED'
  | 'LIVENESS_TIMEOUT'
  | 'HANDOFF'
  | 'FOLLOWING'
  | 'CHECKING'
  | 'IN_REVIEW'
  | 'TAKE_AGAIN'
  | 'CONFIRM_STOP'
  | 'OFFLINE'
  | 'BROKEN'
  | 'RESULT'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'FAILED'
  | 'UNKNOWN_LINK'
  | 'USED_LINK'
  | 'NO_ATTEMPTS'
  | 'LEFT'

function readReason(event: unknown): FailureReason | null {
  const { error } = event as { readonly error?: { readonly reason?: FailureReason } | null }
  return error?.reason ?? null
}

/** The first step that is required and missing; null if the capture is complete. */
export function findNextStep(session: SessionProgress | null): StepProgress | null {
  return session?.steps.find(({ required, state }) => required && state === 'missing') ?? null
}

function isPicture(step: StepProgress['step']): step is PictureStep {
  return step !== 'liveness' && step !== 'document_wallet'
}

/** Whether a document has a second side, which is photographed too. */
export const hasBack: Readonly<Record<DocumentType, boolean>> = {
  PASSPORT: false,
  ID_CARD: true,
  DRIVING_LICENSE: true,
  RESIDENCE_PERMIT: true,
}

/** The pictures of this transaction's type: a passport has one side. */
function listPictures({ session, document_type }: CaptureContext): readonly PictureStep[] {
  const isCard = document_type === null || hasBack[document_type]
  return (session?.steps ?? []).flatMap(({ step }) =>
    !isPicture(step) || (step === 'document_back' && !isCard) ? [] : [step],
  )
}

/** A session may have started without a document: one is chosen first. */
function isDocumentOpen({ session }: CaptureContext): boolean {
  return session?.document_type === null && findNextStep(session)?.step === 'document_front'
}

function isWalletRequired({ session }: CaptureContext): boolean {
  return session?.wallet?.policy === 'REQUIRE'
}

/** Whether a wallet is asked, or has answered. */
function usesWallet(session: SessionProgress | null): boolean {
  return session?.wallet != null && session.wallet.state !== 'missing'
}

function mayAskWallet({ session }: CaptureContext): boolean {
  return (session?.wallet?.attempts_left ?? 0) > 0
}

function findPictureBefore(context: CaptureContext): PictureStep | null {
  const pictures = listPictures(context)
  return pictures[pictures.indexOf(context.step) - 1] ?? null
}

function isAskedAgain({ session }: CaptureContext): boolean {
  return session?.waiting_for === 'resubmission'
}

function isStarted(context: CaptureContext): boolean {
  return context.session?.status === 'INITIATED' || isAskedAgain(context)
}

function isOver({ status }: Outcome): boolean {
  return ['FINISHED', 'FAILED', 'EXPIRED'].includes(status)
}

function isElsewhere({ status, may_capture, waiting_for }: SessionProgress): boolean {
  return !may_capture && (status === 'CREATED' || status === 'INITIATED' || waiting_for === 'resubmission')
}

function isLastPosition({ challenge, position }: CaptureContext): boolean {
  return position + 1 >= (challenge?.actions.length ?? 0)
}

function hasChallenges({ challenge }: CaptureContext): boolean {
  return challenge === null || challenge.attempts_left > 0
}

/** The camera that takes a picture: the front camera for a selfie, the back camera for a document. */
export function facingOf(step: PictureStep): 'user' | 'environment' {
  return step === 'selfie' ? 'user' : 'environment'
}

/** Findings of a new picture replace those of the one before. */
function withStep(
  session: SessionProgress | null,
  step: StepProgress['step'],
  { attempts_left, pending }: Pick<Receipt, 'attempts_left' | 'pending'>,
) {
  const isOther = (other: StepProgress['step']): boolean => other !== step
  return (
    session && {
      ...session,
      steps: session.steps.map(one =>
        one.step === step ? { ...one, state: 'captured' as const, attempts_left } : one,
      ),
      advice: session.advice.filter(one => isOther(one.step)),
      pending: [...session.pending.filter(isOther), ...(pending ? [step] : [])],
    }
  )
}

/** The service's advice about a picture that the person could take again, and has not decided to keep. */
function findNews({ session, kept }: CaptureContext) {
  for (const { step, warnings } of session?.advice ?? [])
    if (step !== 'liveness' && !kept.includes(step)) {
      const attempts_left = session?.steps.find(one => one.step === step)?.attempts_left ?? 0
      return { step, receipt: { warnings, pending: false, attempts_left } }
    }
  return null
}

/** Before the person films themselves, the service has looked at all pictures. */
function isLookedAt(context: CaptureContext): boolean {
  const next = findNextStep(context.session)?.step
  const pictures = context.session?.pending.filter(step => step !== 'liveness') ?? []
  return pictures.length === 0 || (next !== undefined && next !== 'liveness')
}

async function onlyOnPage(): Promise<never> {
  throw new Error('the page provides this')
}

/** The context before the service has described the session. */
const beginning = {
  session: null,
  document_type: null,
  step: 'document_front',
  picture: null,
  receipt: null,
  challenge: null,
  position: 0,
  offer: null,
  wallet_request: null,
  wallet_answer: null,
  failure: null,
} as const satisfies Partial<CaptureContext>

/** The capture page, from the link to the result. It runs in the browser. */
export const captureMachine = setup({
  types: {} as {
    context: CaptureContext
    events: CaptureEvent
    input: CaptureInput
    tags: Screen
  },
  actors: {
    open: fromPromise<SessionProgress, undefined>(onlyOnPage),
    start: fromPromise<SessionProgress, { document_type: DocumentType | null }>(onlyOnPage),
    changeDocument: fromPromise<SessionProgress, { document_type: DocumentType | null }>(onlyOnPage),
    report: fromPromise<null, undefined>(onlyOnPage),
    openCamera: fromPromise<null, { facing: 'user' | 'environment' }>(onlyOnPage),
    watch: fromPromise<Blob, { step: PictureStep | null; action: string | null }>(onlyOnPage),
    take: fromPromise<Blob, { step: PictureStep | null }>(onlyOnPage),
    upload: fromPromise<Receipt, { step: PictureStep; picture: Blob | null }>(onlyOnPage),
    requestWallet: fromPromise<{ session: SessionProgress; request: WalletRequest }, undefined>(onlyOnPage),
    askWallet: fromPromise<WalletAnswer, { request: WalletRequest | null }>(onlyOnPage),
    sendWallet: fromPromise<SessionProgress, { request: WalletRequest | null; answer: WalletAnswer | null }>(
      onlyOnPage,
    ),
    awaitWallet: fromPromise<SessionProgress, undefined>(onlyOnPage),
    issueChallenge: fromPromise<Challenge, undefined>(onlyOnPage),
    uploadFrame: fromPromise<Receipt, { challenge: Challenge | null; position: number; picture: Blob | null }>(
      onlyOnPage,
    ),
    offer: fromPromise<HandoffOffer, undefined>(onlyOnPage),
    follow: fromPromise<SessionProgress, undefined>(onlyOnPage),
    awaitAdvice: fromPromise<SessionProgress, undefined>(onlyOnPage),
    takeBack: fromPromise<SessionProgress, undefined>(onlyOnPage),
    complete: fromPromise<null, undefined>(onlyOnPage),
    awaitResult: fromPromise<Outcome, undefined>(onlyOnPage),
    awaitReview: fromPromise<SessionProgress, undefined>(onlyOnPage),
    cancel: fromPromise<null, undefined>(onlyOnPage),
  },
  delays: {
    LIFETIME: ({ context }) => Math.max(1000, context.session?.expires_in_ms ?? 0),
    CHALLENGE_TTL: ({ context }) => context.challenge?.expires_in_ms ?? 0,
    WALLET_TTL: ({ context }) => context.wallet_request?.expires_in_ms ?? 0,
    CODE_TTL: ({ context }) => context.offer?.expires_in_ms ?? 0,
    RETRY: ({ context }) => Math.min(1000 * 2 ** context.failures, 15_000),
    ADVICE: 20_000,
    // WCAG 2.2, 2.2.1: twenty seconds to stay, by a button.
    RETURN: 20_000,
  },
  guards: {
    isInReview: ({ context }) => context.session?.waiting_for === 'review',
    waitsForPerson: (_, params: { outcome: Outcome }) => params.outcome.waiting_for != null,
    mayTakeAgain: ({ context }) => isAskedAgain(context) && !context.takes_again,
    isSubmitted: ({ context }) =>
      !isAskedAgain(context) && ['COMPLETED', 'PROCESSING', 'FINISHED'].includes(context.session?.status ?? ''),
    hasFailed: ({ context }) => context.session?.status === 'FAILED',
    captureIsElsewhere: ({ context }) => context.session !== null && isElsewhere(context.session),
    staysElsewhere: (_, params: { session: SessionProgress }) => isElsewhere(params.session),
    deviceIsOpen: ({ context }) => context.is_desktop && context.session?.status === 'CREATED',
    isNotStarted: ({ context }) => !isStarted(context),
    everyStepIsTaken: ({ context }) => findNextStep(context.session) === null,
    noAttemptIsLeft: ({ context }) => findNextStep(context.session)?.attempts_left === 0,
    livenessIsNext: ({ context }) => findNextStep(context.session)?.step === 'liveness',
    documentIsOpen: ({ context }) => isDocumentOpen(context) && !isAskedAgain(context),
    walletIsNext: ({ context }) => findNextStep(context.session)?.step === 'document_wallet',
    walletIsRequested: ({ context }) => context.session?.wallet?.state === 'requested',
    walletIsAnswered: ({ context }) => context.session?.wallet?.state === 'captured' && !isWalletRequired(context),
    walletIsRequired: ({ context }) => isWalletRequired(context),
    walletHasAnswered: (_, params: { session: SessionProgress }) => params.session.wallet?.state === 'captured',
    walletMayBeAsked: ({ context }) => mayAskWallet(context),
    walletIsUsedUp: ({ context }) => isWalletRequired(context) && !mayAskWallet(context),
    photosAreTaken: ({ context }) => !isWalletRequired(context),
    walletGaveNothing: ({ event }) => readReason(event) === 'wallet_declined',
    answerIsRefused: ({ event }) => ['unreadable', 'too_large', 'wallet_over'].includes(readReason(event) ?? ''),
    codeIsOpen: ({ context }) => context.has_code,
    isFirstDevice: ({ context }) => !context.by_handoff,
    maySendAnother: ({ context }) => !context.by_handoff && !isAskedAgain(context),
    canUsePhone: ({ context }) => context.is_desktop && !context.by_handoff,
    documentIsAsked: ({ context }) => context.session?.transaction_type !== 'BIOMETRIC_ONLY',
    /** A document that is taken again is the same one. */
    documentIsFirst: ({ context }) => context.step === 'document_front' && !isAskedAgain(context),
    documentIsShown: ({ context }) => context.step !== 'selfie' && !isAskedAgain(context),
    /** The service knows another document type, or of a wallet. */
    documentIsAnother: ({ context, event }) => {
      assertEvent(event, 'CHOOSE')
      const { session } = context
      return isStarted(context) && (session?.document_type !== event.document_type || usesWallet(session))
    },
    consentIsOpen: ({ context }) => !isStarted(context) && findPictureBefore(context) === null,
    hasPictureBefore: ({ context }) => findPictureBefore(context) !== null,
    pictureIsTaken: ({ context }) =>
      context.session?.steps.some(({ step, state }) => step === context.step && state === 'captured') === true,
    cameraHasFailed: ({ event }) => readReason(event)?.startsWith('camera_') === true,
    cameraIsOff: ({ context }) => context.camera_failure !== null,
    pictureIsRefused: ({ event }) =>
      ['unreadable', 'too_large', 'wrong_type', 'repeated'].includes(readReason(event) ?? ''),
    challengeIsOver: ({ event }) => readReason(event) === 'challenge_over',
    challengeIsAnswered: ({ context }) => isLastPosition(context),
    answerIsMissing: ({ context }) => !isLastPosition(context) || context.receipt === null,
    challengeIsOpen: ({ context }) => !isLastPosition(context),
    challengesAreLeft: ({ context }) => hasChallenges(context),
    noChallengeIsLeft: ({ context }) => !hasChallenges(context),
    attemptsAreLeft: ({ context }) => context.receipt === null || context.receipt.attempts_left > 0,
    hasNews: ({ context }) => findNews(context) !== null,
    picturesArePending: ({ context }) => !isLookedAt(context),
    hasAdvice: (_, params: { receipt: Receipt }) => params.receipt.warnings.length > 0,
    isOver: (_, params: { outcome: Outcome }) => isOver(params.outcome),
    hasOutcome: (_, params: { outcome: Outcome }) => params.outcome.status === 'FINISHED',
    isUnknownLink: ({ event }) => readReason(event) === 'unknown_link',
    /** A device that was handed the capture has lost it: the first one took it back. */
    isUsedLink: ({ context, event }) =>
      readReason(event) === 'used_link' || (context.by_handoff && readReason(event) === 'unknown_link'),
    isGone: ({ event }) => readReason(event) === 'gone',
    mayBeRepeated: ({ event }) => ['offline', 'busy'].includes(readReason(event) ?? ''),
    sessionHasChanged: ({ event }) => readReason(event) === 'changed',
    isEmbedded: ({ context }) => context.is_embedded,
    /** A phone that was handed the capture ends there: the other device goes back. */
    canReturn: ({ context }) => context.is_embedded || (context.redirect_url !== null && !context.by_handoff),
  },
  actions: {
    closeCamera: () => {},
    useCamera: (_, _params: { facing: 'user' | 'environment'; camera: string }) => {},
    returnToSite: () => {},
    forgetSession: assign(beginning),
    acceptCode: assign({ has_code: false }),
    keepSession: assign((_, { session }: { session: SessionProgress }) => ({
      session,
      redirect_url: session.redirect_url,
      document_type: session.document_type,
      failures: 0,
    })),
    keepStart: assign((_, { session }: { session: SessionProgress }) => ({ session, failures: 0 })),
    chooseDocument: assign(({ event }) => {
      assertEvent(event, 'CHOOSE')
      return { document_type: event.document_type, step: 'document_front' as const }
    }),
    takeNextStep: assign(({ context }) => {
      const next = findNextStep(context.session)?.step
      return next === undefined || !isPicture(next) ? {} : { step: next, receipt: null }
    }),
    takeStepBefore: assign(({ context }) => ({ step: findPictureBefore(context) ?? context.step, receipt: null })),
    takeSelfie: assign({ step: 'selfie', receipt: null }),
    keepPicture: assign((_, { picture }: { picture: Blob }) => ({ picture })),
    dropPicture: assign({ picture: null, failure: null }),
    keepReceipt: assign(({ context }, { receipt }: { receipt: Receipt }) => ({
      receipt,
      failures: 0,
      session: withStep(context.session, context.step, receipt),
      kept: context.kept.filter(step => step !== context.step),
    })),
    takeNews: assign(({ context }) => findNews(context) ?? {}),
    keepAnyway: assign(({ context }) => ({ kept: [...context.kept, context.step] })),
    waitNoLonger: assign(({ context }) => ({ session: context.session && { ...context.session, pending: [] } })),
    keepWalletRequest: assign((_, { session, request }: { session: SessionProgress; request: WalletRequest }) => ({
      session,
      wallet_request: request,
      failures: 0,
    })),
    keepWalletAnswer: assign((_, { answer }: { answer: WalletAnswer }) => ({ wallet_answer: answer })),
    forgetWallet: assign({ wallet_request: null, wallet_answer: null }),
    keepChallenge: assign((_, { challenge }: { challenge: Challenge }) => ({
      challenge,
      position: 0,
      receipt: null,
      failures: 0,
    })),
    keepFrameReceipt: assign((_, { receipt }: { receipt: Receipt }) => ({ receipt, failures: 0 })),
    showNextAction: assign(({ context }) => ({ position: context.position + 1, picture: null, receipt: null })),
    takeAgain: assign({ takes_again: true }),
    submitAgain: assign({ takes_again: false }),
    endLiveness: assign(({ context }) => ({
      picture: null,
      receipt: null,
      session: withStep(context.session, 'liveness', {
        attempts_left: context.challenge?.attempts_left ?? 0,
        pending: false,
      }),
    })),
    keepOffer: assign((_, { offer }: { offer: HandoffOffer }) => ({ offer, failures: 0 })),
    keepOutcome: assign((_, { outcome: { outcome, advice } }: { outcome: Outcome }) => ({
      outcome,
      advice,
      failures: 0,
    })),
    keepFailure: assign(({ event }) => ({ failure: readReason(event) })),
    keepCameraFailure: assign(({ event }) => ({ camera_failure: readReason(event) })),
    clearCameraFailure: assign({ camera_failure: null }),
    countFailure: assign(({ context }) => ({ failures: context.failures + 1 })),
  },
}).createMachine({
  id: 'capture',
  description: 'One person and one camera, from the link to the result.',
  context: ({ input }) => ({
    ...input,
    ...beginning,
    redirect_url: null,
    camera_failure: null,
    failures: 0,
    outcome: null,
    advice: [],
    takes_again: false,
    kept: [],
  }),
  initial: 'underway',
  states: {
    underway: {
      description: 'Calls may be made here; whatever one of them fails with is handled in one place.',
      initial: 'arriving',
      on: {
        'xstate.error.actor.*': [
          { guard: 'isUsedLink', target: 'closed.used_link', description: 'The code was used, or its time is over.' },
          { guard: 'isUnknownLink', target: 'closed.unknown_link', description: 'No transaction has this token.' },
          { guard: 'isGone', target: 'closed.expired', description: 'The transaction’s lifetime is over.' },
          {
            guard: 'mayBeRepeated',
            target: 'unreachable',
            actions: ['keepFailure', 'countFailure'],
            description: 'The network is lost, or the service is busy.',
          },
          {
            guard: 'sessionHasChanged',
            target: '#capture.underway.opening',
            description: 'Another page or device went on: the service says where.',
          },
          { target: 'broken', description: 'Nobody expected this: the fault is ours.' },
        ],
      },
      states: {
        resumed: {
          type: 'history',
          history: 'deep',
          target: 'opening',
          description: 'Where the person was when the connection was lost.',
        },
        arriving: {
          description: 'By a link with a token, or with a code for one use.',
          always: [
            { guard: 'codeIsOpen', target: 'accepting', description: 'A machine may have opened the link.' },
            { target: 'opening', description: 'A token stays.' },
          ],
        },
        accepting: {
          tags: ['TAKE_OVER'],
          description: 'The code is used up only when a person goes on: mail programs open links, too.',
          on: {
            CONTINUE: { target: 'opening', actions: 'acceptCode', description: 'A person is here.' },
          },
        },
        opening: {
          tags: ['LOADING'],
          description: 'Asks the service where the session stands. A code is first exchanged for a token.',
          entry: 'forgetSession',
          invoke: {
            id: 'open',
            src: 'open',
            onDone: {
              target: 'routing',
              actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
              description: 'The service has described the session.',
            },
          },
        },
        routing: {
          description: 'Goes where the service says that the person is.',
          entry: 'dropPicture',
          always: [
            { guard: 'isInReview', target: 'in_review', description: 'A person looks at it, which takes longer.' },
            { guard: 'captureIsElsewhere', target: 'following', description: 'Another device captures.' },
            { guard: 'mayTakeAgain', target: 'asking_again', description: 'Something could not be judged.' },
            { guard: 'isSubmitted', target: 'waiting', description: 'The capture is complete.' },
            { guard: 'hasFailed', target: '#capture.closed.failed', description: 'It ended without a decision.' },
            { guard: 'deviceIsOpen', target: 'capturing.choosing_device', description: 'A desktop may use a phone.' },
            { guard: 'isNotStarted', target: 'capturing.consent', description: 'Nothing was captured yet.' },
            {
              guard: 'walletIsRequested',
              target: 'capturing.wallet.waiting',
              description: 'A wallet is asked: it may answer at any time.',
            },
            {
              guard: 'hasNews',
              target: 'capturing.picture.advising',
              actions: 'takeNews',
              description: 'The service has found something out about a picture since it came.',
            },
            {
              guard: 'picturesArePending',
              target: 'capturing.looking',
              description: 'Nobody films themselves for nothing: the pictures are looked at first.',
            },
            { guard: 'everyStepIsTaken', target: 'submitting', description: 'Nothing is missing.' },
            {
              guard: 'noAttemptIsLeft',
              target: '#capture.closed.no_attempts',
              description: 'The next step is used up.',
            },
            { guard: 'livenessIsNext', target: 'capturing.liveness', description: 'Only the actions are missing.' },
            { guard: 'walletIsNext', target: 'capturing.wallet', description: 'A wallet is missing.' },
            {
              guard: 'documentIsOpen',
              target: 'capturing.choosing_document',
              description: 'No document was chosen yet: a wallet gave nothing.',
            },
            { target: 'capturing.picture', actions: 'takeNextStep', description: 'A picture is missing.' },
          ],
        },
        capturing: {
          description: 'The person is asked for something. The lifetime goes on meanwhile.',
          initial: 'consent',
          after: {
            LIFETIME: { target: 'opening', description: 'It should be over now: the service knows.' },
          },
          on: {
            STOP: { target: '#capture.stopping', description: 'The person wants to stop.' },
          },
          states: {
            choosing_device: {
              tags: ['CHOOSE_DEVICE'],
              description: 'A phone takes better pictures than a computer.',
              on: {
                USE_PHONE: { target: 'handing_off', description: 'The phone goes on.' },
                CONTINUE: { target: 'consent', description: 'This computer’s camera will do.' },
              },
            },
            consent: {
              tags: ['CONSENT'],
              description: 'Says what is asked for, and why.',
              on: {
                CONTINUE: [
                  {
                    guard: 'walletIsRequired',
                    target: 'wallet',
                    description: 'The person agrees; a wallet is wanted and nothing else.',
                  },
                  { guard: 'documentIsAsked', target: 'choosing_document', description: 'The person agrees.' },
                  {
                    target: 'picture',
                    actions: 'takeNextStep',
                    description: 'The person agrees; a step-up compares the face alone.',
                  },
                ],
                BACK: {
                  guard: 'canUsePhone',
                  target: 'choosing_device',
                  description: 'The person would rather use a phone.',
                },
              },
            },
            choosing_document: {
              tags: ['CHOOSE_DOCUMENT'],
              description:
                'Passport, identity card, driving licence or residence permit; or a wallet, where one is asked.',
              on: {
                CHOOSE_WALLET: {
                  guard: 'walletMayBeAsked',
                  target: 'wallet',
                  description: 'The person shows a digital document, without a picture.',
                },
                CHOOSE: [
                  {
                    guard: 'documentIsAnother',
                    target: 'changing_document',
                    actions: 'chooseDocument',
                    description: 'It was the wrong document.',
                  },
                  { target: 'picture', actions: 'chooseDocument', description: 'The person has this document.' },
                ],
                BACK: [
                  { guard: 'isNotStarted', target: 'consent', description: 'The person reads it again.' },
                  { target: '#capture.underway.routing', description: 'It was the right document.' },
                ],
              },
            },
            changing_document: {
              tags: ['LOADING'],
              description:
                'Says which document it is after all: pictures of another one, and what a wallet gave, are discarded.',
              invoke: {
                id: 'changeDocument',
                src: 'changeDocument',
                input: ({ context }) => ({ document_type: context.document_type }),
                onDone: {
                  target: '#capture.underway.routing',
                  actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                  description: 'The service knows the new one.',
                },
              },
            },
            wallet: {
              description: 'A digital document from a wallet, in place of photographs.',
              initial: 'beginning',
              states: {
                beginning: {
                  description: 'A request belongs to a session that has started.',
                  always: [
                    { guard: 'isNotStarted', target: 'starting', description: 'Nothing was captured yet.' },
                    { target: 'requesting', description: 'The session has started.' },
                  ],
                },
                starting: {
                  tags: ['LOADING'],
                  description: 'Says that the person agrees; a wallet says itself which document it is.',
                  invoke: {
                    id: 'start',
                    src: 'start',
                    input: { document_type: null },
                    onDone: {
                      target: 'reporting',
                      actions: { type: 'keepStart', params: ({ event }) => ({ session: event.output }) },
                      description: 'The session has started.',
                    },
                  },
                },
                reporting: {
                  tags: ['LOADING'],
                  description: 'Reports what a browser honestly knows of its device.',
                  invoke: {
                    id: 'report',
                    src: 'report',
                    onDone: { target: 'requesting', description: 'The service knows the device.' },
                  },
                },
                requesting: {
                  tags: ['LOADING'],
                  description: 'Opens a request. One before becomes void.',
                  invoke: {
                    id: 'requestWallet',
                    src: 'requestWallet',
                    onDone: {
                      target: 'offering',
                      actions: { type: 'keepWalletRequest', params: ({ event }) => event.output },
                      description: 'The request is open.',
                    },
                  },
                },
                offering: {
                  tags: ['WALLET'],
                  description: 'Shows the ways to a wallet: by the browser, a link, or a code for another device.',
                  invoke: {
                    id: 'awaitWallet',
                    src: 'awaitWallet',
                    onDone: [
                      {
                        guard: { type: 'walletHasAnswered', params: ({ event }) => ({ session: event.output }) },
                        target: '#capture.underway.routing',
                        actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                        description: 'A wallet has answered by the link.',
                      },
                      {
                        target: 'refused',
                        actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                        description: 'It declined, what it gave was no answer, or the time is over.',
                      },
                    ],
                  },
                  on: {
                    CONTINUE: { target: 'asking', description: 'The person asks by the browser.' },
                    BACK: {
                      guard: 'photosAreTaken',
                      target: '#capture.underway.capturing.choosing_document',
                      description: 'Photographs, or another document.',
                    },
                    USE_PHONE: {
                      guard: 'canUsePhone',
                      target: '#capture.underway.capturing.handing_off',
                      description: 'The wallet is on the phone: so the phone goes on.',
                    },
                  },
                },
                asking: {
                  tags: ['WALLET_WAITING'],
                  description: 'The browser lets the person choose a wallet, and a document in it.',
                  after: {
                    WALLET_TTL: { target: 'refused', description: 'The time for the answer is over.' },
                  },
                  invoke: {
                    id: 'askWallet',
                    src: 'askWallet',
                    input: ({ context }) => ({ request: context.wallet_request }),
                    onDone: {
                      target: 'sending',
                      actions: { type: 'keepWalletAnswer', params: ({ event }) => ({ answer: event.output }) },
                      description: 'The wallet has answered.',
                    },
                    onError: {
                      guard: 'walletGaveNothing',
                      target: 'refused',
                      description: 'The person declined, has no wallet, or the browser can’t ask it.',
                    },
                  },
                  on: {
                    BACK: [
                      {
                        guard: 'photosAreTaken',
                        target: '#capture.underway.capturing.choosing_document',
                        description: 'Photographs, or another document.',
                      },
                      { target: 'offering', description: 'Another way to a wallet.' },
                    ],
                  },
                },
                sending: {
                  tags: ['LOADING'],
                  description: 'The service looks whether it is an answer to this request.',
                  invoke: {
                    id: 'sendWallet',
                    src: 'sendWallet',
                    input: ({ context: { wallet_request, wallet_answer } }) => ({
                      request: wallet_request,
                      answer: wallet_answer,
                    }),
                    onDone: {
                      target: '#capture.underway.routing',
                      actions: [
                        'forgetWallet',
                        { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                      ],
                      description: 'The answer is one to this request.',
                    },
                    onError: {
                      guard: 'answerIsRefused',
                      target: 'refused',
                      description: 'The answer is none to this request, or came too late.',
                    },
                  },
                },
                waiting: {
                  tags: ['WALLET_WAITING'],
                  description:
                    'A request is open whose link this page does not have: it was loaded again, or the device is another.',
                  invoke: {
                    id: 'awaitWallet',
                    src: 'awaitWallet',
                    onDone: [
                      {
                        guard: { type: 'walletHasAnswered', params: ({ event }) => ({ session: event.output }) },
                        target: '#capture.underway.routing',
                        actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                        description: 'A wallet has answered by the link.',
                      },
                      {
                        target: 'refused',
                        actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                        description: 'It gave nothing, or the time is over.',
                      },
                    ],
                  },
                  on: {
                    TRY_AGAIN: {
                      guard: 'walletMayBeAsked',
                      target: 'requesting',
                      description: 'The person would rather begin again.',
                    },
                    BACK: {
                      guard: 'photosAreTaken',
                      target: '#capture.underway.capturing.choosing_document',
                      description: 'Photographs, or another document.',
                    },
                  },
                },
                refused: {
                  tags: ['WALLET_REFUSED'],
                  description: 'Says that the wallet gave nothing that can be used.',
                  entry: 'forgetWallet',
                  always: {
                    guard: 'walletIsUsedUp',
                    target: '#capture.closed.no_attempts',
                    description: 'It was the last try, and nothing else is taken.',
                  },
                  on: {
                    TRY_AGAIN: {
                      guard: 'walletMayBeAsked',
                      target: 'requesting',
                      description: 'The person tries again.',
                    },
                    BACK: {
                      guard: 'photosAreTaken',
                      target: '#capture.underway.capturing.choosing_document',
                      description: 'Photographs, or another document.',
                    },
                  },
                },
              },
            },
            picture: {
              description: 'One picture: the front, the back or the selfie.',
              initial: 'explaining',
              exit: 'closeCamera',
              states: {
                explaining: {
                  tags: ['EXPLAIN_PICTURE'],
                  description: 'Says what to photograph, and how.',
                  entry: 'dropPicture',
                  on: {
                    CONTINUE: { target: 'opening_camera', description: 'The person is ready.' },
                    FILE: {
                      target: 'saving',
                      actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.picture }) },
                      description: 'The person has the picture already.',
                    },
                    KEEP: {
                      guard: 'pictureIsTaken',
                      target: '#capture.underway.routing',
                      actions: 'keepAnyway',
                      description: 'The picture that was taken before is good.',
                    },
                    CHANGE_DOCUMENT: {
                      guard: 'documentIsShown',
                      target: '#capture.underway.capturing.choosing_document',
                      description: 'The person has no such document.',
                    },
                    BACK: [
                      {
                        guard: 'documentIsFirst',
                        target: '#capture.underway.capturing.choosing_document',
                        description: 'Another document after all.',
                      },
                      {
                        guard: 'consentIsOpen',
                        target: '#capture.underway.capturing.consent',
                        description: 'The person reads it again.',
                      },
                      {
                        guard: 'hasPictureBefore',
                        target: 'explaining',
                        reenter: true,
                        actions: 'takeStepBefore',
                        description: 'The picture before is taken again.',
                      },
                      {
                        guard: 'walletIsAnswered',
                        target: '#capture.underway.capturing.choosing_document',
                        description: 'Photographs, or another document from a wallet.',
                      },
                    ],
                  },
                },
                opening_camera: {
                  tags: ['PICTURE_CAMERA'],
                  description: 'The browser asks the person for the camera.',
                  entry: 'clearCameraFailure',
                  invoke: {
                    id: 'openCamera',
                    src: 'openCamera',
                    input: ({ context }) => ({ facing: facingOf(context.step) }),
                    onDone: { target: 'aiming', description: 'The camera films.' },
                    onError: {
                      guard: 'cameraHasFailed',
                      target: 'without_camera',
                      actions: 'keepCameraFailure',
                      description: 'It was refused, or there is none.',
                    },
                  },
                  on: {
                    BACK: { target: 'explaining', actions: 'closeCamera', description: 'The person is not ready yet.' },
                  },
                },
                aiming: {
                  tags: ['PICTURE_CAMERA'],
                  description: 'Guides the person until the picture is good, and takes it.',
                  invoke: {
                    id: 'watch',
                    src: 'watch',
                    input: ({ context }) => ({ step: context.step, action: null }),
                    onDone: {
                      target: 'saving',
                      actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.output }) },
                      description: 'Everything that was wanted is seen.',
                    },
                    onError: {
                      guard: 'cameraHasFailed',
                      target: 'without_camera',
                      actions: 'keepCameraFailure',
                      description: 'The camera is lost.',
                    },
                  },
                  on: {
                    SHUTTER: { target: 'taking', description: 'The person takes it by hand.' },
                    CHOOSE_CAMERA: {
                      target: 'opening_camera',
                      actions: [
                        {
                          type: 'useCamera',
                          params: ({ context, event }) => ({ facing: facingOf(context.step), camera: event.camera }),
                        },
                        'closeCamera',
                      ],
                      description: 'The device has several cameras: another one is better.',
                    },
                    FILE: {
                      target: 'saving',
                      actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.picture }) },
                      description: 'The person has the picture already.',
                    },
                    BACK: { target: 'explaining', actions: 'closeCamera', description: 'The person is not ready yet.' },
                  },
                },
                taking: {
                  tags: ['PICTURE_CAMERA'],
                  description: 'Takes what the camera sees now.',
                  invoke: {
                    id: 'take',
                    src: 'take',
                    input: ({ context }) => ({ step: context.step }),
                    onDone: {
                      target: 'saving',
                      actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.output }) },
                      description: 'The picture is there.',
                    },
                    onError: {
                      guard: 'cameraHasFailed',
                      target: 'without_camera',
                      actions: 'keepCameraFailure',
                      description: 'The camera is lost.',
                    },
                  },
                },
                without_camera: {
                  tags: ['NO_CAMERA'],
                  description: 'Says how to allow the camera, and what works without.',
                  on: {
                    TRY_AGAIN: { target: 'opening_camera', description: 'The camera may work now.' },
                    FILE: {
                      target: 'saving',
                      actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.picture }) },
                      description: 'A file does as well.',
                    },
                    USE_PHONE: {
                      guard: 'canUsePhone',
                      target: '#capture.underway.capturing.handing_off',
                      description: 'The phone’s camera works.',
                    },
                    BACK: { target: 'explaining', description: 'The person reads it again.' },
                  },
                },
                saving: {
                  description: 'The picture is on its way.',
                  initial: 'beginning',
                  states: {
                    beginning: {
                      description: 'Starts the session only now, so that the document may be chosen again.',
                      always: [
                        { guard: 'isNotStarted', target: 'starting', description: 'It is the first picture.' },
                        { target: 'uploading', description: 'The session has started.' },
                      ],
                    },
                    starting: {
                      tags: ['SENDING_PICTURE'],
                      description: 'Says which document it is, and that the person agrees.',
                      invoke: {
                        id: 'start',
                        src: 'start',
                        input: ({ context }) => ({ document_type: context.document_type }),
                        onDone: {
                          target: 'reporting',
                          actions: { type: 'keepStart', params: ({ event }) => ({ session: event.output }) },
                          description: 'The session has started.',
                        },
                      },
                    },
                    reporting: {
                      tags: ['SENDING_PICTURE'],
                      description: 'Reports what a browser honestly knows of its device.',
                      invoke: {
                        id: 'report',
                        src: 'report',
                        onDone: { target: 'uploading', description: 'The service knows the device.' },
                      },
                    },
                    uploading: {
                      tags: ['SENDING_PICTURE'],
                      description: 'The service looks at the picture.',
                      invoke: {
                        id: 'upload',
                        src: 'upload',
                        input: ({ context }) => ({ step: context.step, picture: context.picture }),
                        onDone: [
                          {
                            guard: { type: 'hasAdvice', params: ({ event }) => ({ receipt: event.output }) },
                            target: '#capture.underway.capturing.picture.advising',
                            actions: { type: 'keepReceipt', params: ({ event }) => ({ receipt: event.output }) },
                            description: 'The picture could be better.',
                          },
                          {
                            target: '#capture.underway.routing',
                            actions: { type: 'keepReceipt', params: ({ event }) => ({ receipt: event.output }) },
                            description: 'The picture is good.',
                          },
                        ],
                        onError: {
                          guard: 'pictureIsRefused',
                          target: '#capture.underway.capturing.picture.refused',
                          actions: 'keepFailure',
                          description: 'The picture can’t be used at all.',
                        },
                      },
                    },
                  },
                },
                advising: {
                  tags: ['PICTURE_ADVICE'],
                  description: 'Says in words what is wrong, while it can be put right.',
                  on: {
                    RETAKE: {
                      guard: 'attemptsAreLeft',
                      target: 'retaking',
                      actions: 'dropPicture',
                      description: 'The person tries again.',
                    },
                    KEEP: {
                      target: '#capture.underway.routing',
                      actions: 'keepAnyway',
                      description: 'It is as good as it gets.',
                    },
                    CHANGE_DOCUMENT: {
                      guard: 'documentIsShown',
                      target: '#capture.underway.capturing.choosing_document',
                      description: 'It is another document than the person chose.',
                    },
                  },
                },
                refused: {
                  tags: ['PICTURE_REFUSED'],
                  description: 'Says why the picture can’t be used.',
                  on: { RETAKE: { target: 'retaking', actions: 'dropPicture', description: 'Another picture.' } },
                },
                retaking: {
                  description: 'A retake begins where the picture came from.',
                  always: [
                    { guard: 'cameraIsOff', target: 'without_camera', description: 'It came from a file.' },
                    { target: 'opening_camera', description: 'It came from the camera.' },
                  ],
                },
              },
            },
            looking: {
              tags: ['SENDING_PICTURE'],
              description: 'Waits a while for what the service finds out about the pictures.',
              after: {
                ADVICE: {
                  target: '#capture.underway.routing',
                  actions: 'waitNoLonger',
                  description: 'It has no time: the analysis at the end looks at them.',
                },
              },
              invoke: {
                id: 'awaitAdvice',
                src: 'awaitAdvice',
                onDone: {
                  target: '#capture.underway.routing',
                  actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                  description: 'It has looked at them.',
                },
              },
            },
            liveness: {
              description: 'A challenge: actions that a picture of a face can’t follow.',
              initial: 'explaining',
              exit: 'closeCamera',
              states: {
                explaining: {
                  tags: ['EXPLAIN_LIVENESS'],
                  description: 'Says what will be asked, before the time runs.',
                  on: {
                    CONTINUE: { target: 'opening_camera', description: 'The person is ready.' },
                    BACK: {
                      target: '#capture.underway.capturing.picture',
                      actions: 'takeSelfie',
                      description: 'The selfie is taken again.',
                    },
                  },
                },
                opening_camera: {
                  tags: ['LIVENESS_CAMERA'],
                  description: 'The browser asks the person for the camera.',
                  entry: 'clearCameraFailure',
                  invoke: {
                    id: 'openCamera',
                    src: 'openCamera',
                    input: { facing: 'user' },
                    onDone: { target: 'issuing', description: 'The camera films.' },
                    onError: {
                      guard: 'cameraHasFailed',
                      target: 'without_camera',
                      actions: 'keepCameraFailure',
                      description: 'It was refused, or there is none.',
                    },
                  },
                  on: {
                    BACK: { target: 'explaining', actions: 'closeCamera', description: 'The person is not ready yet.' },
                  },
                },
                without_camera: {
                  tags: ['NO_CAMERA'],
                  description: 'Says how to allow the camera, and what works without.',
                  on: {
                    TRY_AGAIN: { target: 'opening_camera', description: 'The camera may work now.' },
                    USE_FILES: { target: 'issuing', description: 'A file for each action does as well.' },
                    USE_PHONE: {
                      guard: 'canUsePhone',
                      target: '#capture.underway.capturing.handing_off',
                      description: 'The phone’s camera works.',
                    },
                    BACK: { target: 'explaining', description: 'The person reads it again.' },
                  },
                },
                issuing: {
                  tags: ['LIVENESS_CAMERA'],
                  description: 'Asks for a challenge. Its time begins.',
                  invoke: {
                    id: 'issueChallenge',
                    src: 'issueChallenge',
                    onDone: {
                      target: 'answering',
                      actions: { type: 'keepChallenge', params: ({ event }) => ({ challenge: event.output }) },
                      description: 'The actions are known.',
                    },
                  },
                },
                answering: {
                  description: 'One action after the other, while the challenge is open.',
                  initial: 'showing',
                  after: {
                    CHALLENGE_TTL: {
                      guard: 'answerIsMissing',
                      target: 'timed_out',
                      description: 'The challenge is over. Who reads about the last frame may go on reading.',
                    },
                  },
                  on: {
                    BACK: { target: 'explaining', actions: 'closeCamera', description: 'The person is not ready yet.' },
                  },
                  states: {
                    showing: {
                      description: 'The next action.',
                      always: [
                        { guard: 'cameraIsOff', target: 'picking', description: 'A file answers it.' },
                        { target: 'acting', description: 'The camera watches.' },
                      ],
                    },
                    acting: {
                      tags: ['LIVENESS_CAMERA'],
                      description: 'Watches until the action is seen, and takes that frame.',
                      invoke: {
                        id: 'watch',
                        src: 'watch',
                        input: ({ context }) => ({
                          step: null,
                          action: context.challenge?.actions[context.position] ?? null,
                        }),
                        onDone: {
                          target: 'sending',
                          actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.output }) },
                          description: 'The action is seen.',
                        },
                        onError: {
                          guard: 'cameraHasFailed',
                          target: '#capture.underway.capturing.liveness.without_camera',
                          actions: 'keepCameraFailure',
                          description: 'The camera is lost.',
                        },
                      },
                      on: { SHUTTER: { target: 'taking', description: 'The person takes it by hand.' } },
                    },
                    taking: {
                      tags: ['LIVENESS_CAMERA'],
                      description: 'Takes what the camera sees now.',
                      invoke: {
                        id: 'take',
                        src: 'take',
                        input: { step: null },
                        onDone: {
                          target: 'sending',
                          actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.output }) },
                          description: 'The frame is there.',
                        },
                        onError: {
                          guard: 'cameraHasFailed',
                          target: '#capture.underway.capturing.liveness.without_camera',
                          actions: 'keepCameraFailure',
                          description: 'The camera is lost.',
                        },
                      },
                    },
                    picking: {
                      tags: ['LIVENESS_FILE'],
                      description: 'Asks for a file that shows the action.',
                      on: {
                        FILE: {
                          target: 'sending',
                          actions: { type: 'keepPicture', params: ({ event }) => ({ picture: event.picture }) },
                          description: 'The person has chosen one.',
                        },
                      },
                    },
                    sending: {
                      tags: ['SENDING_FRAME'],
                      description: 'The service looks at the frame.',
                      invoke: {
                        id: 'uploadFrame',
                        src: 'uploadFrame',
                        input: ({ context: { challenge, position, picture } }) => ({ challenge, position, picture }),
                        onDone: [
                          {
                            guard: { type: 'hasAdvice', params: ({ event }) => ({ receipt: event.output }) },
                            target: 'advising',
                            actions: { type: 'keepFrameReceipt', params: ({ event }) => ({ receipt: event.output }) },
                            description: 'The action is not seen well.',
                          },
                          {
                            guard: 'challengeIsAnswered',
                            target: '#capture.underway.routing',
                            actions: 'endLiveness',
                            description: 'It was the last action.',
                          },
                          { target: 'showing', actions: 'showNextAction', description: 'Others follow.' },
                        ],
                        onError: [
                          {
                            guard: 'pictureIsRefused',
                            target: 'refused',
                            actions: 'keepFailure',
                            description: 'The frame can’t be used at all.',
                          },
                          {
                            guard: 'challengeIsOver',
                            target: '#capture.underway.capturing.liveness.timed_out',
                            description: 'The service’s clock was faster.',
                          },
                        ],
                      },
                    },
                    advising: {
                      tags: ['FRAME_ADVICE'],
                      description: 'Says in words what is wrong, while it can be put right.',
                      on: {
                        RETAKE: [
                          { guard: 'challengeIsOpen', target: 'showing', description: 'The same action again.' },
                          {
                            guard: 'challengesAreLeft',
                            target: '#capture.underway.capturing.liveness.opening_camera',
                            description: 'An answered challenge takes no other frame: a new one does.',
                          },
                        ],
                        KEEP: [
                          {
                            guard: 'challengeIsAnswered',
                            target: '#capture.underway.routing',
                            actions: 'endLiveness',
                            description: 'It is as good as it gets.',
                          },
                          { target: 'showing', actions: 'showNextAction', description: 'On with the next.' },
                        ],
                      },
                    },
                    refused: {
                      tags: ['FRAME_REFUSED'],
                      description: 'Says why the frame can’t be used.',
                      on: { RETAKE: { target: 'showing', actions: 'dropPicture', description: 'Another frame.' } },
                    },
                  },
                },
                timed_out: {
                  tags: ['LIVENESS_TIMEOUT'],
                  description: 'The challenge was open too long.',
                  always: {
                    guard: 'noChallengeIsLeft',
                    target: '#capture.closed.no_attempts',
                    description: 'It was the last.',
                  },
                  on: {
                    TRY_AGAIN: { target: 'opening_camera', description: 'The person tries again.' },
                  },
                },
              },
            },
            handing_off: {
              description: 'Shows a code to another device.',
              initial: 'offering',
              on: {
                BACK: {
                  target: '#capture.underway.taking_back',
                  description: 'On this device after all: the code, which may be in a message, becomes void.',
                },
              },
              states: {
                offering: {
                  tags: ['HANDOFF'],
                  description: 'Asks for a code. One before becomes void.',
                  invoke: {
                    id: 'offer',
                    src: 'offer',
                    onDone: {
                      target: 'offered',
                      actions: { type: 'keepOffer', params: ({ event }) => ({ offer: event.output }) },
                      description: 'The code is there.',
                    },
                  },
                },
                offered: {
                  description: 'The code is open for ten minutes, and for one use.',
                  initial: 'watching',
                  after: {
                    CODE_TTL: { target: 'offering', description: 'Nobody used it: another one.' },
                  },
                  states: {
                    watching: {
                      tags: ['HANDOFF'],
                      description: 'Asks now and then whether a device has taken it.',
                      invoke: {
                        id: 'follow',
                        src: 'follow',
                        onDone: [
                          {
                            guard: { type: 'staysElsewhere', params: ({ event }) => ({ session: event.output }) },
                            target: '#capture.underway.following',
                            actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                            description: 'A device has taken it.',
                          },
                          { target: 'watching', reenter: true, description: 'Nothing has changed yet.' },
                        ],
                      },
                    },
                  },
                },
              },
            },
          },
        },
        following: {
          tags: ['FOLLOWING'],
          description: 'Shows how far the other device is.',
          on: {
            CONTINUE: { guard: 'isFirstDevice', target: 'taking_back', description: 'On this device after all.' },
            USE_PHONE: {
              guard: 'maySendAnother',
              target: 'capturing.handing_off',
              description: 'It was the wrong device: another code.',
            },
          },
          invoke: {
            id: 'follow',
            src: 'follow',
            onDone: [
              {
                guard: { type: 'staysElsewhere', params: ({ event }) => ({ session: event.output }) },
                target: 'following',
                reenter: true,
                actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                description: 'The other device goes on.',
              },
              {
                target: 'routing',
                actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
                description: 'The other device has finished.',
              },
            ],
          },
        },
        taking_back: {
          tags: ['LOADING'],
          description: 'This device captures again; the other one no longer.',
          invoke: {
            id: 'takeBack',
            src: 'takeBack',
            onDone: {
              target: 'routing',
              actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
              description: 'The service knows it.',
            },
          },
        },
        submitting: {
          tags: ['CHECKING'],
          description: 'Says that the capture is complete.',
          invoke: {
            id: 'complete',
            src: 'complete',
            onDone: { target: 'waiting', actions: 'submitAgain', description: 'The analysis begins.' },
          },
        },
        waiting: {
          tags: ['CHECKING'],
          description: 'Waits for the decision.',
          invoke: {
            id: 'awaitResult',
            src: 'awaitResult',
            onDone: [
              {
                guard: { type: 'hasOutcome', params: ({ event }) => ({ outcome: event.output }) },
                target: '#capture.finished',
                actions: { type: 'keepOutcome', params: ({ event }) => ({ outcome: event.output }) },
                description: 'It is decided.',
              },
              {
                guard: { type: 'isOver', params: ({ event }) => ({ outcome: event.output }) },
                target: '#capture.closed.failed',
                description: 'It ended without a decision.',
              },
              {
                guard: { type: 'waitsForPerson', params: ({ event }) => ({ outcome: event.output }) },
                target: 'opening',
                description: 'A reviewer looks at it, or the person is asked again: the service says what.',
              },
              { target: 'waiting', reenter: true, description: 'Nothing has changed yet.' },
            ],
          },
        },
        asking_again: {
          tags: ['TAKE_AGAIN'],
          description: 'Says that something was not seen well enough, and can be taken again.',
          on: {
            CONTINUE: { target: 'routing', actions: 'takeAgain', description: 'The person tries again.' },
            STOP: { target: '#capture.stopping', description: 'The person does not want to.' },
          },
        },
        in_review: {
          description: 'A person looks at it, which may take days: nobody has to wait here.',
          initial: 'showing',
          on: {
            LEAVE: { guard: 'canReturn', target: '#capture.left', description: 'The person goes back at once.' },
          },
          invoke: {
            id: 'awaitReview',
            src: 'awaitReview',
            onDone: {
              target: 'routing',
              actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
              description: 'It is decided.',
            },
          },
          states: {
            showing: {
              description: 'With or without a site to go back to.',
              always: [
                { guard: 'canReturn', target: 'returning', description: 'The integrator has named one.' },
                { target: 'staying', description: 'The person may close the page.' },
              ],
            },
            returning: {
              tags: ['IN_REVIEW'],
              description: 'Goes back by itself after some seconds.',
              after: { RETURN: { target: '#capture.left', description: 'The seconds are over.' } },
              on: { STAY: { target: 'staying', description: 'The person would rather wait.' } },
            },
            staying: {
              tags: ['IN_REVIEW'],
              description: 'The decision is shown here once it is there.',
            },
          },
        },
      },
    },
    unreachable: {
      tags: ['OFFLINE'],
      description: 'Nothing is lost: the same call is made again.',
      after: {
        RETRY: { target: 'underway.resumed', description: 'After a while, longer each time.' },
      },
      on: {
        ONLINE: { target: 'underway.resumed', description: 'The network is back.' },
        TRY_AGAIN: { target: 'underway.resumed', description: 'The person doesn’t want to wait.' },
      },
    },
    broken: {
      tags: ['BROKEN'],
      description: 'Something failed that nobody expected.',
      on: { TRY_AGAIN: { target: 'underway', description: 'From what the service knows.' } },
    },
    stopping: {
      description: 'Stopping for good is asked twice.',
      initial: 'confirming',
      states: {
        confirming: {
          tags: ['CONFIRM_STOP'],
          description: 'Says what stopping means.',
          on: {
            BACK: { target: '#capture.underway.routing', description: 'The person goes on.' },
            LEAVE: {
              guard: 'isEmbedded',
              target: '#capture.left',
              description: 'The person comes back later: the link stays good.',
            },
            STOP: { target: 'cancelling', description: 'The person stops for good.' },
          },
        },
        cancelling: {
          tags: ['LOADING'],
          description: 'Ends the transaction.',
          invoke: {
            id: 'cancel',
            src: 'cancel',
            onDone: { target: '#capture.closed.cancelled', description: 'It is ended.' },
            onError: { target: '#capture.underway', description: 'The service knows whether it has ended.' },
          },
        },
      },
    },
    finished: {
      description: 'Shows the decision, in kind words.',
      initial: 'showing',
      on: {
        LEAVE: { guard: 'canReturn', target: 'left', description: 'The person goes back at once.' },
      },
      states: {
        showing: {
          description: 'With or without a site to go back to.',
          always: [
            { guard: 'canReturn', target: 'returning', description: 'The integrator has named one.' },
            { target: 'staying', description: 'The person may close the page.' },
          ],
        },
        returning: {
          tags: ['RESULT'],
          description: 'Goes back by itself after some seconds.',
          after: { RETURN: { target: '#capture.left', description: 'The seconds are over.' } },
          on: { STAY: { target: 'staying', description: 'The person needs more time.' } },
        },
        staying: {
          tags: ['RESULT'],
          description: 'Nothing happens until the person wants it.',
        },
      },
    },
    closed: {
      description: 'Nothing can be captured here; each state says why.',
      initial: 'expired',
      on: {
        LEAVE: { guard: 'canReturn', target: 'left', description: 'The person goes back to the site.' },
      },
      states: {
        expired: { tags: ['EXPIRED'], description: 'The time for the transaction is over.' },
        cancelled: { tags: ['CANCELLED'], description: 'The person has stopped it.' },
        failed: { tags: ['FAILED'], description: 'The transaction ended without a decision.' },
        unknown_link: { tags: ['UNKNOWN_LINK'], description: 'The link has no token, or one that nobody knows.' },
        used_link: { tags: ['USED_LINK'], description: 'A code works once, for ten minutes.' },
        no_attempts: { tags: ['NO_ATTEMPTS'], description: 'A step was tried as often as allowed.' },
      },
    },
    left: {
      type: 'final',
      tags: ['LEFT'],
      description: 'The browser goes back to the integrator’s site.',
      entry: 'returnToSite',
    },
  },
})
