import type { AnalysisRequest, CaptureRequest, EngineSection, KeptByCapture } from '@attestor/vision'
import { Agent, request as send } from 'undici'
import type { Clock } from '../../base/clock.ts'
import { drawUuid } from '../../base/random.ts'
import { DeadlineError, withDeadline } from '../../base/time.ts'
import { signRequest } from './sign.ts'

export interface EngineClientOptions {
  readonly clock: Clock
  /** Analyses are posted to it: https, or http to this machine. */
  readonly url: string
  readonly secret: Uint8Array
  readonly timeLimitMs: number
}

/**
 * The cause of a failed call. `service`: another call would probably fail, too. `call`: it alone was refused.
 * `unclear`: the service, or images that it can't take.
 */
export type CallFault = 'service' | 'call' | 'unclear'

/** A call that failed. */
export class EngineCallError extends Error {
  override name = 'EngineCallError'
  readonly fault: CallFault
  /** The HTTP status; null without a response. */
  readonly status: number | null

  constructor(message: string, fault: CallFault, status: number | null = null) {
    super(message)
    this.fault = fault
    this.status = status
  }
}

/** The engine's name in `KeptFindings`. */
export const keptEngine = 'http 1'

/** A response has numbers and short texts. */
const maxResponseBytes = 2 ** 20

/** Statuses about the content of one request, or perhaps about it. Any other would meet the next call, too. */
const faultOfStatus: Readonly<Record<number, CallFault>> = {
  400: 'call',
  413: 'call',
  415: 'call',
  422: 'call',
  500: 'unclear',
}

/** Selects the findings that the service itself kept of the images. */
function selectOwn(kept: KeptByCapture): Readonly<Record<string, string | Uint8Array>> {
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, entries]) =>
      (entries ?? []).filter(({ engine }) => engine === keptEngine).map(({ content }) => [name, content]),
    ),
  )
}

/** multipart/form-data with a JSON part `request` and a file for each image. */
async function encodeBody(
  request: AnalysisRequest | CaptureRequest,
  sections: readonly EngineSection[],
): Promise<{ body: Uint8Array; contentType: string }> {
  const { transaction_id, transaction_type, challenge, enrolled_face } = request
  const form = new FormData()
  const asked = challenge === null ? null : { actions: challenge.actions, attempts: challenge.attempts }
  const kept = selectOwn(request.kept ?? {})
  const part = {
    transaction_id,
    transaction_type,
    sections,
    challenge: asked,
    enrolled_face,
    ...('capture' in request && { capture: request.capture }),
    ...(Object.keys(kept).length > 0 && { kept }),
  }
  form.set('request', new Blob([JSON.stringify(part)], { type: 'application/json' }))
  const { document_front, document_back, selfie, signed_portrait: chip_portrait = null } = request
  const frames = Object.fromEntries((challenge?.frames ?? []).map((frame, n) => [`frame_${n}`, frame]))
  for (const [name, image] of Object.entries({ document_front, document_back, selfie, chip_portrait, ...frames }))
    if (image !== null) form.set(name, new Blob([Uint8Array.from(image)]), name)
  const encoded = new Response(form)
  return { body: await encoded.bytes(), contentType: encoded.headers.get('content-type') ?? '' }
}

async function readBoundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxResponseBytes) throw new EngineCallError(`sent more than ${maxResponseBytes} bytes`, 'unclear')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new EngineCallError('did not respond with JSON', 'unclear')
  }
}

/** Calls one service, over connections that are kept between calls. */
export interface EngineClient {
  /** The JSON of the response. @throws {EngineCallError} for every fault of the service or the network */
  call(request: AnalysisRequest, sections: readonly EngineSection[], signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** Redirects are not followed: images are sent to the operator's address alone. */
export function openClient({ clock, url, secret, timeLimitMs }: EngineClientOptions): EngineClient {
  // The agent's own time limits are off: the limit is by the `clock`.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } })
  const target = new URL(url)
  const post = async (
    request: AnalysisRequest,
    sections: readonly EngineSection[],
    signal: AbortSignal,
  ): Promise<unknown> => {
    const { body, contentType } = await encodeBody(request, sections)
    const created = Math.floor(clock.now() / 1000)
    const call = { method: 'POST', url: target, contentType, body, created, nonce: drawUuid() }
    const signed = signRequest(call, secret)
    const response = await send(target, { dispatcher, method: 'POST', headers: signed, body, signal })
    const { statusCode: status } = response
    if (status === 200) return parseJson(await readBoundedText(response.body))
    response.body.on('error', () => {}).destroy()
    throw new EngineCallError(`responded with ${status}`, faultOfStatus[status] ?? 'service', status)
  }
  return {
    async call(request, sections, signal) {
      try {
        return await withDeadline(clock, timeLimitMs, within => post(request, sections, within), signal)
      } catch (error) {
        if (signal.aborted) throw new EngineCallError('was aborted', 'call')
        if (error instanceof DeadlineError) throw new EngineCallError(error.message, 'unclear')
        if (error instanceof EngineCallError) throw error
        throw new EngineCallError(`could not be called: ${error instanceof Error ? error.message : error}`, 'service')
      }
    },
    close: () => dispatcher.destroy(),
  }
}
