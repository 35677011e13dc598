import { token_scope } from '../accounts/access_token.ts'
import { ApiError, asError } from '../base/api_error.ts'
import { isoTimestamp, pause, systemClock } from '../base/clock.ts'
import type { HeardAnswer, ListenedAttempt } from '../webhooks/listener.ts'
import { type Call, type Command, required, say, UsageError } from './command.ts'

const name = 'listen'
const api = '/api/account/integration/kyc'
const wait_seconds = 20
/** decisions.md, "Webhooks": a whole attempt. */
const attempt_ms = 10_000
/** A call to the service, its wait included. */
const longest_call_ms = 40_000
/** The service may be starting anew. */
const again_after_ms = 2000

interface Listening {
  readonly base_url: string
  readonly forward_to: string
  readonly client_id: string
  readonly client_secret: string
}

/** What made a call fail: `fetch` itself says no more than that it did. */
const whyOf = (thrown: unknown): string => {
  const error = asError(thrown)
  const { code = error.message } = (error.cause ?? {}) as { code?: string }
  return code
}

/** @throws {UsageError} */
const urlOf = (call: Call, option: string, fallback: string | null): string => {
  const given = call.values[option] ?? fallback
  if (typeof given !== 'string') throw new UsageError(`${name}: --${option} is required`)
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UsageError(`${name}: --${option} must be an http or https URL`)
  return given.replace(/\/+$/, '')
}

const within = async <T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const abort = new AbortController()
  const off = systemClock.setTimer(ms, () => abort.abort(new Error('timed out')))
  try {
    return await work(abort.signal)
  } finally {
    off()
  }
}

/** What the service says to a call, and how. */
interface Answered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** @throws {ApiError} `unavailable` where nobody answers there in time, or something that is no Attestor */
const call = async (url: string, init: RequestInit): Promise<Answered> => {
  try {
    return await within(longest_call_ms, async signal => {
      const answer = await fetch(url, { ...init, signal })
      const text = await answer.text()
      if (answer.status === 204) return { status: answer.status, body: {} }
      return { status: answer.status, body: JSON.parse(text) as Answered['body'] }
    })
  } catch (thrown) {
    const why = thrown instanceof SyntaxError ? 'its answer is no JSON' : `no answer: ${whyOf(thrown)}`
    throw new ApiError('unavailable', `${url}: ${why}`)
  }
}

/** @throws {ApiError} in the service's own words: `invalid_token` where the credentials are wrong, and will be */
const accessToken = async ({ base_url, client_id, client_secret }: Listening): Promise<string> => {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope: token_scope })
  const { status, body } = await call(`${base_url}/oauth2/token`, { method: 'POST', body: form })
  if (status === 200) return String(body.access_token)
  const is_wrong = status === 400 || status === 401
  const says = [body.error, body.error_description].filter(one => one !== undefined).join(': ')
  throw new ApiError(is_wrong ? 'invalid_token' : 'unavailable', says)
}

/** Posts to the service; the token is renewed where it is taken no more. */
type Post = (path: string, body: object) => Promise<Answered>

const authorized = (to: Listening, first_token: string): Post => {
  let token = first_token
  const post = (path: string, body: object): Promise<Answered> =>
    call(`${to.base_url}${api}/test/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  return async (path, body) => {
    const answered = await post(path, body)
    if (answered.status !== 401) return answered
    token = await accessToken(to)
    return post(path, body)
  }
}

const forward = async (to: Listening, { headers, body }: ListenedAttempt): Promise<HeardAnswer> => {
  const began = systemClock.monotonic()
  const took = (): number => systemClock.monotonic() - began
  try {
    return await within(attempt_ms, async signal => {
      const answer = await fetch(to.forward_to, {
        method: 'POST',
        headers: { ...headers },
        body,
        redirect: 'manual',
        signal,
      })
      await answer.arrayBuffer()
      const retry_after = answer.headers.get('retry-after')
      return { status: answer.status, error: null, retry_after, duration_ms: took() }
    })
  } catch (thrown) {
    return { status: null, error: whyOf(thrown).slice(0, 200), retry_after: null, duration_ms: took() }
  }
}

const told = ({ body }: ListenedAttempt, { status, error, duration_ms }: HeardAnswer): string => {
  const { transaction_id, status: of } = JSON.parse(body) as { transaction_id: string; status: string }
  return `${isoTimestamp(systemClock.now())}  ${of.padEnd(10)}  ${transaction_id}  ${status ?? error}  ${duration_ms} ms`
}

/** Takes one attempt, makes it and says what came of it. @throws {ApiError} */
const round = async (to: Listening, post: Post): Promise<void> => {
  const { status, body } = await post('listen', { wait_seconds })
  if (status !== 200) throw new ApiError(status === 409 ? 'conflict' : 'unavailable', String(body.error))
  const delivery = body.delivery as ListenedAttempt | null
  if (delivery === null) return
  const heard = await forward(to, delivery)
  const taken = await post(`listen/${delivery.delivery_id}`, { lease: delivery.lease, ...heard })
  say(`${told(delivery, heard)}${taken.status === 204 ? '' : `  ${taken.body.error}`}`)
}

/** The account is not for tests, or the client is not let in: that will not change. */
const final_codes: readonly string[] = ['conflict', 'invalid_token']

const listen = async (to: Listening): Promise<never> => {
  const post = authorized(to, await accessToken(to))
  say(`Listening: webhooks to https://listen.invalid/ go to ${to.forward_to}`)
  for (;;) {
    try {
      await round(to, post)
    } catch (error) {
      if (error instanceof ApiError && final_codes.includes(error.code)) throw error
      process.stderr.write(`${asError(error).message}; trying again\n`)
      await pause(again_after_ms)
    }
  }
}

/** `attestor listen`. */
export const listenToWebhooks: Command = {
  name,
  takes: '--forward-to URL --client-id ID --client-secret SECRET [--url URL]',
  means: 'make a test account’s deliveries to https://listen.invalid/ from this machine, plain http allowed',
  options: {
    'forward-to': { type: 'string' },
    'client-id': { type: 'string' },
    'client-secret': { type: 'string' },
    url: { type: 'string' },
  },
  run: async call => {
    const { HOST, PORT, BASE_URL } = call.config
    await listen({
      base_url: urlOf(call, 'url', BASE_URL ?? `http://${HOST}:${PORT}`),
      forward_to: urlOf(call, 'forward-to', null),
      client_id: required(call, name, 'client-id'),
      client_secret: required(call, name, 'client-secret'),
    })
  },
}
