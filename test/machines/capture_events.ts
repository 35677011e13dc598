import type { AnyEventObject } from 'xstate'
import {
  type CaptureContext,
  type FailureReason,
  findNextStep,
  type SessionProgress,
  type StepProgress,
} from '../../machines/capture.ts'

type Steps = readonly [step: StepProgress['step'], state: StepProgress['state'], attempts_left?: number][]

function stepsOf(steps: Steps): readonly StepProgress[] {
  return steps.map(([step, state, attempts_left = 2]) => ({ step, required: true, state, attempts_left }))
}

const created: SessionProgress = {
  status: 'CREATED',
  transaction_type: 'DOCUMENT_AND_BIOMETRIC',
  document_type: null,
  steps: stepsOf([
    ['document_front', 'missing'],
    ['selfie', 'missing'],
    ['liveness', 'missing'],
  ]),
  advice: [],
  pending: [],
  may_capture: true,
  waiting_for: null,
  face_search: false,
  asks_location: false,
  chip: null,
  wallet: null,
  redirect_url: 'https://example.com/',
  expires_in_ms: 3_600_000,
}

const started: SessionProgress = {
  ...created,
  status: 'INITIATED',
  document_type: 'ID_CARD',
  steps: stepsOf([
    ['document_front', 'missing'],
    ['document_back', 'missing'],
    ['selfie', 'missing'],
    ['liveness', 'missing'],
  ]),
}

function withSteps(steps: Steps): SessionProgress {
  return { ...started, steps: stepsOf(steps) }
}

const offered = { policy: 'OFFER', state: 'missing', request_id: null, attempts_left: 2 } as const

const walletSteps = stepsOf([
  ['document_wallet', 'missing'],
  ['selfie', 'missing'],
  ['liveness', 'missing'],
])

/** The session once a wallet was asked. */
function askedOf(wallet: NonNullable<SessionProgress['wallet']>): SessionProgress {
  const asked = { ...wallet, state: 'requested', request_id: 'request' } as const
  return {
    ...started,
    document_type: null,
    wallet: asked,
    steps: wallet.policy === 'REQUIRE' ? walletSteps : started.steps,
  }
}

/** Sessions as the service may describe them, each of which leads elsewhere. */
export const sessions = {
  created,
  created_step_up: {
    ...created,
    transaction_type: 'BIOMETRIC_ONLY',
    redirect_url: null,
    steps: stepsOf([
      ['selfie', 'missing'],
      ['liveness', 'missing'],
    ]),
  },
  started,
  wallet_offered: { ...created, wallet: offered },
  wallet_required: { ...created, wallet: { ...offered, policy: 'REQUIRE' }, steps: walletSteps },
  wallet_asked: askedOf(offered),
  required_wallet_missing: {
    ...started,
    document_type: null,
    wallet: { ...offered, policy: 'REQUIRE' },
    steps: walletSteps,
  },
  wallet_answered: {
    ...withSteps([
      ['document_wallet', 'captured'],
      ['selfie', 'missing'],
      ['liveness', 'missing'],
    ]),
    wallet: { ...offered, state: 'captured' },
  },
  /** The wallet gave nothing, and no document was chosen before. */
  document_open: { ...started, document_type: null, wallet: offered },
  front_taken: withSteps([
    ['document_front', 'captured'],
    ['document_back', 'missing'],
    ['selfie', 'missing'],
    ['liveness', 'missing'],
  ]),
  liveness_missing: withSteps([
    ['selfie', 'captured'],
    ['liveness', 'missing'],
  ]),
  /** The service has findings about the selfie; or still analyses it. */
  selfie_advised: {
    ...withSteps([
      ['selfie', 'captured'],
      ['liveness', 'missing'],
    ]),
    advice: [{ step: 'selfie', warnings: ['SELFIE_LOW_QUALITY'] }],
  },
  selfie_pending: {
    ...withSteps([
      ['selfie', 'captured'],
      ['liveness', 'missing'],
    ]),
    pending: ['selfie'],
  },
  used_up: withSteps([
    ['selfie', 'missing', 0],
    ['liveness', 'missing'],
  ]),
  complete: withSteps([
    ['selfie', 'captured'],
    ['liveness', 'captured'],
  ]),
  submitted: { ...started, status: 'PROCESSING' },
  in_review: { ...started, status: 'PROCESSING', waiting_for: 'review' },
  asked_again: {
    ...withSteps([
      ['selfie', 'captured'],
      ['liveness', 'missing'],
    ]),
    status: 'PROCESSING',
    waiting_for: 'resubmission',
  },
  decided: { ...started, status: 'FINISHED' },
  failed: { ...started, status: 'FAILED' },
  elsewhere: { ...started, may_capture: false },
} as const satisfies Record<string, SessionProgress>

const walletRequest = { request_id: 'request', requests: [], link: 'openid4vp://', expires_in_ms: 300_000 }

function done(name: string, output: unknown): AnyEventObject {
  return {
    type: `xstate.done.actor.${name}`,
    output,
    actorId: name,
  }
}

function failed(name: string, reason: FailureReason | null): AnyEventObject {
  return {
    type: `xstate.error.actor.${name}`,
    error: reason === null ? new TypeError('for the test') : { reason },
    actorId: name,
  }
}

function timer(delay: string, state: string): AnyEventObject {
  return { type: `xstate.after.${delay}.capture.${state}` }
}

const picture = new Blob(['a picture'])

const personEvents: readonly AnyEventObject[] = [
  'CONTINUE',
  'BACK',
  'SHUTTER',
  'RETAKE',
  'KEEP',
  'TRY_AGAIN',
  'USE_FILES',
  'USE_PHONE',
  'ONLINE',
  'STOP',
  'STAY',
  'LEAVE',
  'CHANGE_DOCUMENT',
  'CHOOSE_WALLET',
].map(type => ({ type }))

const results: readonly AnyEventObject[] = [
  ...Object.values(sessions).map(session => done('open', session)),
  done('start', started),
  done('changeDocument', started),
  done('report', null),
  done('openCamera', null),
  done('watch', picture),
  done('take', picture),
  ...[
    { warnings: [], pending: false, attempts_left: 1 },
    { warnings: ['IMAGE_BLURRED'], pending: false, attempts_left: 1 },
    { warnings: ['IMAGE_BLURRED'], pending: false, attempts_left: 0 },
  ].flatMap(receipt => [done('upload', receipt), done('uploadFrame', receipt)]),
  ...[1, 0].map(attempts_left =>
    done('issueChallenge', {
      challenge_id: 'challenge',
      actions: ['TURN_LEFT', 'BLINK'],
      attempts_left,
      lasts_ms: 120_000,
      expires_in_ms: 120_000,
    }),
  ),
  done('offer', {
    code: 'code',
    verify_url: 'https://example.com/verify#handoff=code',
    may_send: false,
    expires_in_ms: 600_000,
  }),
  ...[sessions.created, sessions.elsewhere, sessions.submitted].map(session => done('follow', session)),
  ...[2, 0]
    .flatMap(attempts_left =>
      (['OFFER', 'REQUIRE'] as const).map(policy => askedOf({ ...offered, policy, attempts_left })),
    )
    .map(session => done('requestWallet', { session, request: walletRequest })),
  done('askWallet', { protocol: 'openid4vp-v1-unsigned', data: {} }),
  done('sendWallet', sessions.wallet_answered),
  ...[sessions.wallet_answered, sessions.document_open].map(session => done('awaitWallet', session)),
  done('awaitAdvice', sessions.liveness_missing),
  done('takeBack', sessions.started),
  done('complete', null),
  ...['PROCESSING', 'FINISHED', 'FAILED'].map(status => done('awaitResult', { status, outcome: null, advice: [] })),
  done('awaitResult', { status: 'PROCESSING', outcome: null, waiting_for: 'review', advice: [] }),
  done('awaitReview', sessions.decided),
  done('cancel', null),
]

const failures: readonly AnyEventObject[] = [
  ...(['unknown_link', 'used_link', 'gone', 'offline', null] as const).map(reason => failed('open', reason)),
  ...(['changed', 'offline', 'unreadable'] as const).map(reason => failed('upload', reason)),
  ...(['challenge_over', 'too_large'] as const).map(reason => failed('uploadFrame', reason)),
  ...['openCamera', 'watch', 'take'].map(name => failed(name, 'camera_refused')),
  failed('askWallet', 'wallet_declined'),
  failed('sendWallet', 'wallet_over'),
  failed('cancel', 'changed'),
]

const timers: readonly AnyEventObject[] = [
  timer('LIFETIME', 'underway.capturing'),
  timer('CHALLENGE_TTL', 'underway.capturing.liveness.answering'),
  timer('ADVICE', 'underway.capturing.looking'),
  timer('WALLET_TTL', 'underway.capturing.wallet.asking'),
  timer('CODE_TTL', 'underway.capturing.handing_off.offered'),
  timer('RETRY', 'unreachable'),
  timer('RETURN', 'finished.returning'),
  timer('RETURN', 'underway.in_review.returning'),
]

/** Every event of the capture chart, including timers and the results of its calls. */
export const captureEvents: readonly AnyEventObject[] = [
  ...personEvents,
  { type: 'CHOOSE', document_type: 'PASSPORT' },
  { type: 'CHOOSE', document_type: 'ID_CARD' },
  { type: 'FILE', picture },
  { type: 'CHOOSE_CAMERA', camera: 'another' },
  ...results,
  ...failures,
  ...timers,
]

function summariseWallet(wallet: SessionProgress['wallet']): unknown[] {
  return wallet === null ? [] : [wallet.policy, wallet.state, wallet.attempts_left > 0]
}

/** Returns the parts of a context that open or close a transition at the person's place. */
export function captureSummary(context: CaptureContext, { value }: { readonly value: unknown }): unknown {
  const { session, step, position, challenge, receipt } = context
  const where = JSON.stringify(value)
  if (/closed|finished|left|cancelling/.test(where)) return null
  const next = findNextStep(session)
  return [
    session?.status,
    session?.transaction_type,
    session?.may_capture,
    next?.step,
    next?.attempts_left === 0,
    ...(/wallet|document|consent|explaining/.test(where) ? summariseWallet(session?.wallet ?? null) : []),
    ...(/looking/.test(where) ? [session?.advice.length] : []),
    ...(/picture/.test(where) ? [step, context.camera_failure !== null, receipt?.attempts_left] : []),
    ...(/liveness/.test(where) ? [position, context.camera_failure !== null, challenge?.attempts_left] : []),
  ]
}
