import type { Clock } from './clock.ts'

export type Send = (request: Request, init?: RequestInit) => Promise<Response>

export interface RetryOptions {
  readonly clock: Clock
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
  /** Most attempts of a call, the first one included. */
  readonly attempts: number
  /** Whether the call may be repeated without doing anything twice. */
  readonly isSafe: (request: Request) => boolean
}

const firstDelayMs = 500
const maxDelayMs = 8000
/** A server that asks for a longer wait gets no retry: the caller gets its answer. */
const maxRetryAfterMs = 60_000

/** Whether a call is safe to repeat: a read, or a call that the service does once for each key. */
export function isSafeCall({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || headers.has('Idempotency-Key')
}

function mayChange({ status, headers }: Response): boolean {
  return [408, 429, 500, 502, 503, 504].includes(status) || headers.get('X-Error-Code') === 'idempotency_key_in_use'
}

/** `Retry-After` is seconds or a date (RFC 9110 §10.2.3). */
function readRetryAfter({ headers }: Response, now: number): number | null {
  const text = headers.get('Retry-After')
  if (text === null) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** Doubled each time; half of it is by chance, so that callers who failed together don't come back together. */
function backoff(attempt: number, random: () => number): number {
  return Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs) * (0.5 + random() / 2)
}

/** A response, or why there is none. */
type Outcome = { readonly response: Response } | { readonly error: unknown }

/** Returns the wait before the next attempt, in ms; null if there should be none. */
function delayAfter(outcome: Outcome, attempt: number, { clock, random }: RetryOptions): number | null {
  if ('error' in outcome) return backoff(attempt, random)
  if (!mayChange(outcome.response)) return null
  const asked = readRetryAfter(outcome.response, clock.now())
  if (asked === null) return backoff(attempt, random)
  return asked > maxRetryAfterMs ? null : asked
}

async function trySend(send: Send, request: Request): Promise<Outcome> {
  try {
    return { response: await send(request.clone()) }
  } catch (error) {
    if (request.signal.aborted) throw error
    return { error }
  }
}

/** Repeats safe calls that failed for a reason that may pass. */
export function withRetries(send: Send, options: RetryOptions): Send {
  return async request => {
    const attempts = options.isSafe(request) ? options.attempts : 1
    for (let attempt = 1; ; attempt++) {
      const outcome = await trySend(send, request)
      const delay_ms = attempt === attempts ? null : delayAfter(outcome, attempt, options)
      if (delay_ms === null) {
        if ('error' in outcome) throw outcome.error
        return outcome.response
      }
      // The connection is free for the next attempt.
      if ('response' in outcome) await outcome.response.body?.cancel()
      await options.clock.sleep(delay_ms, request.signal)
    }
  }
}
