import { type Command, InvalidArgumentError } from 'commander'
import { ApiError, asError } from '../base/api_error.ts'
import { isoTimestamp, pause, systemClock } from '../base/clock.ts'
import { withDeadline } from '../base/time.ts'
import { tokenScope } from '../identity/accounts/access_token.ts'
import type { LeasedAttempt, ReportedOutcome } from '../webhooks/listener.ts'
import type { Shell } from './command.ts'

const apiPath = '/api/account/integration/kyc'
const longPollSeconds = 20
/** The timeout is that of a whole attempt of the service's own deliveries. */
const forwardTimeoutMs = 10_000
/** Longer than a long poll. */
const callTimeoutMs = 40_000
/** The service may be restarting. */
const retryAfterMs = 2000

interface ListenOptions {
  readonly url: string
  readonly forwardTo: string
  readonly clientId: string
  readonly clientSecret: string
}

function parseUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new InvalidArgumentError('It must be an http or https URL.')
  return value.replace(/\/+$/, '')
}

/** `fetch` puts the reason into the error's cause. */
function describeFailure(thrown: unknown): string {
  const error = asError(thrown)
  const { code = error.message } = (error.cause ?? {}) as { code?: string }
  return code
}

interface ServiceResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** @throws {ApiError} `unavailable` if nothing responds in time, or something that is no Attestor */
async function callService(url: string, init: RequestInit): Promise<ServiceResponse> {
  try {
    return await withDeadline(systemClock, callTimeoutMs, async signal => {
      const response = await fetch(url, { ...init, signal })
      const text = await response.text()
      if (response.status === 204) return { status: response.status, body: {} }
      return { status: response.status, body: JSON.parse(text) as ServiceResponse['body'] }
    })
  } catch (thrown) {
    const reason = thrown instanceof SyntaxError ? 'its answer is no JSON' : `no answer: ${describeFailure(thrown)}`
    throw new ApiError('unavailable', `${url}: ${reason}`)
  }
}

/** @throws {ApiError} `invalid_token` if the credentials are wrong, which no retry changes */
async function requestAccessToken({ url, clientId, clientSecret }: ListenOptions): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: tokenScope,
  })
  const { status, body } = await callService(`${url}/oauth2/token`, { method: 'POST', body: form })
  if (status === 200) return String(body.access_token)
  const message = [body.error, body.error_description].filter(part => part !== undefined).join(': ')
  throw new ApiError(status === 400 || status === 401 ? 'invalid_token' : 'unavailable', message)
}

type PostToService = (path: string, body: object) => Promise<ServiceResponse>

/** Renews the access token when it is rejected. */
function createPost(options: ListenOptions, firstToken: string): PostToService {
  let token = firstToken
  const post: PostToService = (path, body) =>
    callService(`${options.url}${apiPath}/test/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  return async (path, body) => {
    const response = await post(path, body)
    if (response.status !== 401) return response
    token = await requestAccessToken(options)
    return post(path, body)
  }
}

async function forward(url: string, { headers, body }: LeasedAttempt): Promise<ReportedOutcome> {
  const startedAt = systemClock.monotonic()
  const elapsed = (): number => systemClock.monotonic() - startedAt
  try {
    return await withDeadline(systemClock, forwardTimeoutMs, async signal => {
      const init: RequestInit = { method: 'POST', headers: { ...headers }, body, redirect: 'manual', signal }
      const response = await fetch(url, init)
      await response.arrayBuffer()
      const retry_after = response.headers.get('retry-after')
      return { status: response.status, error: null, retry_after, duration_ms: elapsed() }
    })
  } catch (thrown) {
    const error = describeFailure(thrown).slice(0, 200)
    return { status: null, error, retry_after: null, duration_ms: elapsed() }
  }
}

function describeAttempt({ body }: LeasedAttempt, { status, error, duration_ms }: ReportedOutcome): string {
  const event = JSON.parse(body) as { transaction_id: string; status: string }
  const now = isoTimestamp(systemClock.now())
  return `${now}  ${event.status.padEnd(10)}  ${event.transaction_id}  ${status ?? error}  ${duration_ms} ms`
}

/** Takes one attempt, makes it, and reports its outcome to the service. @throws {ApiError} */
async function forwardNext(options: ListenOptions, post: PostToService, { print }: Shell): Promise<void> {
  const { status, body } = await post('listen', { wait_seconds: longPollSeconds })
  if (status !== 200) throw new ApiError(status === 409 ? 'conflict' : 'unavailable', String(body.error))
  const attempt = body.delivery as LeasedAttempt | null
  if (attempt === null) return
  const outcome = await forward(options.forwardTo, attempt)
  const accepted = await post(`listen/${attempt.delivery_id}`, { lease: attempt.lease, ...outcome })
  print(`${describeAttempt(attempt, outcome)}${accepted.status === 204 ? '' : `  ${accepted.body.error}`}`)
}

/** Errors that no retry changes: the account is not for tests, or the client is rejected. */
const permanentErrors: readonly string[] = ['conflict', 'invalid_token']

async function listen(options: ListenOptions, shell: Shell): Promise<never> {
  const post = createPost(options, await requestAccessToken(options))
  shell.print(`Listening: webhooks to https://listen.invalid/ go to ${options.forwardTo}`)
  for (;;) {
    try {
      await forwardNext(options, post, shell)
    } catch (error) {
      if (error instanceof ApiError && permanentErrors.includes(error.code)) throw error
      shell.warn(`${asError(error).message}; trying again`)
      await pause(retryAfterMs)
    }
  }
}

export function addListenCommand(program: Command, shell: Shell): void {
  program
    .command('listen')
    .description('make a test account’s deliveries to https://listen.invalid/ from this machine, plain http allowed')
    .requiredOption('--forward-to <url>', 'where to send them', parseUrl)
    .requiredOption('--client-id <id>', 'a client of the test account')
    .requiredOption('--client-secret <secret>', 'its secret')
    .option('--url <url>', 'the service; by default BASE_URL, or HOST and PORT', parseUrl)
    .action(async (options: Omit<ListenOptions, 'url'> & { readonly url?: string }) => {
      const { HOST, PORT, BASE_URL } = shell.readConfig()
      await listen({ ...options, url: options.url ?? BASE_URL ?? `http://${HOST}:${PORT}` }, shell)
    })
}
