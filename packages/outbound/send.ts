import { errors } from 'undici'
import type { OutboundClock } from './clock.ts'
import { type Connection, type Connections, singleUseConnections } from './connections.ts'
import { exchange, keptBytes, newResponse, type ResponseStart } from './exchange.ts'
import type { Guard } from './guard.ts'
import { type AttemptOutcome, describeFailure, isSuccess, judgeResponse, readHead, type Verdict } from './outcome.ts'

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
  clock: OutboundClock
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

function startDeadline({ clock, limits = defaultLimits, signal }: OutgoingAttempt): Deadline {
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

interface Posting {
  readonly url: URL
  readonly deadline: Deadline
  readonly response: ResponseStart
}

async function postOnce(
  { headers, body, clock, pool, limits = defaultLimits }: OutgoingAttempt,
  { client }: Connection,
  { url, deadline, response }: Posting,
): Promise<{ readonly verdict: Verdict; readonly isWhole: boolean }> {
  const path = `${url.pathname}${url.search}`
  const reset = pool?.connections.keeps !== true
  const isRead = await exchange(client, {
    request: { method: 'POST', path, headers, body, reset },
    signal: deadline.signal,
    maxBytes: status => (isSuccess(status) ? limits.body_bytes : keptBytes),
    response,
  })
  const verdict = judgeResponse({ status: response.status ?? 0, retry_after: response.retry_after }, clock.now())
  return { verdict, isWhole: isRead && verdict.outcome === 'delivered' }
}

function failed(error: string): Verdict {
  return { outcome: 'failed', status: null, error, retry_after_ms: null }
}

/** Null if a reused connection was closed by its other end before any response. */
async function postThrough(
  attempt: OutgoingAttempt,
  connection: Connection,
  posting: Posting,
): Promise<Verdict | null> {
  const { signal } = posting.deadline
  let isReusable = false
  try {
    const { verdict, isWhole } = await postOnce(attempt, connection, posting)
    isReusable = isWhole
    return verdict
  } catch (error) {
    if (error instanceof errors.InvalidArgumentError) throw error
    const { status, retry_after } = posting.response
    const head = status === null ? readHead(connection.received()) : { status, retry_after }
    if (!signal.aborted && connection.isReused() && head === null) return null
    const fault = signal.aborted ? String(signal.reason) : describeFailure(error)
    return head === null ? failed(fault) : judgeResponse(head, attempt.clock.now(), fault)
  } finally {
    connection.release(isReusable)
  }
}

/**
 * One POST to a receiver. Every failure of the receiver, its name or its network is an outcome; only a programmer's
 * error (headers that HTTP can't carry) is thrown. Redirects are never followed. A reused connection that breaks says
 * nothing about the receiver: then the attempt is made on a new one.
 */
export async function sendWebhook(attempt: OutgoingAttempt): Promise<AttemptOutcome> {
  const { guard, clock, pool: { connections, owner } = { connections: singleUseConnections, owner: '' } } = attempt
  const started = clock.monotonic()
  const response = newResponse()
  let address: string | null = null
  const toOutcome = (verdict: Verdict): AttemptOutcome => ({
    ...verdict,
    duration_ms: clock.monotonic() - started,
    address,
    response: response.bytes.length === 0 ? null : response.bytes,
  })
  const brokenRule = guard.check(attempt.url)
  if (brokenRule !== null) return toOutcome(failed(`destination refused: ${brokenRule}`))
  const url = new URL(attempt.url)
  const deadline = startDeadline(attempt)
  const sendThrough = async (pool: Connections): Promise<Verdict | null> => {
    const connection = pool.take({ guard, url, bounds: deadline, owner })
    const verdict = await postThrough(attempt, connection, { url, deadline, response })
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
