import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../src/base/ids.ts'
import { type Answer, type Call, callTo } from '../../../test/calls.ts'
import { kyc, scope } from '../../../test/service/client.ts'

/** The promises that a client got about one transaction. */
export interface Carried {
  readonly id: string
  /** Types of the events that were acknowledged. */
  readonly events: string[]
  /** SHA-256 of every image that was sent, and of those that were acknowledged and that no other has replaced since. */
  readonly images: { readonly sent: Set<string>; readonly kept: Map<string, string> }
  /** The status that it must end with. */
  readonly ends: 'FINISHED' | 'FAILED' | 'EXPIRED'
  /** The load ended before this transaction was brought to its end. */
  isCutOff: boolean
}

/** The client's own record. */
export interface LoadRecord {
  readonly carried: Carried[]
  /** Times at which writes were acknowledged, by a clock that nobody sets. */
  readonly acknowledged: number[]
  readonly refusals: Map<string, number>
}

export function newRecord(): LoadRecord {
  return { carried: [], acknowledged: [], refusals: new Map() }
}

export interface ClientOptions {
  readonly nodes: readonly { readonly url: string }[]
  readonly account: { readonly client_id: string; readonly client_secret: string }
  readonly random: () => number
  readonly signal: AbortSignal
}

/** An integrator, and the device of each of its transactions. */
export interface Client {
  readonly call: Call
  /** Asks until a node answers something other than 5xx; null once the signal was given. */
  persist(ask: () => Promise<Answer>): Promise<Answer | null>
  /** Returns the body of the answer. */
  post(what: string, json: object): Promise<Answer['body'] | null>
}

/** A client leaves a node that does not answer, and asks another. */
const patienceMs = 8_000

export function createClient(options: ClientOptions, record: LoadRecord): Client {
  const { nodes, account, random, signal } = options
  let base = nodes[0]?.url ?? ''
  let token = ''
  const call = callTo(() => base)
  const persist = async (ask: () => Promise<Answer>): Promise<Answer | null> => {
    while (!signal.aborted) {
      base = nodes[Math.floor(random() * nodes.length)]?.url ?? base
      const late = new AbortController()
      const waited = pause(patienceMs, null, { signal: late.signal }).catch(() => null)
      const answer = await Promise.race([ask().catch(() => null), waited])
      late.abort()
      if (answer !== null && answer.status < 500 && answer.status !== 401) {
        record.acknowledged.push(performance.now())
        return answer
      }
      const word = answer === null ? 'no answer' : String(answer.status)
      record.refusals.set(word, (record.refusals.get(word) ?? 0) + 1)
      if (answer?.status === 401) await authenticate()
      await pause(100)
    }
    return null
  }
  const authenticate = async (): Promise<void> => {
    const form = { grant_type: 'client_credentials', ...account, scope }
    const answer = await call('POST', '/oauth2/token', { form }).catch(() => null)
    if (answer?.status === 200) token = String(answer.body.access_token)
  }
  return {
    call,
    persist,
    async post(what, json) {
      if (token === '') await authenticate()
      const headers = { 'Idempotency-Key': newId() }
      return (await persist(() => call('POST', `${kyc}/${what}`, { token, json, headers })))?.body ?? null
    },
  }
}
