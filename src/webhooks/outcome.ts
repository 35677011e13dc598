/** How one attempt ended. `gone` (410) stops the delivery at once; `failed` is tried again on schedule. */
export interface Outcome {
  outcome: 'delivered' | 'failed' | 'gone'
  /** HTTP status of the answer, null when none came. */
  status: number | null
  /** Why it failed, in words for the integrator's delivery list; null when delivered. No content of the answer. */
  error: string | null
  /** The least wait before the next attempt that the receiver asks for, in milliseconds. */
  retry_after_ms: number | null
  duration_ms: number
  /** The address that was dialled, null when no connection came about. */
  address: string | null
  /** The first bytes of the answer's body, null when none came. The receiver's words: not to be logged. */
  answer: Buffer | null
}

/** What an answer's head alone says. */
export type Verdict = Pick<Outcome, 'outcome' | 'status' | 'error' | 'retry_after_ms'>

/** decisions, "Webhooks": `Retry-After` is honoured up to 10 h. */
export const longest_retry_after_ms = 10 * 3600 * 1000

/** The three date forms of RFC 9110 §5.6.7 all begin with a day's name; asctime's has no zone and means GMT. */
const httpDate = (value: string): number => {
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(value)) return Number.NaN
  return Date.parse(/ gmt$/i.test(value) ? value : `${value} GMT`)
}

/** `Retry-After` (seconds or an HTTP-date) as a wait from `now` in milliseconds, at most 10 h; null when unreadable. */
export const readRetryAfter = (value: string | undefined, now: number): number | null => {
  const text = value?.trim() ?? ''
  const wait_ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now
  return Number.isNaN(wait_ms) ? null : Math.min(Math.max(wait_ms, 0), longest_retry_after_ms)
}

/** decisions, "Webhooks": 2xx is success, 410 the end, everything else a failure; redirects are never followed. */
export const readAnswer = (status: number, retry_after: string | undefined, now: number): Verdict => {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, error: null, retry_after_ms: null }
  if (status === 410) return { outcome: 'gone', status, error: 'answered 410: no more is wanted', retry_after_ms: null }
  const error = status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`
  const retry_after_ms = status === 429 || status === 503 ? readRetryAfter(retry_after, now) : null
  return { outcome: 'failed', status, error, retry_after_ms }
}

const reasons: Readonly<Record<string, string>> = {
  DESTINATION_REFUSED: 'destination refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found',
  ENODATA: 'host name not found',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refused',
  ETIMEOUT: 'the name server did not answer',
  ECANCELLED: 'the name server did not answer',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection broken',
  EPIPE: 'connection broken',
  UND_ERR_SOCKET: 'connection broken',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  ETIMEDOUT: 'connect timed out',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  // What the HTTP client says of an answer that can't be one, such as an unasked 101 or a status of 0.
  ERR_ASSERTION: 'not an HTTP answer',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too large',
}

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code ?? '') : ''
}

const tls_codes = /^(ERR_(TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/

/** A failed connection in words that tell an integrator what to mend, the runtime's code beside them. */
export const describeFailure = (error: unknown): string => {
  const code = codeOf(error)
  const known = reasons[code]
  if (known !== undefined) return known
  if (tls_codes.test(code)) return `TLS error: ${code}`
  if (error instanceof Error && error.name === 'HTTPParserError') return 'not an HTTP answer'
  return `failed: ${code || 'unknown'}`
}
