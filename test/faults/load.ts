import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../src/base/ids.ts'
import { type Answer, callTo, kyc, phoneOf, scope } from '../service/client.ts'

/** What a client was promised about one transaction. */
export interface Carried {
  readonly id: string
  /** Types of the events that were acknowledged. */
  readonly events: string[]
  /** The status that it must end with. */
  readonly ends: 'FINISHED' | 'FAILED' | 'EXPIRED'
}

/** The client's own record. */
export interface LoadRecord {
  readonly carried: Carried[]
  /** When writes were acknowledged, by a clock that nobody sets. */
  readonly acknowledged: number[]
  readonly refusals: Map<string, number>
}

export interface LoadOptions {
  readonly nodes: readonly { readonly url: string }[]
  readonly hook: string
  readonly account: { client_id: string; client_secret: string }
  readonly random: () => number
  readonly signal: AbortSignal
}

/** A client leaves a node that does not answer, and asks another. */
const patienceMs = 8_000

const createClient = ({ nodes, account, random, signal }: LoadOptions, record: LoadRecord) => {
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
  const post = async (what: string, json: object) => {
    const headers = { 'Idempotency-Key': newId() }
    return (await persist(() => call('POST', `${kyc}/${what}`, { token, json, headers })))?.body ?? null
  }
  return { call, persist, post }
}

type Client = ReturnType<typeof createClient>

/** A retried call may find its own event: what counts is that the status is as it should be. */
const isTaken = (answer: Answer | null): boolean => answer !== null && (answer.status < 300 || answer.status === 409)

/** Goes on from what the session says, as the SDK does, until nothing more is asked of it. */
const capture = async ({ call, persist }: Client, token: string, events: string[]): Promise<void> => {
  const phone = phoneOf(call, token)
  for (;;) {
    const session = await persist(phone.session)
    if (session === null || session.body.status !== 'INITIATED') return
    const step = session.body.next_step
    if (step === 'selfie') {
      if ((await persist(() => phone.upload('selfie')))?.status === 200) events.push('SELFIE_CAPTURED')
    } else if (step === 'liveness') await phone.liveness().catch(() => null)
    else if ((await persist(phone.complete))?.status === 202) events.push('COMPLETE')
  }
}

const carry = async (client: Client, { hook, random }: LoadOptions, record: LoadRecord): Promise<void> => {
  const customer = await client.post('customer', { external_customer_id: newId() })
  const chance = random()
  const ends = chance < 0.25 ? 'EXPIRED' : chance < 0.4 ? 'FINISHED' : 'FAILED'
  const ttl = ends === 'EXPIRED' ? 1 : 60
  const config = { webhook: { url: hook }, transaction_ttl_minutes: ttl }
  const call = { customer_id: customer?.customer_id, transaction_type: 'BIOMETRIC_ONLY', config }
  const opened = customer && (await client.post('transaction', call))
  if (typeof opened?.transaction_id !== 'string') return
  const carried: Carried = { id: opened.transaction_id, events: [], ends }
  record.carried.push(carried)
  const phone = phoneOf(client.call, String(opened.sdk_token))
  if (isTaken(await client.persist(() => phone.start()))) carried.events.push('START')
  if (ends === 'FINISHED') await capture(client, String(opened.sdk_token), carried.events)
  if (ends === 'FAILED' && isTaken(await client.persist(() => phone.cancel()))) carried.events.push('CANCEL')
}

/** Clients side by side, each with one transaction at a time, until the signal. */
export const runLoad = async (options: LoadOptions, clients: number, record: LoadRecord): Promise<void> => {
  const one = async (): Promise<void> => {
    const client = createClient(options, record)
    while (!options.signal.aborted) {
      await carry(client, options, record)
      await pause(options.random() * 200)
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
}
