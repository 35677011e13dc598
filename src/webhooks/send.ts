import { errors } from 'undici'
import type { Clock } from '../base/clock.ts'
import { type Connection, type Connections, singleUseConnections } from './connections.ts'
import type { Guard } from './guard.ts'
import { type AttemptOutcome, describeFailure, judgeResponse, type Verdict } from './outcome.ts'

/** `total_ms` counts from the start and includes connecting and the response body. */
export interface AttemptLimits {
  connect_ms: number
  total_ms: number
  body_bytes: number
}

/** Connecting includes name resolution, TCP and TLS. */
export const defaultLimits: AttemptLimits = { connect_ms: 3000, total_ms: 10_000, body_bytes: 16 * 1024 }

/** `signal` aborts the attempt when the node stops. */
export interface OutgoingAttempt {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  guard: Guard
  clock: Clock
  /** Connections are shared by the deliveries of one owner; without a pool, each attempt dials. */
  pool?: { readonly connections: Connections; readonly owner: string }
  limits?: AttemptLimits
  signal?: AbortSignal
}

/** The first reason to stop wins; it is the signal's reason. */
interface Deadline {
  signal: AbortSignal
  stop(reason: string): void
  connected(): void
  end(): void
}

const startDeadline = ({ clock, limits = defaultLimits, signal }: OutgoingAttempt): Deadline => {
  const control = new AbortController()
  const stop = (reason: string): void => control.abort(reason)
  const stopConnect = clock.setTimer(limits.connect_ms, () => stop('connect timed out'))
  const stopTotal = clock.setTimer(limits.total_ms, () => stop('timed out'))
  const abort = (): void => stop('aborted')
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  return {
    signal: control.signal,
    stop,
    connected: stopConnect,
    end() {
      stopConnect()
      stopTotal()
      signal?.removeEventListener('abort', abort)
    },
  }
}

/** How much of a response is kept for the integrator's list of deliveries. */
const keptBytes = 1024

interface ResponseStart {
  hasArrived: boolean
  bytes: Buffer
}

/** Reads at most `limit` bytes and returns whether that was all; fills `kept` even if the rest never arrives. */
const drain = async (body: AsyncIterable<Uint8Array>, limit: number, kept: ResponseStart): Promise<boolean> => {
  let read = 0
  for await (const chunk of body) {
    if (read < keptBytes) kept.bytes = Buffer.concat([kept.bytes, chunk.subarray(0, keptBytes - read)])
    read += chunk.byteLength
    if (read >= limit) return false
  }
  return true
}

interface Exchange {
  readonly url: URL
  readonly deadline: Deadline
  readonly kept: ResponseStart
}

const postOnce = async (
  attempt: OutgoingAttempt,
  { client }: Connection,
  { url, deadline, kept }: Exchange,
): Promise<{ readonly verdict: Verdict; readonly isWhole: boolean }> => {
  const { headers, body, clock, limits = defaultLimits } = attempt
  const response = await client.request({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers,
    body,
    signal: deadline.signal,
    reset: attempt.pool?.connections.keeps !== true,
  })
  kept.hasArrived = true
  const retry_after = response.headers['retry-after']
  const first = Array.isArray(retry_after) ? retry_after[0] : retry_after
  const verdict = judgeResponse(response.statusCode, first, clock.now())
  // Only a success must arrive whole; the status alone decides a failure.
  if (verdict.outcome === 'delivered') return { verdict, isWhole: await drain(response.body, limits.body_bytes, kept) }
  await drain(response.body, keptBytes, kept).catch(() => {})
  return { verdict, isWhole: false }
}

const failed = (error: string): Verdict => ({ outcome: 'failed', status: null, error, retry_after_ms: null })

/** Null if a reused connection was closed by its other end before any response. */
const postThrough = async (
  attempt: OutgoingAttempt,
  connection: Connection,
  exchange: Exchange,
): Promise<Verdict | null> => {
  const { signal } = exchange.deadline
  let isReusable = false
  try {
    const { verdict, isWhole } = await postOnce(attempt, connection, exchange)
    isReusable = isWhole
    return verdict
  } catch (error) {
    if (error instanceof errors.InvalidArgumentError) throw error
    if (!signal.aborted && connection.isReused() && !exchange.kept.hasArrived) return null
    return failed(signal.aborted ? String(signal.reason) : describeFailure(error))
  } finally {
    connection.release(isReusable)
  }
}

/**
 * One POST to a receiver. Every failure of the receiver, its name or its network is an outcome; only a programmer's
 * error (headers that HTTP can't carry) is thrown. Redirects are never followed. A reused connection that breaks says
 * nothing about the receiver: then the attempt is made on a new one.
 */
export const sendWebhook = async (attempt: OutgoingAttempt): Promise<AttemptOutcome> => {
  const { guard, clock, pool: { connections, owner } = { connections: singleUseConnections, owner: '' } } = attempt
  const started = clock.monotonic()
  const kept: ResponseStart = { hasArrived: false, bytes: Buffer.alloc(0) }
  let address: string | null = null
  const toOutcome = (verdict: Verdict): AttemptOutcome => ({
    ...verdict,
    duration_ms: clock.monotonic() - started,
    address,
    response: kept.bytes.length === 0 ? null : kept.bytes,
  })
  const brokenRule = guard.check(attempt.url)
  if (brokenRule !== null) return toOutcome(failed(`destination refused: ${brokenRule}`))
  const url = new URL(attempt.url)
  const deadline = startDeadline(attempt)
  const sendThrough = async (pool: Connections): Promise<Verdict | null> => {
    const connection = pool.take({ guard, url, bounds: deadline, owner })
    const verdict = await postThrough(attempt, connection, { url, deadline, kept })
    address = connection.address()
    return verdict
  }
  try {
    return toOutcome(
      (await sendThrough(connections)) ?? (await sendThrough(singleUseConnections)) ?? failed('connection broken'),
    )
  } finally {
    deadline.end()
  }
}
