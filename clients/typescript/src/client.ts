import createApi, { type Client } from 'openapi-fetch'
import { withAccessToken } from './access_tokens.ts'
import type {
  FailedResult,
  ListedTransaction,
  OpenedTransaction,
  paths,
  RegisteredCustomer,
  Result,
  Transaction as TransactionFields,
} from './api.ts'
import { type Clock, systemClock } from './clock.ts'
import { AttestorError } from './errors.ts'
import { isSafeCall, type Send, withRetries } from './retries.ts'

const kyc = '/api/account/integration/kyc'

/** The calls of a backend: the rest is the device's. */
type BackendPaths = { [Path in keyof paths as Path extends `/api/sdk/${string}` ? never : Path]: paths[Path] }

type BodyOf<Path extends '/api/account/integration/kyc/customer' | '/api/account/integration/kyc/transaction'> =
  paths[Path]['post']['requestBody']['content']['application/json']

export type NewCustomer = BodyOf<'/api/account/integration/kyc/customer'>
export type NewTransaction = BodyOf<'/api/account/integration/kyc/transaction'>

type Filters = NonNullable<paths['/api/account/integration/kyc/transaction']['get']['parameters']['query']>

type Status = TransactionFields['status']

/** A transaction, whose status determines its result. */
export type Transaction = Omit<TransactionFields, 'status' | 'result_data'> &
  (
    | { status: 'FINISHED'; result_data: Result }
    | { status: 'FAILED'; result_data: FailedResult }
    | { status: Exclude<Status, 'FINISHED' | 'FAILED'>; result_data: null }
  )

export interface ClientOptions {
  /** Address of the service, such as `https://attestor.example.com`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** Address of its token endpoint, if it is another. */
  readonly authUrl?: string
  /** Most attempts of a call that is safe to repeat; 4. */
  readonly attempts?: number
  /** Longest duration of an attempt; 30 seconds. */
  readonly timeoutMs?: number
  /**
   * Receives the members of a call that the service does not know: a misspelt one has no effect. The default writes a
   * warning to the console.
   */
  readonly onIgnored?: (path: string, members: readonly string[]) => void
  /** The rest can be replaced, for tests. */
  readonly fetch?: Send
  readonly clock?: Clock
  readonly random?: () => number
}

export interface WaitOptions {
  readonly signal?: AbortSignal
  /** Gives up after about this long; 120 seconds. */
  readonly timeoutMs?: number
}

export interface AttestorClient {
  /** Every call of a backend, typed: `api.GET('/api/account/integration/kyc/…')`. It returns errors instead of throwing them. */
  readonly api: Client<BackendPaths>
  /** @throws {AttestorError} */
  createCustomer(customer: NewCustomer): Promise<RegisteredCustomer>
  /** Pass your own key if another process may repeat the call. @throws {AttestorError} */
  createTransaction(transaction: NewTransaction, idempotencyKey?: string): Promise<OpenedTransaction>
  /** @throws {AttestorError} */
  getTransaction(transaction_id: string, signal?: AbortSignal): Promise<Transaction>
  /** Every transaction that the filters let through, the newest first, from page to page. @throws {AttestorError} */
  listTransactions(filters?: Omit<Filters, 'cursor'>): AsyncGenerator<ListedTransaction, void, undefined>
  /**
   * Resolves when the transaction is FINISHED, FAILED or EXPIRED. A webhook reports that sooner, and with fewer calls.
   * @throws {StillOpenError} at its time-out @throws {AttestorError}
   */
  waitForEnd(transaction_id: string, options?: WaitOptions): Promise<Transaction>
}

/** A transaction that did not end while it was waited for. */
export class StillOpenError extends Error {
  override readonly name = 'StillOpenError'
  /** The transaction as it was read last. */
  readonly transaction: Transaction

  constructor(transaction: Transaction) {
    super(`transaction ${transaction.id} is still ${transaction.status}`)
    this.transaction = transaction
  }
}

const ends: readonly string[] = ['FINISHED', 'FAILED', 'EXPIRED']
const firstPollMs = 2000
const maxPollMs = 15_000
const maxWaitMs = 120_000

/** The answer of `api` to a call. */
type Answer<T> = Promise<{ data?: T; error?: unknown; response: Response }>

function readError(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'error' in error ? String(error.error) : null
}

async function unwrap<T>(answer: Answer<T>): Promise<T> {
  const { data, error, response } = await answer
  if (response.ok && data !== undefined) return data
  throw new AttestorError(readError(error) ?? `${response.url} returned ${response.status}`, {
    status: response.status,
    code: response.headers.get('X-Error-Code'),
    request_id: response.headers.get('X-Request-Id'),
  })
}

/** The signal is fetch's own argument: where only a Request has it, Node may collect it, and the call would never end. */
function withTimeout(send: Send, ms: number): Send {
  return request => send(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(ms)]) })
}

function warnOfIgnored(path: string, members: readonly string[]): void {
  console.warn(`attestor: ${path} ignored ${members.join(', ')}`)
}

function withIgnored(send: Send, onIgnored: NonNullable<ClientOptions['onIgnored']>): Send {
  return async (request, init) => {
    const response = await send(request, init)
    const ignored = response.headers.get('X-Ignored-Fields')
    if (ignored !== null) onIgnored(new URL(request.url).pathname, ignored.split(', '))
    return response
  }
}

function createSend(options: ClientOptions, baseUrl: string, clock: Clock): Send {
  const { fetch: given = fetch, random = Math.random, attempts = 4, timeoutMs = 30_000 } = options
  const { authUrl = baseUrl, clientId, clientSecret } = options
  const send = withTimeout(given, timeoutMs)
  const retries = { clock, random, attempts }
  // A token request is safe to repeat: at worst there are two tokens.
  const sendForToken = withRetries(send, { ...retries, isSafe: () => true })
  const sendCall = withIgnored(
    withRetries(send, { ...retries, isSafe: isSafeCall }),
    options.onIgnored ?? warnOfIgnored,
  )
  return withAccessToken(sendCall, sendForToken, clock, { authUrl, clientId, clientSecret })
}

/** A backend's client of Attestor. Never use it in a browser: it holds the client secret. */
export function createClient(options: ClientOptions): AttestorClient {
  const { clock = systemClock } = options
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const api = createApi<BackendPaths>({ baseUrl, fetch: createSend(options, baseUrl, clock) })
  const getTransaction: AttestorClient['getTransaction'] = async (transaction_id, signal) => {
    const read = await unwrap(
      api.GET(`${kyc}/transaction/{transaction_id}`, {
        params: { path: { transaction_id } },
        ...(signal === undefined ? {} : { signal }),
      }),
    )
    // The document's schema does not state which result belongs to which status.
    return read as Transaction
  }
  const header = (key: string) => ({ params: { header: { 'Idempotency-Key': key } } })
  return {
    api,
    createCustomer: body => unwrap(api.POST(`${kyc}/customer`, { body, ...header(crypto.randomUUID()) })),
    createTransaction: (body, idempotencyKey = crypto.randomUUID()) =>
      unwrap(api.POST(`${kyc}/transaction`, { body, ...header(idempotencyKey) })),
    getTransaction,
    async *listTransactions(filters = {}) {
      let query: Filters = filters
      for (;;) {
        const { data, next_cursor } = await unwrap(api.GET(`${kyc}/transaction`, { params: { query } }))
        yield* data
        if (next_cursor === null) return
        query = { ...filters, cursor: next_cursor }
      }
    },
    async waitForEnd(transaction_id, { signal, timeoutMs = maxWaitMs } = {}) {
      const until = clock.now() + timeoutMs
      for (let delay_ms = firstPollMs; ; delay_ms = Math.min(delay_ms * 2, maxPollMs)) {
        await clock.sleep(delay_ms, signal)
        const transaction = await getTransaction(transaction_id, signal)
        if (ends.includes(transaction.status)) return transaction
        if (clock.now() + Math.min(delay_ms * 2, maxPollMs) > until) throw new StillOpenError(transaction)
      }
    },
  }
}
