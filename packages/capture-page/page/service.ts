import type { DocumentType } from '@attestor/rules/page'
import type { CaptureResponse, Session } from '../../../clients/typescript/src/api.ts'
import { claimHandoff, createDeviceClient } from '../../../clients/typescript/src/device.ts'
import type { DeviceClient, WalletAnswer as SentWallet } from '../../../clients/typescript/src/device_calls.ts'
import { AttestorError } from '../../../clients/typescript/src/errors.ts'
import type {
  Challenge,
  HandoffOffer,
  Outcome,
  PictureStep,
  Receipt,
  SessionProgress,
  StepProgress,
  WalletAnswer,
  WalletRequest,
} from '../../../machines/capture.ts'
import { CaptureError, rethrow } from './call.ts'
import { readDevice, readNetwork } from './device.ts'
import type { PictureLimits } from './guidance/guide.ts'
import { keepLink, type Link } from './link.ts'
import { encodeWithin, isWithin } from './picture_size.ts'

/**
 * Makes a picture that the service accepts: the same bytes, unless they or the pixels are too many. A picture that this
 * browser can't decode stays as it is, and the service reports its fault.
 */
export async function shrink(picture: Blob, limits: PictureLimits): Promise<Blob> {
  const bitmap = await createImageBitmap(picture).catch(() => null)
  if (bitmap === null) return picture
  try {
    if (isWithin(picture, bitmap, limits)) return picture
    return await encodeWithin(bitmap, limits, ({ width, height }, quality) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width, height })
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0, width, height)
      return new Promise(resolve => {
        canvas.toBlob(smaller => resolve(smaller ?? picture), 'image/jpeg', quality)
      })
    })
  } finally {
    bitmap.close()
  }
}

/** A long poll's wait in seconds: shorter than proxies allow. */
const waitSeconds = 20

function between(later: string, earlier: string): number {
  return Math.max(0, Date.parse(later) - Date.parse(earlier))
}

/** Codes that reasons explain better. */
const explained: readonly string[] = ['SELFIE_LOW_QUALITY', 'UNSUPPORTED_DOCUMENT', 'DOCUMENT_SIDE_MISSING']

function explain({ warnings, reasons }: Pick<CaptureResponse, 'warnings' | 'reasons'>): readonly string[] {
  return [...warnings.filter(code => reasons.length === 0 || !explained.includes(code)), ...reasons]
}

function toReceipt({ attempts_left, pending, ...advice }: CaptureResponse): Receipt {
  return { warnings: explain(advice), pending, attempts_left }
}

function findBaseUrl(): string {
  return new URL('.', document.baseURI).href
}

interface Known {
  link: Link
  session: Session | null
}

function readLimits({ session }: Known): PictureLimits {
  return { max_bytes: session?.max_image_bytes ?? 0, max_megapixels: session?.max_image_megapixels ?? 0 }
}

function createCaller(known: Known) {
  const call = async <Answer>(send: (client: DeviceClient) => Promise<Answer>): Promise<Answer> => {
    const { token } = known.link
    if (token === null) throw new CaptureError('unknown_link')
    return send(createDeviceClient({ baseUrl: findBaseUrl(), sdkToken: token })).catch(rethrow)
  }
  const keep = (session: Session): SessionProgress => {
    known.session = session
    // A browser reads no chip.
    const steps = session.steps.filter((one): one is StepProgress => one.step !== 'document_chip')
    const advice = session.advice.map(({ step, ...said }) => ({ step, warnings: explain(said) }))
    return { ...session, steps, advice, expires_in_ms: between(session.expires_at, session.server_time) }
  }
  return { call, keep }
}

async function claim(known: Known, signal: AbortSignal): Promise<void> {
  const { code } = known.link
  if (code === null || known.link.token !== null) return
  const { sdk_token: token } = await claimHandoff(findBaseUrl(), code, signal).catch(rethrow)
  known.link = { token, code, by_handoff: true }
  keepLink(known.link)
}

function createCaptureCalls(known: Known, { call, keep }: ReturnType<typeof createCaller>) {
  return {
    start: async (document_type: DocumentType | null, signal: AbortSignal) => {
      const device = await readDevice()
      return keep(await call(client => client.start({ device, consent: true, document_type }, signal)))
    },
    async changeDocument(document_type: DocumentType, signal: AbortSignal) {
      const { state = 'missing' } = known.session?.wallet ?? {}
      if (state !== 'missing') await call(client => client.drop('document_wallet', signal))
      return keep(await call(client => client.changeDocument(document_type, signal)))
    },
    report: async (signal: AbortSignal) => {
      const asking = known.session?.asks_location === true ? await import('./location.ts').catch(rethrow) : null
      const location = await asking?.readLocation()
      const signals = { device: await readDevice(), network: readNetwork(), ...location }
      await call(client => client.reportSignals(signals, signal))
    },
    upload: async (step: PictureStep, picture: Blob, signal: AbortSignal) => {
      const image = await shrink(picture, readLimits(known))
      return toReceipt(await call(client => client.upload(step, image, signal)))
    },
    issueChallenge: async (signal: AbortSignal): Promise<Challenge> => {
      const sent = performance.now()
      const answer = await call(client => client.createChallenge(signal))
      const lasts_ms = between(answer.expires_at, answer.server_time)
      // The duration of the call is subtracted from the person's time.
      return { ...answer, lasts_ms, expires_in_ms: lasts_ms - (performance.now() - sent) }
    },
    uploadFrame: async (challenge_id: string, position: number, frame: Blob, signal: AbortSignal) => {
      const image = await shrink(frame, readLimits(known))
      return toReceipt(await call(client => client.uploadFrame(challenge_id, position, image, signal)))
    },
  }
}

/** The service refuses what no wallet should answer, such as a protocol that nobody asked in. */
function rethrowRefused(error: unknown): never {
  throw error instanceof AttestorError && error.status === 400 ? new CaptureError('unreadable') : error
}

function createWalletCalls(
  known: Known,
  { call, keep }: ReturnType<typeof createCaller>,
  follow: (signal: AbortSignal) => Promise<SessionProgress>,
) {
  const look = async (signal: AbortSignal): Promise<SessionProgress> =>
    keep(await call(client => client.getSession({ signal })))
  return {
    async requestWallet(signal: AbortSignal) {
      const { request_id, requests, link, ...times } = await call(client => client.requestWallet({}, signal))
      const expires_in_ms = between(times.expires_at, times.server_time)
      const request: WalletRequest = { request_id, requests, link, expires_in_ms }
      return { session: await look(signal), request }
    },
    async sendWallet({ request_id }: WalletRequest, answer: WalletAnswer, signal: AbortSignal) {
      await call(client => client.answerWallet(request_id, answer as SentWallet, signal)).catch(rethrowRefused)
      return look(signal)
    },
    /** Resolves when the open request is open no longer: it was answered, or came to nothing. */
    async awaitWallet(signal: AbortSignal) {
      const asked = known.session?.wallet?.request_id ?? null
      for (;;) {
        const seen = await follow(signal)
        if (seen.wallet?.state !== 'requested' || seen.wallet.request_id !== asked) return seen
      }
    },
  }
}

export type Service = ReturnType<typeof createService>

/** Creates the service's client for a page with this link. */
export function createService(link: Link) {
  const known: Known = { link, session: null }
  const caller = createCaller(known)
  const { call, keep } = caller
  const captureCalls = createCaptureCalls(known, caller)
  /** Resolves when the session has changed, or after some seconds. */
  const follow = async (signal: AbortSignal): Promise<SessionProgress> => {
    const seen = known.session?.version ?? 0
    return keep(await call(client => client.getSession({ seen, wait: waitSeconds, signal })))
  }
  return {
    get transaction_id() {
      return known.session?.transaction_id ?? null
    },
    get locale() {
      return known.session?.locale ?? null
    },
    get limits() {
      return readLimits(known)
    },
    ...captureCalls,
    ...createWalletCalls(known, caller, follow),
    async open(signal: AbortSignal) {
      await claim(known, signal)
      return keep(await call(client => client.getSession({ signal })))
    },
    offer: async (signal: AbortSignal): Promise<HandoffOffer> => {
      const asked = await call(client => client.offerHandoff(signal))
      // The session's response has the service's clock, by which the code expires.
      const { server_time } = await call(client => client.getSession({ signal }))
      return { ...asked, expires_in_ms: between(asked.expires_at, server_time) }
    },
    sendLink: (code: string, recipient: string) =>
      call(client => client.sendHandoff({ code, recipient, locale: document.documentElement.lang })),
    follow,
    takeBack: async (signal: AbortSignal) => keep(await call(client => client.takeBackHandoff(signal))),
    async complete(signal: AbortSignal) {
      // The camera of the selfie is known by now.
      await captureCalls.report(signal)
      await call(client => client.complete(signal))
    },
    async awaitAdvice(signal: AbortSignal) {
      for (;;) {
        const seen = await follow(signal)
        if (seen.pending.every(step => step === 'liveness')) return seen
      }
    },
    async awaitReview(signal: AbortSignal) {
      for (;;) {
        const seen = await follow(signal)
        if (seen.waiting_for !== 'review') return seen
      }
    },
    awaitResult: (signal: AbortSignal): Promise<Outcome> =>
      call(client => client.getResult({ wait: waitSeconds, signal })),
    cancel: (signal: AbortSignal) => call(client => client.cancel(signal)),
  }
}
