import { randomUUID } from 'node:crypto'
import { Agent, request as ask } from 'undici'
import type { Clock } from '../../base/clock.ts'
import type { AnalysisRequest, EngineSection } from '../port.ts'
import { signRequest } from './sign.ts'

/** The service asked, and what one call may take. */
export interface EngineClientOptions {
  readonly clock: Clock
  /** Where analyses are posted to; https, or http to this machine. */
  readonly url: string
  readonly secret: Uint8Array
  readonly timeLimitMs: number
}

/** A call that came to nothing. `service` is at fault where another call would likely fail too. */
export class EngineCallError extends Error {
  override name = 'EngineCallError'
  readonly fault: 'service' | 'call'
  /** The HTTP status, where there was an answer. */
  readonly status: number | null

  constructor(message: string, fault: 'service' | 'call', status: number | null = null) {
    super(message)
    this.fault = fault
    this.status = status
  }
}

/** An answer has numbers and short texts: more is a fault. In bytes. */
const maxResponseBytes = 2 ** 20

/** These say something of one request's content; any other refusal will meet the next call as well. */
const requestFaultStatuses: readonly number[] = [400, 413, 415, 422]

/** The body: multipart/form-data of a JSON part `request` and a file for each image. */
const encodeBody = async (
  request: AnalysisRequest,
  sections: readonly EngineSection[],
): Promise<{ body: Uint8Array; contentType: string }> => {
  const { transaction_id, transaction_type, challenge, enrolled_face } = request
  const form = new FormData()
  const asked = challenge === null ? null : { actions: challenge.actions, attempts: challenge.attempts }
  const told = { transaction_id, transaction_type, sections, challenge: asked, enrolled_face }
  form.set('request', new Blob([JSON.stringify(told)], { type: 'application/json' }))
  const { document_front, document_back, selfie } = request
  const frames = Object.fromEntries((challenge?.frames ?? []).map((frame, n) => [`frame_${n}`, frame]))
  for (const [name, image] of Object.entries({ document_front, document_back, selfie, ...frames }))
    if (image !== null) form.set(name, new Blob([Uint8Array.from(image)]), name)
  const encoded = new Response(form)
  return { body: await encoded.bytes(), contentType: encoded.headers.get('content-type') ?? '' }
}

const readBoundedText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxResponseBytes) throw new EngineCallError(`answered more than ${maxResponseBytes} bytes`, 'service')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new EngineCallError('did not answer with JSON', 'service')
  }
}

/** Calls one service. Connections are kept between calls; `close` ends them. */
export interface EngineClient {
  /** The answer's JSON. @throws {EngineCallError} for all that the service or the network does */
  call(request: AnalysisRequest, sections: readonly EngineSection[], signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** Makes the caller of a service. Redirects are not followed: images go where the operator said and nowhere else. */
export const openClient = ({ clock, url, secret, timeLimitMs }: EngineClientOptions): EngineClient => {
  // Its own time limits are off: ours is by the clock that we were given.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } })
  const target = new URL(url)
  const post = async (
    request: AnalysisRequest,
    sections: readonly EngineSection[],
    signal: AbortSignal,
  ): Promise<unknown> => {
    const { body, contentType } = await encodeBody(request, sections)
    const created = Math.floor(clock.now() / 1000)
    const call = { method: 'POST', url: target, contentType, body, created, nonce: randomUUID() }
    const signed = signRequest(call, secret)
    const answer = await ask(target, { dispatcher, method: 'POST', headers: signed, body, signal })
    const { statusCode: status } = answer
    if (status === 200) return parseJson(await readBoundedText(answer.body))
    answer.body.on('error', () => {}).destroy()
    throw new EngineCallError(`answered ${status}`, requestFaultStatuses.includes(status) ? 'call' : 'service', status)
  }
  return {
    async call(request, sections, signal) {
      const late = new AbortController()
      const cancel = clock.setTimer(timeLimitMs, () => late.abort())
      try {
        return await post(request, sections, AbortSignal.any([signal, late.signal]))
      } catch (error) {
        if (signal.aborted) throw new EngineCallError('was called off', 'call')
        if (late.signal.aborted) throw new EngineCallError(`took longer than ${timeLimitMs} ms`, 'service')
        if (error instanceof EngineCallError) throw error
        throw new EngineCallError(`could not be asked: ${error instanceof Error ? error.message : error}`, 'service')
      } finally {
        cancel()
      }
    },
    close: () => dispatcher.destroy(),
  }
}
