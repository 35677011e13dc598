import type { Socket } from 'node:net'
import { Client, errors } from 'undici'
import type { Clock } from '../base/clock.ts'
import type { Guard } from './guard.ts'
import { describeFailure, type Outcome, readAnswer, type Verdict } from './outcome.ts'

/** decisions, "Webhooks": bounds of one attempt. `total_ms` counts from the start and includes connecting and the body. */
export interface SendLimits {
  connect_ms: number
  total_ms: number
  body_bytes: number
}

/** Connect 3 s (name, TCP and TLS together), whole attempt 10 s, at most 16 KiB of the answer read. */
export const defaultLimits: SendLimits = { connect_ms: 3000, total_ms: 10_000, body_bytes: 16 * 1024 }

/** One attempt. `signal` calls it off (a node that stops). */
export interface Attempt {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  guard: Guard
  clock: Clock
  limits?: SendLimits
  signal?: AbortSignal
}

/** The first reason to stop wins; the rest of the attempt reads it from the signal. */
interface Deadline {
  signal: AbortSignal
  stop(reason: string): void
  connected(): void
  end(): void
}

const startDeadline = ({ clock, limits = defaultLimits, signal }: Attempt): Deadline => {
  const control = new AbortController()
  const stop = (reason: string): void => control.abort(reason)
  const stopConnect = clock.setTimer(limits.connect_ms, () => stop('connect timed out'))
  const stopTotal = clock.setTimer(limits.total_ms, () => stop('timed out'))
  const calledOff = (): void => stop('called off')
  signal?.addEventListener('abort', calledOff)
  if (signal?.aborted) calledOff()
  return {
    signal: control.signal,
    stop,
    connected: stopConnect,
    end() {
      stopConnect()
      stopTotal()
      signal?.removeEventListener('abort', calledOff)
    },
  }
}

/** So much of an answer is kept for the integrator's own list. */
const kept_bytes = 1024

/** The beginning of an answer's body, as it comes in. */
interface Beginning {
  bytes: Buffer
}

/** Reads at most `limit` bytes and leaves; `kept` has the first of them even if the rest never comes. */
const drain = async (body: AsyncIterable<Uint8Array>, limit: number, kept: Beginning): Promise<void> => {
  let read = 0
  for await (const chunk of body) {
    if (read < kept_bytes) kept.bytes = Buffer.concat([kept.bytes, chunk.subarray(0, kept_bytes - read)])
    read += chunk.byteLength
    if (read >= limit) return
  }
}

/**
 * All that a receiver can make us read. Its body ends at `body_bytes`, but interim answers, blank lines and what stands
 * beside chunks are bounded by nobody else, and ten seconds of them are hundreds of megabytes.
 */
const most_bytes = 256 * 1024

const boundReading = (socket: Socket, stop: Deadline['stop']): void => {
  const before = socket.bytesRead
  socket.on('readable', () => {
    if (socket.bytesRead - before > most_bytes) stop('the answer is too large')
  })
}

/** A client for one attempt: nothing is kept alive, so that every attempt is judged and dialled anew. */
const createClient = (url: URL, guard: Guard, deadline: Deadline, seen: (address: string | null) => void): Client =>
  new Client(url.origin, {
    allowH2: false,
    pipelining: 1,
    // The deadline is ours, by the clock that we were given.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      guard.dial(url, deadline.signal).then(
        socket => {
          deadline.connected()
          boundReading(socket, deadline.stop)
          seen(socket.remoteAddress ?? null)
          callback(null, socket)
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      )
    },
  })

/** Why each client ends. Made once: the library would make one with a stack for each. */
const attempt_over = new Error('the attempt is over')

interface Exchange {
  readonly client: Client
  readonly url: URL
  readonly signal: AbortSignal
  readonly kept: Beginning
}

const post = async (attempt: Attempt, { client, url, signal, kept }: Exchange): Promise<Verdict> => {
  const { headers, body, clock, limits = defaultLimits } = attempt
  const answer = await client.request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers,
    body,
    signal,
    reset: true,
  })
  const retry_after = answer.headers['retry-after']
  const first = Array.isArray(retry_after) ? retry_after[0] : retry_after
  const verdict = readAnswer(answer.statusCode, first, clock.now())
  // Only a success has to arrive whole; any other status has said all that counts, however its body ends.
  if (verdict.outcome === 'delivered') await drain(answer.body, limits.body_bytes, kept)
  else await drain(answer.body, kept_bytes, kept).catch(() => {})
  return verdict
}

const failed = (error: string): Verdict => ({ outcome: 'failed', status: null, error, retry_after_ms: null })

/**
 * One POST to a receiver. Whatever the receiver, its name or its network does is an outcome; only a programmer's error
 * (headers that HTTP can't carry) is thrown. Redirects are never followed.
 */
export const sendWebhook = async (attempt: Attempt): Promise<Outcome> => {
  const { guard, clock } = attempt
  const started = clock.now()
  let address: string | null = null
  const kept: Beginning = { bytes: Buffer.alloc(0) }
  const ended = (verdict: Verdict): Outcome => ({
    ...verdict,
    duration_ms: clock.now() - started,
    address,
    answer: kept.bytes.length === 0 ? null : kept.bytes,
  })
  const broken = guard.check(attempt.url)
  if (broken !== null) return ended(failed(`destination refused: ${broken}`))
  const url = new URL(attempt.url)
  const deadline = startDeadline(attempt)
  const client = createClient(url, guard, deadline, dialled => {
    address = dialled
  })
  try {
    return ended(await post(attempt, { client, url, signal: deadline.signal, kept }))
  } catch (error) {
    if (error instanceof errors.InvalidArgumentError) throw error
    return ended(failed(deadline.signal.aborted ? String(deadline.signal.reason) : describeFailure(error)))
  } finally {
    deadline.end()
    await client.destroy(attempt_over)
  }
}
