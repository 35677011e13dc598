/** The end of one attempt. `gone` (410) stops the delivery at once; `failed` is tried again on schedule. */
export interface AttemptOutcome {
  outcome: 'delivered' | 'failed' | 'gone'
  /** HTTP status of the response; null if there was none. */
  status: number | null
  /**
   * Why it failed, or the fault of a response that counts, for the integrator's list of deliveries. Never its content.
   */
  error: string | null
  /** The receiver's `Retry-After` in milliseconds. */
  retry_after_ms: number | null
  duration_ms: number
  /** The address that was dialled; null if there was no connection. */
  address: string | null
  /** The first bytes of the response body; never logged. */
  response: Buffer | null
}

export type Verdict = Pick<AttemptOutcome, 'outcome' | 'status' | 'error' | 'retry_after_ms'>

/** The beginning of a response. */
export interface ResponseHead {
  readonly status: number
  readonly retry_after: string | undefined
}

/**
 * Reads the status of a response whose rest breaks HTTP's rules, or never comes: of the first status line that is no
 * interim one. Null where there is none yet.
 */
export function readHead(received: Buffer): ResponseHead | null {
  let rest = received.toString('latin1')
  for (;;) {
    const [line, digits] = /^[\r\n]*HTTP\/1\.\d (\d{3})(?: [^\n]*)?\n/.exec(rest) ?? []
    if (line === undefined) return null
    rest = rest.slice(line.length)
    const [end = rest] = /^[\s\S]*?\n\r?\n/.exec(`\n${rest}`) ?? []
    const status = Number(digits)
    if (status >= 200) return { status, retry_after: /^retry-after:(.*)$/im.exec(end)?.[1] }
    rest = rest.slice(Math.max(0, end.length - 1))
  }
}

const maxRetryAfterMs = 10 * 3600 * 1000

/** The three date forms of RFC 9110 §5.6.7 all begin with a day's name; asctime's has no zone and means GMT. */
function parseHttpDate(value: string): number {
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(value)) return Number.NaN
  return Date.parse(/ gmt$/i.test(value) ? value : `${value} GMT`)
}

/** `Retry-After` (seconds or an HTTP-date) as a wait from `now` in milliseconds, at most 10 h; null when unreadable. */
export function readRetryAfter(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  const wait_ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - now
  return Number.isNaN(wait_ms) ? null : Math.min(Math.max(wait_ms, 0), maxRetryAfterMs)
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/**
 * Judges a response: 2xx is success, even if the rest of it is faulty; 410 ends the delivery, everything else is a
 * failure; redirects are never followed.
 */
export function judgeResponse(
  { status, retry_after }: ResponseHead,
  now: number,
  fault: string | null = null,
): Verdict {
  if (isSuccess(status)) {
    const error = fault === null ? null : `answered ${status}, but: ${fault}`
    return { outcome: 'delivered', status, error, retry_after_ms: null }
  }
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
  // undici's error for an impossible response, such as an unrequested 101 or a status of 0.
  ERR_ASSERTION: 'not an HTTP answer',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too large',
}

function readErrorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return readErrorCode(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code ?? '') : ''
}

const tlsCodes = /^(ERR_(TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/

/** Describes a failed connection for the integrator who has to fix it. */
export function describeFailure(error: unknown): string {
  const code = readErrorCode(error)
  const known = reasons[code]
  if (known !== undefined) return known
  if (code.startsWith('PROXY_')) return (error as Error).message
  if (tlsCodes.test(code)) return `TLS error: ${code}`
  if (error instanceof Error && error.name === 'HTTPParserError') return 'not an HTTP answer'
  return `failed: ${code || 'unknown'}`
}
