import { errors } from 'undici'
import type { Clock } from '../base/clock.ts'
import { type Connection, type Connections, dialledAnew } from './connections.ts'
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
  /** Where each attempt is not to be dialled anew, and whose deliveries share connections. */
  kept?: { readonly connections: Connections; readonly owner: string }
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

/** The beginning of an answer, as it comes in: whether there is one, and the first bytes of its body. */
interface Beginning {
  has_come: boolean
  bytes: Buffer
}

/** Reads at most `limit` bytes and leaves, and says whether that was all; `kept` has the first of them even if the rest never comes. */
const drain = async (body: AsyncIterable<Uint8Array>, limit: number, kept: Beginning): Promise<boolean> => {
  let read = 0
  for await (const chunk of body) {
    if (read < kept_bytes) kept.bytes = Buffer.concat([kept.bytes, chunk.subarray(0, kept_bytes - read)])
    read += chunk.byteLength
    if (read >= limit) return false
  }
  return true
}

interface Exchange {
  readonly url: URL
  readonly deadline: Deadline
  readonly kept: Beginning
}

const post = async (
  attempt: Attempt,
  { client }: Connection,
  { url, deadline, kept }: Exchange,
): Promise<{ readonly verdict: Verdict; readonly is_whole: boolean }> => {
  const { headers, body, clock, limits = defaultLimits } = attempt
  const answer = await client.request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers,
    body,
    signal: deadline.signal,
    reset: attempt.kept?.connections.keeps !== true,
  })
  kept.has_come = true
  const retry_after = answer.headers['retry-after']
  const first = Array.isArray(retry_after) ? retry_after[0] : retry_after
  const verdict = readAnswer(answer.statusCode, first, clock.now())
  // Only a success has to arrive whole; any other status has said all that counts, however its body ends.
  if (verdict.outcome === 'delivered') return { verdict, is_whole: await drain(answer.body, limits.body_bytes, kept) }
  await drain(answer.body, kept_bytes, kept).catch(() => {})
  return { verdict, is_whole: false }
}

const failed = (error: string): Verdict => ({ outcome: 'failed', status: null, error, retry_after_ms: null })

/** The attempt over one connection; null where that was open from before, and its other end closed it meanwhile. */
const postOver = async (attempt: Attempt, connection: Connection, exchange: Exchange): Promise<Verdict | null> => {
  const { signal } = exchange.deadline
  let is_reusable = false
  try {
    const { verdict, is_whole } = await post(attempt, connection, exchange)
    is_reusable = is_whole
    return verdict
  } catch (error) {
    if (error instanceof errors.InvalidArgumentError) throw error
    if (!signal.aborted && connection.isReused() && !exchange.kept.has_come) return null
    return failed(signal.aborted ? String(signal.reason) : describeFailure(error))
  } finally {
    connection.releaseBuffer(is_reusable)
  }
}

/**
 * One POST to a receiver. Whatever the receiver, its name or its network does is an outcome; only a programmer's error
 * (headers that HTTP can't carry) is thrown. Redirects are never followed. What breaks a connection that was open from
 * before says nothing of the receiver: the attempt is then made over one that is dialled for it.
 */
export const sendWebhook = async (attempt: Attempt): Promise<Outcome> => {
  const { guard, clock, kept: { connections, owner } = { connections: dialledAnew, owner: '' } } = attempt
  const started = clock.monotonic()
  const kept: Beginning = { has_come: false, bytes: Buffer.alloc(0) }
  let address: string | null = null
  const ended = (verdict: Verdict): Outcome => ({
    ...verdict,
    duration_ms: clock.monotonic() - started,
    address,
    answer: kept.bytes.length === 0 ? null : kept.bytes,
  })
  const broken = guard.check(attempt.url)
  if (broken !== null) return ended(failed(`destination refused: ${broken}`))
  const url = new URL(attempt.url)
  const deadline = startDeadline(attempt)
  const over = async (of: Connections): Promise<Verdict | null> => {
    const connection = of.take({ guard, url, bounds: deadline, owner })
    const verdict = await postOver(attempt, connection, { url, deadline, kept })
    address = connection.address()
    return verdict
  }
  try {
    return ended((await over(connections)) ?? (await over(dialledAnew)) ?? failed('connection broken'))
  } finally {
    deadline.end()
  }
}
