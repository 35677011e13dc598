import { answerDigital, createWalletIssuer, issueMdoc } from '@attestor/credentials/synthetic'
import type { DigitalRequest } from '@attestor/credentials/wallet'
import type { EngineFindings } from '@attestor/rules'
import { AnalysisError, type AnalysisRequest } from '@attestor/vision'
import type { ExecutionContext } from 'ava'
import type { Row } from 'durable-xstate-sql/testing'
import { type AnyEventObject, type AnyMachineSnapshot, initialTransition, transition } from 'xstate'
import { type TransactionContext, type TransactionInput, transactionMachine } from '../../machines/transaction.ts'
import { readScheduledJobs as readJobsOf } from '../../packages/durable/test/actors/charts.ts'
import { createIdleFindings, createInconclusiveFindings } from '../../packages/vision/test/face_findings.ts'
import { ApiError } from '../../src/base/api_error.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { reviewTransaction } from '../../src/verification/analysis/review.ts'
import { readFailure } from '../../src/verification/transactions/failure.ts'
import type { Answer } from '../calls.ts'
import { limits } from '../machines/events.ts'
import { number } from '../raw_row.ts'
import { type AttestationChallenge, attest, makerSettings, toChallenge } from './attested_phone.ts'
import { handoff, kyc, phoneOf, startCall } from './client.ts'
import { checkFailed, getResult } from './outcomes.ts'
import type { Opened, Rig } from './rig.ts'

/** Settings that give the service the limits of the generated paths. */
export const pathSettings = {
  CAPTURE_ATTEMPTS: String(limits.capture_attempts),
  CHALLENGE_ATTEMPTS: String(limits.challenge_attempts),
  CHALLENGE_ACTIONS: '2',
  CHALLENGE_SECONDS: String(limits.challenge_ms / 1000),
  WALLET_REQUEST_SECONDS: String(limits.wallet_ms / 1000),
  ATTESTATION_SECONDS: String(limits.attestation_ms / 1000),
  ...makerSettings,
  ANALYSIS_ATTEMPTS: String(limits.analysis_attempts),
  ANALYSIS_BACKOFF_SECONDS: String(limits.analysis_backoff_ms / 1000),
  ANALYSIS_DEADLINE_SECONDS: String(limits.analysis_deadline_ms / 1000),
  REVIEW_HOURS: String((limits.review_ms ?? 0) / 3_600_000),
  TRANSACTION_TTL_MINUTES: String(limits.ttl_ms / 60_000),
  // A device still reads the result after a review.
  SDK_RESULT_MINUTES: '1440',
}

const verdicts = {
  approve: createApprovedFindings,
  'leave open': createInconclusiveFindings,
  'ask again': createIdleFindings,
} as const

/** The outcome of an analysis. */
type Verdict = keyof typeof verdicts | 'fail'

/** The engine holds every analysis until the test sets its outcome. */
export interface HeldEngine {
  script(request: AnalysisRequest): Promise<EngineFindings>
  /** Resolves when that transaction's analysis is under way. */
  entered(id: string): Promise<void>
  settle(id: string, verdict: Verdict): void
  /** Releases the held analyses, and holds no later one. */
  letGo(): void
}

interface Held {
  readonly entered: PromiseWithResolvers<void>
  readonly verdict: PromiseWithResolvers<Verdict>
}

export function heldEngine(): HeldEngine {
  const held = new Map<string, Held>()
  let isOpen = false
  const of = (id: string): Held => {
    const known = held.get(id) ?? { entered: Promise.withResolvers(), verdict: Promise.withResolvers() }
    held.set(id, known)
    return known
  }
  return {
    async script(request) {
      const { entered, verdict } = of(request.transaction_id)
      entered.resolve()
      const said = isOpen ? 'approve' : await verdict.promise
      if (said === 'fail') throw new AnalysisError('as the path says')
      return verdicts[said](request)
    },
    entered: id => of(id).entered.promise,
    settle(id, verdict) {
      const { verdict: waiting } = of(id)
      held.delete(id)
      waiting.resolve(verdict)
    },
    letGo() {
      isOpen = true
      for (const { verdict } of held.values()) verdict.resolve('approve')
    },
  }
}

/** One path on its way through the service. */
export interface Walk {
  readonly t: ExecutionContext
  readonly rig: Rig
  readonly engine: HeldEngine
  /** Its phone is the one that captures: a hand-off replaces it. */
  opened: Opened
  readonly input: TransactionInput
  challenge_id: string
  /** The last request to a wallet, and the last answer that was sent to it. */
  wallet: { readonly request_id: string; readonly requests: readonly DigitalRequest[]; sent: object | null } | null
  /** The challenge that its device's key is to be attested for. */
  attestation?: AttestationChallenge
  /** The transaction that keeps the only analyser busy while this one waits in COMPLETED. */
  blocker: string | null
}

/** The id of no challenge. */
export const nobody = '01a1fca7-8a12-7284-bf28-0d0ce4c16fd1'

function start({ opened: { phone } }: Walk, { declared_document }: AnyEventObject): Promise<Answer> {
  return phone.start({ ...startCall, document_type: declared_document })
}

function answerOf(status: number, text: string): Answer {
  return { status, headers: new Headers(), text, body: {} }
}

async function review({ rig, opened }: Walk, { decision, operator_id }: AnyEventObject): Promise<Answer> {
  const { transactions } = rig.node().service
  try {
    await reviewTransaction(transactions, { transaction_id: opened.id, operator_id, decision, reason: 'looks right' })
    return answerOf(200, '')
  } catch (error) {
    if (error instanceof ApiError) return answerOf(error.status, error.message)
    throw error
  }
}

const credential = issueMdoc(createWalletIssuer('MDL'), {
  now: Date.UTC(2026, 10, 1),
  person: { portrait: Buffer.from('a portrait') },
})

/** Sends a wallet's answer: to this request, or to another nonce. */
async function answerWallet(walk: Walk, request_id: unknown, nonce: string | null): Promise<Answer> {
  const { rig, opened, wallet } = walk
  const id = wallet === null || request_id !== 'request' ? nobody : wallet.request_id
  const request = wallet?.requests.find(({ protocol }) => protocol === 'openid4vp-v1-unsigned')
  const options = { now: rig.clock.now(), ...(nonce === null ? {} : { nonce }) }
  const sent =
    (nonce === null ? wallet?.sent : null) ??
    (request === undefined
      ? { protocol: 'openid4vp-v1-unsigned', data: {} }
      : { protocol: request.protocol, data: await answerDigital(credential, request, rig.node().url, options) })
  const answer = await opened.phone.answerWallet(id, sent)
  if (answer.status === 200 && wallet !== null) wallet.sent = sent
  return answer
}

/** Each of the device's events as the call that brings it. */
const calls: Readonly<Record<string, (walk: Walk, event: AnyEventObject) => Promise<Answer>>> = {
  START: start,
  DOCUMENT_CHANGED: ({ opened }, { declared_document }) => opened.phone.changeDocument(declared_document),
  SIGNALS: ({ opened }) => opened.phone.signals(),
  FRONT_CAPTURED: ({ opened }) => opened.phone.upload('document/front'),
  BACK_CAPTURED: ({ opened }) => opened.phone.upload('document/back'),
  SELFIE_CAPTURED: ({ opened }) => opened.phone.upload('selfie'),
  async CHALLENGE_ISSUED(walk) {
    const answer = await walk.opened.phone.challenge()
    if (answer.status === 201) walk.challenge_id = String(answer.body.challenge_id)
    return answer
  },
  FRAME_CAPTURED: ({ opened, challenge_id }, event) =>
    opened.phone.upload(`liveness/${event.challenge_id === 'challenge' ? challenge_id : nobody}/${event.position}`),
  CHIP_CHALLENGE_ISSUED: ({ opened }) => opened.phone.chipChallenge(),
  CHIP_READ: ({ opened }) => opened.phone.chip({ unavailable: 'NO_NFC' }),
  async ATTESTATION_CHALLENGED(walk) {
    const answer = await walk.opened.phone.attestationChallenge()
    if (answer.status === 201) walk.attestation = toChallenge(answer)
    return answer
  },
  ATTESTED({ opened, attestation }, event) {
    const challenge_id = event.challenge_id === 'attestation' ? (attestation?.challenge_id ?? nobody) : nobody
    return opened.phone.attest({ ...attest(attestation?.challenge ?? Buffer.alloc(32)).json, challenge_id })
  },
  async ATTESTATION_REFUSED({ opened, attestation }) {
    const answer = await opened.phone.attest({
      ...attest(Buffer.alloc(32)).json,
      challenge_id: attestation?.challenge_id ?? nobody,
    })
    // The call uses the challenge up.
    return answer.status === 422 ? { ...answer, status: 200 } : answer
  },
  CHIP_DROPPED: ({ opened }) => opened.phone.drop('document_chip'),
  async WALLET_REQUESTED(walk) {
    const answer = await walk.opened.phone.askWallet()
    const { request_id, requests } = answer.body
    if (answer.status === 201)
      walk.wallet = { request_id: String(request_id), requests: requests as DigitalRequest[], sent: null }
    return answer
  },
  WALLET_ANSWERED: (walk, { request_id }) => answerWallet(walk, request_id, null),
  async WALLET_REFUSED(walk, { request_id }) {
    const answer = await answerWallet(walk, request_id, 'another')
    return answer.status === 422 ? answerOf(200, '') : answer
  },
  WALLET_DROPPED: ({ opened }) => opened.phone.drop('document_wallet'),
  FRONT_DROPPED: ({ opened }) => opened.phone.drop('document_front'),
  BACK_DROPPED: ({ opened }) => opened.phone.drop('document_back'),
  SELFIE_DROPPED: ({ opened }) => opened.phone.drop('selfie'),
  CHALLENGE_DROPPED: ({ opened }) => opened.phone.drop('liveness'),
  async HANDED_OFF(walk) {
    const { rig, opened } = walk
    const offered = await opened.phone.offerHandoff()
    if (offered.status !== 201) return offered
    const claimed = await rig.call('POST', handoff, { json: { code: offered.body.code } })
    walk.opened = { ...opened, phone: phoneOf(rig.call, String(claimed.body.sdk_token)) }
    return claimed
  },
  async HANDED_BACK(walk) {
    const { rig, opened } = walk
    const phone = phoneOf(rig.call, opened.sdk_token)
    walk.opened = { ...opened, phone }
    return phone.takeBackHandoff()
  },
  COMPLETE: ({ opened }) => opened.phone.complete(),
  REVIEWED: review,
  CANCEL: async ({ rig, opened }, { by }) =>
    by === undefined
      ? opened.phone.cancel()
      : rig.call('POST', `${kyc}/transaction/${opened.id}/cancel`, { token: await rig.token() }),
}

function callOf(walk: Walk, event: AnyEventObject): Promise<Answer> {
  const call = calls[event.type]
  if (call === undefined) throw new Error(`no call brings ${event.type}`)
  return call(walk, event)
}

async function statusIn({ rig, opened }: Walk): Promise<unknown> {
  return (await rig.rows('SELECT status FROM transactions WHERE id = ?', opened.id))[0]?.status
}

async function readScheduledJobs({ rig, opened }: Walk): Promise<readonly Row[]> {
  const rows = await readJobsOf(rig.node().service.store, opened.id)
  return rows
    .map(({ name = null, queue = null, ready_at = null, lease = null, claims = null }) => ({
      name,
      queue,
      ready_at,
      lease,
      claims,
    }))
    .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
}

function journalOf({ rig, opened }: Walk): Promise<readonly Row[]> {
  return rig.rows(
    'SELECT sequence, event, status, occurred_at FROM journal WHERE actor_id = ? ORDER BY sequence',
    opened.id,
  )
}

/** Another person's analysis, so that the only analyser is busy. */
async function holdAnalyser(walk: Walk): Promise<void> {
  const { rig, engine } = walk
  const { id, phone } = await rig.open({ webhook: null }, { transaction_type: 'BIOMETRIC_ONLY' })
  await phone.capture('BIOMETRIC_ONLY')
  await phone.complete()
  await engine.entered(id)
  walk.blocker = id
}

function releaseAnalyser(walk: Walk): void {
  if (walk.blocker !== null) walk.engine.settle(walk.blocker, 'approve')
  walk.blocker = null
}

function write(walk: Walk, sql: string): Promise<void> {
  return walk.rig.node().service.store.commit(function* () {
    yield [{ sql, values: [walk.opened.id] }]
  })
}

/** Advances the clock to the timer; earlier timers of the same transaction fire on the way. */
async function fire(walk: Walk, name: string): Promise<void> {
  for (;;) {
    const timers = (await readScheduledJobs(walk)).filter(({ queue }) => queue === 'timer')
    const [next] = timers.sort((a, b) => number(a, 'ready_at') - number(b, 'ready_at'))
    if (next === undefined) throw new Error(`${name} has no due row`)
    const fired = (await journalOf(walk)).length
    await walk.rig.advanceBusy(number(next, 'ready_at') - walk.rig.clock.now())
    await walk.rig.until(async () => (await journalOf(walk)).length > fired)
    if (next.name === name) return
    if ((await statusIn(walk)) === 'PROCESSING') await walk.engine.entered(walk.opened.id)
  }
}

function isUnreadable(event: AnyEventObject | undefined): boolean {
  return event?.error?.code === 'CAPTURE_UNREADABLE'
}

/** Brings the transaction to its analysis: the captures can be read, or (by the path's next event) they can't. */
async function reachAnalysis(walk: Walk, step: () => Promise<void>, following: AnyEventObject | undefined) {
  if (isUnreadable(following)) await write(walk, "DELETE FROM captures WHERE transaction_id = ? AND kind = 'selfie'")
  await step()
  if (isUnreadable(following)) await walk.rig.until(async () => (await statusIn(walk)) === 'FAILED')
  else await walk.engine.entered(walk.opened.id)
}

/** Results of jobs and timers, each produced in its usual way. */
const internal: Readonly<Record<string, (walk: Walk, event: AnyEventObject, next?: AnyEventObject) => Promise<void>>> =
  {
    'xstate.done.actor.admission': (walk, _, next) => reachAnalysis(walk, async () => releaseAnalyser(walk), next),
    async 'xstate.error.actor.admission'(walk) {
      await write(walk, "UPDATE scheduled_jobs SET claims = 6 WHERE actor_id = ? AND name = 'admission'")
      releaseAnalyser(walk)
      await walk.rig.until(async () => (await statusIn(walk)) === 'FAILED')
    },
    async 'xstate.done.actor.analysis'(walk, event) {
      const before = (await journalOf(walk)).length
      const { decision, resubmission } = event.output
      const open = resubmission === undefined ? 'leave open' : 'ask again'
      walk.engine.settle(walk.opened.id, decision === 'APPROVED' ? 'approve' : open)
      await walk.rig.until(async () => (await journalOf(walk)).length > before)
    },
    async 'xstate.error.actor.analysis'(walk, event) {
      // The step before has already led to this.
      if (isUnreadable(event)) return
      const before = (await journalOf(walk)).length
      walk.engine.settle(walk.opened.id, 'fail')
      await walk.rig.until(async () => (await journalOf(walk)).length > before)
    },
  }

/** Whether an event ends a resubmission, or a back-off: an analysis follows at once. */
function leadsToAnalysis({ type, by }: AnyEventObject, state: AnyMachineSnapshot): boolean {
  const isAskedAgain = (state.context as TransactionContext).resubmission != null
  return (
    /^xstate\.after\.(ANALYSIS_BACKOFF|RESUBMISSION)/.test(type) ||
    (isAskedAgain && (type === 'COMPLETE' || (type === 'CANCEL' && by === undefined)))
  )
}

async function happen(
  walk: Walk,
  event: AnyEventObject,
  next: AnyEventObject | undefined,
  state: AnyMachineSnapshot,
): Promise<void> {
  if (leadsToAnalysis(event, state)) return reachAnalysis(walk, () => bring(walk, event, next), next)
  if (event.type === 'COMPLETE') await holdAnalyser(walk)
  await bring(walk, event, next)
}

async function bring(walk: Walk, event: AnyEventObject, next: AnyEventObject | undefined): Promise<void> {
  const { t, opened } = walk
  if (event.type.startsWith('xstate.after.')) return fire(walk, event.type)
  const inside = internal[event.type]
  if (inside !== undefined) return inside(walk, event, next)
  const answer = await callOf(walk, event)
  t.true(answer.status < 300, `${event.type} of ${opened.id} answered ${answer.status}: ${answer.text}`)
}

/** Returns the chart's own state after the journal's events, by XState alone. */
async function replay(walk: Walk): Promise<{ state: AnyMachineSnapshot; journal: readonly Row[] }> {
  const journal = await journalOf(walk)
  let [state] = initialTransition(transactionMachine, walk.input)
  for (const { event } of journal.slice(1)) [state] = transition(transactionMachine, state, JSON.parse(String(event)))
  return { state: state as AnyMachineSnapshot, journal }
}

const beginsAnalysis = /"(xstate\.done\.actor\.admission|COMPLETE|CANCEL|xstate\.after\.RESUBMISSION[^"]*)"/

/** When each timer of the chart fires, by the journal. */
function ringsAt(delay: string, journal: readonly Row[]): number {
  const at = (fits: (row: Row) => boolean): number => number(journal.findLast(fits) ?? {}, 'occurred_at')
  const firstAt = (status: string): number => number(journal.find(row => row.status === status) ?? {}, 'occurred_at')
  if (delay === 'TTL') return firstAt('CREATED') + limits.ttl_ms
  if (delay === 'CHALLENGE_TTL')
    return at(({ event }) => String(event).includes('CHALLENGE_ISSUED')) + limits.challenge_ms
  if (delay === 'WALLET_TTL') return at(({ event }) => String(event).includes('WALLET_REQUESTED')) + limits.wallet_ms
  if (delay === 'ATTESTATION_TTL')
    return at(({ event }) => String(event).includes('ATTESTATION_CHALLENGED')) + limits.attestation_ms
  if (delay === 'RESUBMISSION_DEADLINE') return firstAt('CREATED') + limits.ttl_ms
  if (delay === 'ANALYSIS_DEADLINE')
    return (
      at(({ event, status }) => status === 'PROCESSING' && beginsAnalysis.test(String(event))) +
      limits.analysis_deadline_ms
    )
  if (delay === 'REVIEW_DEADLINE') return at(() => true) + (limits.review_ms ?? Number.NaN)
  return at(() => true) + limits.analysis_backoff_ms
}

const failedJob = 'xstate.error.actor.'

/** Checks what the integrator, the device and an operator read of a transaction that has ended. */
async function checkEnd({ t, rig, opened }: Walk, state: AnyMachineSnapshot, journal: readonly Row[]): Promise<void> {
  const [status] = [...state.tags]
  const { failure } = state.context as TransactionContext
  const view = await rig.view(opened.id)
  const read = await opened.phone.result()
  t.is(view.status, status)
  t.is(read.status, status === 'EXPIRED' ? 410 : 200, read.text)
  if (status === 'EXPIRED') t.like(view, { result_data: null, finished_at: null })
  if (status === 'FINISHED') t.like(read.body, { status, outcome: getResult(view).decision })
  if (failure === null) return
  t.deepEqual(read.body, { status: 'FAILED', outcome: 'UNDETERMINED', waiting_for: null, advice: [] })
  await checkFailed(t, rig, opened, failure, number(journal.at(-1) ?? {}, 'occurred_at'))
  const errors = journal
    .map(({ event }) => JSON.parse(String(event)))
    .flatMap(({ type, error }) => (type.startsWith(failedJob) ? [error.code] : []))
  const trace = await readFailure(rig.node().service.transactions, opened.id)
  t.is(trace?.failure, failure)
  t.deepEqual(
    trace?.attempts.map(({ code }) => code),
    errors,
  )
  if (failure !== 'CANCELLED') t.is(trace?.unfinished_attempt !== null, failure === 'ANALYSIS_TIMEOUT')
}

/** Row, jobs and journal match the chart. */
async function check(walk: Walk, step: string): Promise<AnyMachineSnapshot> {
  const { t, rig, opened } = walk
  const { state, journal } = await replay(walk)
  const [row] = await rig.rows('SELECT snapshot, status, version FROM transactions WHERE id = ?', opened.id)
  const { value, context, status } = JSON.parse(String(row?.snapshot)) as AnyMachineSnapshot
  const expected = { value: state.value, context: state.context, status: state.status }
  t.deepEqual({ value, context, status }, JSON.parse(JSON.stringify(expected)), step)
  t.deepEqual([row?.status], [...state.tags] as never)
  t.deepEqual(
    journal.map(({ sequence }) => sequence),
    journal.map((_, index) => index + 1),
  )
  t.is(row?.version, journal.length)
  const nodes = state.status === 'active' ? state._nodes : []
  const timers = nodes.flatMap(({ id, config }) =>
    Object.keys(config.after ?? {}).map(delay => [`xstate.after.${delay}.${id}`, ringsAt(delay, journal)] as const),
  )
  const jobs = nodes.flatMap(({ invoke }) => invoke.map(({ id }) => [id, 'job'] as const))
  const due = (await readScheduledJobs(walk)).map(({ name, queue, ready_at }) => [
    name,
    queue === 'timer' ? ready_at : 'job',
  ])
  t.deepEqual(due, [...timers, ...jobs].sort(([a], [b]) => (a < b ? -1 : 1)) as never, `due after ${step}`)
  if (state.status === 'done') await checkEnd(walk, state, journal)
  return state
}

/** The response to a wallet's answer that the state does not accept; the same one again is no error. */
function toWalletError({ type, request_id }: AnyEventObject, state: AnyMachineSnapshot): number {
  const { transaction_type, wallet } = state.context as TransactionContext
  if (!state.tags.has('INITIATED') || transaction_type === 'BIOMETRIC_ONLY') return 409
  return type === 'WALLET_ANSWERED' && request_id === 'request' && wallet !== null ? 200 : 410
}

/** Whether an event answers a challenge that is not open. */
function isOfVoidChallenge({ type }: AnyEventObject, state: AnyMachineSnapshot): boolean {
  return ['ATTESTED', 'ATTESTATION_REFUSED'].includes(type) && state.tags.has('INITIATED')
}

/** Whether an event changes the document to the one that it is. */
function isSameDocument(event: AnyEventObject, state: AnyMachineSnapshot): boolean {
  const { declared_document, transaction_type } = state.context as TransactionContext
  const isAsked = transaction_type !== 'BIOMETRIC_ONLY'
  return event.type === 'DOCUMENT_CHANGED' && isAsked && event.declared_document === declared_document
}

/** The response to an event that the state does not accept. */
function toApiError(walk: Walk, event: AnyEventObject, state: AnyMachineSnapshot): number {
  const [status] = [...state.tags]
  const { challenge, failure, resubmission } = state.context as TransactionContext
  const isTaken = status === 'INITIATED' || resubmission != null
  if (status === 'EXPIRED') return event.by === undefined ? 410 : 409
  if (event.type === 'START' && status === 'INITIATED') return 200
  if (isSameDocument(event, state) && isTaken) return 200
  if (
    event.type === 'COMPLETE' &&
    resubmission == null &&
    ['COMPLETED', 'PROCESSING', 'FINISHED'].includes(status ?? '')
  )
    return 202
  if (event.type === 'CANCEL' && failure === 'CANCELLED') return 200
  if (event.type === 'WALLET_ANSWERED' || event.type === 'WALLET_REFUSED') return toWalletError(event, state)
  if (event.type !== 'FRAME_CAPTURED' || !isTaken) return 409
  const asked = event.challenge_id === 'challenge' ? walk.challenge_id : nobody
  if (challenge?.challenge_id !== asked) return 410
  return event.position >= challenge.frames.length ? 404 : 409
}

async function everything(walk: Walk): Promise<unknown> {
  const { rig, opened } = walk
  const captures = await rig.rows('SELECT * FROM captures WHERE transaction_id = ? ORDER BY id', opened.id)
  const row = await rig.rows('SELECT * FROM transactions WHERE id = ?', opened.id)
  return [row, captures, await readScheduledJobs(walk), await journalOf(walk)]
}

async function refuse(walk: Walk, event: AnyEventObject, state: AnyMachineSnapshot): Promise<void> {
  const before = await everything(walk)
  const { status, text, headers } = await callOf(walk, event)
  const expected = isOfVoidChallenge(event, state) ? 410 : toApiError(walk, event, state)
  walk.t.is(status, expected, `${event.type} in ${JSON.stringify(state.value)}: ${text}`)
  if (status === 409 && event.type !== 'REVIEWED') walk.t.is(headers.get('x-error-code'), 'not_allowed_in_state', text)
  walk.t.deepEqual(await everything(walk), before, `${event.type} changed something`)
}

/** Events that the state does not accept; the model's challenge and request are those that were issued here. */
function untakenIn(walk: Walk, state: AnyMachineSnapshot, others: readonly AnyEventObject[]) {
  return others.filter(
    event =>
      !state.can({
        ...event,
        ...(event.challenge_id === 'challenge' ? { challenge_id: walk.challenge_id } : {}),
        ...(event.request_id === 'request' ? { request_id: walk.wallet?.request_id ?? nobody } : {}),
      }),
  )
}

/** Walks one path: after every event it checks all rows, and tries an event that is not accepted. */
export async function walkPath(
  walk: Walk,
  events: readonly AnyEventObject[],
  others: readonly AnyEventObject[],
): Promise<void> {
  let state = await check(walk, 'creation')
  for (const [index, event] of events.entries()) {
    const untaken = untakenIn(walk, state, others)
    const refused = untaken[(index + events.length) % untaken.length]
    if (refused !== undefined) await refuse(walk, refused, state)
    await walk.rig.advanceBusy(1000)
    await happen(walk, event, events[index + 1], state)
    state = await check(walk, event.type)
  }
  for (const event of untakenIn(walk, state, others).slice(0, 3)) await refuse(walk, event, state)
  // Its lifetime would end while the next path wants the analyser.
  if ((state.context as TransactionContext).resubmission != null)
    await callOf(walk, { type: 'CANCEL', by: 'integrator' })
  releaseAnalyser(walk)
  walk.engine.letGo()
}
