import type {
  Challenge,
  HandoffOffer,
  Outcome,
  PictureStep,
  Receipt,
  SessionProgress,
  StepProgress,
} from '../../../../machines/capture.ts'
import type { DocumentType } from '../../../../machines/document_types.ts'
import type { FrameStamp } from '../../../engines/images/frame_stamp.ts'
import { type Call, CaptureError, call, rethrowLoadError } from './call.ts'
import { readDevice, readNetwork } from './device.ts'
import type { PictureLimits } from './guidance/guide.ts'
import { readLight } from './light.ts'
import { keepLink, type Link } from './link.ts'
import { shrink } from './shrink.ts'

/** A session, as far as this page reads it. */
interface SessionAnswer extends Omit<SessionProgress, 'expires_in_ms' | 'steps'> {
  readonly steps: readonly (StepProgress | { readonly step: 'document_chip' })[]
  readonly transaction_id: string
  readonly locale: string | null
  readonly expires_at: string
  readonly server_time: string
  readonly version: number
  readonly max_image_bytes: number
  readonly max_image_megapixels: number
}

interface ChallengeAnswer extends Omit<Challenge, 'lasts_ms' | 'expires_in_ms'> {
  readonly expires_at: string
  readonly server_time: string
}

interface ReceiptAnswer extends Receipt {
  readonly reasons?: readonly string[]
}

/** The service, to the one session of this page. */
export interface Service {
  /** Known once the session is. */
  readonly transaction_id: string | null
  readonly locale: string | null
  readonly limits: PictureLimits
  open(signal: AbortSignal): Promise<SessionProgress>
  start(document_type: DocumentType | null, signal: AbortSignal): Promise<SessionProgress>
  changeDocument(document_type: DocumentType, signal: AbortSignal): Promise<SessionProgress>
  report(signal: AbortSignal): Promise<void>
  upload(step: PictureStep, picture: Blob, signal: AbortSignal): Promise<Receipt>
  issueChallenge(signal: AbortSignal): Promise<Challenge>
  uploadFrame(challenge_id: string, position: number, frame: Blob, signal: AbortSignal): Promise<Receipt>
  offer(signal: AbortSignal): Promise<HandoffOffer>
  /** Resolves when something has changed, or after some seconds. */
  follow(signal: AbortSignal): Promise<SessionProgress>
  complete(signal: AbortSignal): Promise<void>
  awaitResult(signal: AbortSignal): Promise<Outcome>
  /** Resolves once no reviewer is awaited any more. */
  awaitReview(signal: AbortSignal): Promise<SessionProgress>
  cancel(signal: AbortSignal): Promise<void>
}

const session = 'api/sdk/v1/session'
const paths: Readonly<Record<PictureStep, string>> = {
  document_front: `${session}/document/front`,
  document_back: `${session}/document/back`,
  selfie: `${session}/selfie`,
}

/** A long poll's wait in seconds: shorter than proxies allow. */
const waitSeconds = 20

function between(later: string, earlier: string): number {
  return Math.max(0, Date.parse(later) - Date.parse(earlier))
}

/** Reasons say more than the warning codes that they explain. */
const explained: readonly string[] = ['SELFIE_LOW_QUALITY', 'UNSUPPORTED_DOCUMENT']

function toReceipt({ warnings, reasons = [], attempts_left }: ReceiptAnswer): Receipt {
  return {
    warnings: [...warnings.filter(code => reasons.length === 0 || !explained.includes(code)), ...reasons],
    attempts_left,
  }
}

/** What is kept of the session between calls. */
interface Known {
  link: Link
  answer: SessionAnswer | null
}

function createCaller(known: Known) {
  const send = async <Answer>(given: Omit<Call, 'token'>): Promise<Answer> => {
    if (known.link.token === null) throw new CaptureError('unknown_link')
    return (await call({ ...given, token: known.link.token })) as Answer
  }
  const keep = (answer: SessionAnswer): SessionProgress => {
    known.answer = answer
    // A browser reads no chip.
    const steps = answer.steps.filter(one => one.step !== 'document_chip')
    return { ...answer, steps, expires_in_ms: between(answer.expires_at, answer.server_time) }
  }
  return { send, keep }
}

/** If the response is lost, the one-time code is used up, and the person needs a new one. */
async function claim(known: Known, signal: AbortSignal): Promise<void> {
  const { code } = known.link
  if (code === null) return
  const body = { code }
  const claimed = await call({ method: 'POST', path: 'api/sdk/v1/handoff', token: null, body, signal })
  const { sdk_token: token } = claimed as { readonly sdk_token: string }
  known.link = { token, code: null, by_handoff: true }
  keepLink(known.link)
}

function createCaptureCalls(
  { send, keep }: ReturnType<typeof createCaller>,
  limits: () => PictureLimits,
  asksLocation: () => boolean,
) {
  /** When the challenge arrived, and how long after it and in which light each frame was taken: it is sent at once. */
  let arrived = 0
  const taken = new WeakMap<Blob, Pick<FrameStamp, 'captured_ms' | 'colour'>>()
  return {
    start: async (document_type: DocumentType | null, signal: AbortSignal) => {
      const device = await readDevice()
      const body = { device, consent: true, document_type }
      return keep(await send<SessionAnswer>({ method: 'POST', path: `${session}/start`, body, signal }))
    },
    changeDocument: async (document_type: DocumentType, signal: AbortSignal) =>
      keep(await send<SessionAnswer>({ method: 'PUT', path: `${session}/document`, body: { document_type }, signal })),
    report: async (signal: AbortSignal) => {
      const asking = asksLocation() ? await import('./location.ts').catch(rethrowLoadError) : null
      const location = await asking?.readLocation()
      const body = { device: await readDevice(), network: readNetwork(), ...location }
      await send({ method: 'PUT', path: `${session}/signals`, body, signal })
    },
    upload: async (step: PictureStep, picture: Blob, signal: AbortSignal) => {
      const body = await shrink(picture, limits())
      return toReceipt(await send<ReceiptAnswer>({ method: 'PUT', path: paths[step], body, signal }))
    },
    issueChallenge: async (signal: AbortSignal) => {
      const sent = performance.now()
      const answer = await send<ChallengeAnswer>({ method: 'POST', path: `${session}/liveness/challenge`, signal })
      arrived = performance.now()
      const lasts_ms = between(answer.expires_at, answer.server_time)
      // The duration of the call is subtracted from the person's time.
      return { ...answer, lasts_ms, expires_in_ms: lasts_ms - (performance.now() - sent) }
    },
    uploadFrame: async (challenge_id: string, position: number, frame: Blob, signal: AbortSignal) => {
      // The same bytes are sent again after a lost connection.
      const how = taken.get(frame) ?? { captured_ms: Math.round(performance.now() - arrived), colour: readLight() }
      taken.set(frame, how)
      const small = await shrink(frame, limits())
      const { stampFrame } = await import('../../../engines/images/frame_stamp.ts').catch(rethrowLoadError)
      const stamp = { challenge_id, position, ...how }
      const body = new Blob([stampFrame(new Uint8Array(await small.arrayBuffer()), stamp)])
      const path = `${session}/liveness/${challenge_id}/${position}`
      return toReceipt(await send<ReceiptAnswer>({ method: 'PUT', path, body, signal }))
    },
  }
}

/** The service as a page with this link may call it. */
export function createService(link: Link): Service {
  const known: Known = { link, answer: null }
  const caller = createCaller(known)
  const { send, keep } = caller
  const limits = (): PictureLimits => ({
    max_bytes: known.answer?.max_image_bytes ?? 0,
    max_megapixels: known.answer?.max_image_megapixels ?? 0,
  })
  const captureCalls = createCaptureCalls(caller, limits, () => known.answer?.asks_location === true)
  const poll = (path: string, signal: AbortSignal) => ({ method: 'GET', path, signal }) as const
  const follow = async (signal: AbortSignal): Promise<SessionProgress> => {
    const seen = known.answer?.version ?? 0
    return keep(await send<SessionAnswer>(poll(`${session}?seen=${seen}&wait=${waitSeconds}`, signal)))
  }
  return {
    get transaction_id() {
      return known.answer?.transaction_id ?? null
    },
    get locale() {
      return known.answer?.locale ?? null
    },
    get limits() {
      return limits()
    },
    ...captureCalls,
    async open(signal) {
      await claim(known, signal)
      return keep(await send(poll(session, signal)))
    },
    offer: async signal => {
      const asked = await send<{ verify_url: string; expires_at: string }>({
        method: 'POST',
        path: `${session}/handoff`,
        signal,
      })
      // The session's response has the service's clock, by which the code expires.
      const { server_time } = await send<SessionAnswer>(poll(session, signal))
      return { verify_url: asked.verify_url, expires_in_ms: between(asked.expires_at, server_time) }
    },
    follow,
    async complete(signal) {
      // By now the camera of the selfie is known.
      await captureCalls.report(signal)
      await send({ method: 'POST', path: `${session}/complete`, signal })
    },
    async awaitReview(signal) {
      for (;;) {
        const seen = await follow(signal)
        if (seen.waiting_for !== 'review') return seen
      }
    },
    awaitResult: signal => send(poll(`${session}/result?wait=${waitSeconds}`, signal)),
    async cancel(signal) {
      await send({ method: 'POST', path: `${session}/cancel`, body: { final: true }, signal })
    },
  }
}
