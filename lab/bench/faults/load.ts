import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../src/base/ids.ts'
import type { Answer } from '../../../test/calls.ts'
import { anotherTake, digestOf, type Phone, phoneOf, picture } from '../../../test/service/client.ts'
import { type Carried, type Client, type ClientOptions, createClient, type LoadRecord } from './client.ts'

export interface LoadOptions extends ClientOptions {
  readonly hook: string
}

/** A device in the middle of its transaction. */
interface Device {
  readonly phone: Phone
  readonly persist: Client['persist']
  readonly carried: Carried
}

/** A retried call may find its own event: only the right status counts. */
function isTaken(answer: Answer | null): boolean {
  return answer !== null && (answer.status < 300 || answer.status === 409)
}

const photo = picture(7)

/** The same bytes as often as they must be sent: a new image would be another take. */
async function upload({ phone, persist, carried }: Device, path: string, event: string): Promise<boolean> {
  const image = anotherTake(await photo)
  carried.images.sent.add(digestOf(image))
  if ((await persist(() => phone.upload(path, image)))?.status !== 200) return false
  carried.events.push(event)
  carried.images.kept.set(path, digestOf(image))
  return true
}

/** A challenge and its frames; an earlier one is void with its frames. */
async function answerChallenge(device: Device): Promise<void> {
  const { phone, persist, carried } = device
  const challenge = await persist(phone.challenge)
  if (challenge?.status !== 201) return
  carried.events.push('CHALLENGE_ISSUED')
  for (const path of carried.images.kept.keys()) if (path.startsWith('liveness/')) carried.images.kept.delete(path)
  for (const n of (challenge.body.actions as unknown[]).keys())
    if (!(await upload(device, `liveness/${challenge.body.challenge_id}/${n}`, 'FRAME_CAPTURED'))) return
}

async function start({ phone, persist, carried }: Device): Promise<void> {
  if (isTaken(await persist(() => phone.start()))) carried.events.push('START')
}

/** Goes on as the session asks, like the SDK, until nothing more is asked. */
async function capture(device: Device): Promise<void> {
  const { phone, persist, carried } = device
  for (;;) {
    const session = await persist(phone.session)
    if (session === null || !['CREATED', 'INITIATED'].includes(String(session.body.status))) return
    const step = session.body.next_step
    if (session.body.status === 'CREATED') await start(device)
    else if (step === 'document_front') await upload(device, 'document/front', 'FRONT_CAPTURED')
    else if (step === 'selfie') await upload(device, 'selfie', 'SELFIE_CAPTURED')
    else if (step === 'liveness') await answerChallenge(device)
    else if ((await persist(phone.complete))?.status === 202) carried.events.push('COMPLETE')
  }
}

/** One transaction, to the end that chance chooses for it. */
export async function carry(client: Client, { hook, random, signal }: LoadOptions, record: LoadRecord): Promise<void> {
  const customer = await client.post('customer', { external_customer_id: newId() })
  const chance = random()
  const ends = chance < 0.25 ? 'EXPIRED' : chance < 0.4 ? 'FINISHED' : 'FAILED'
  const ttl = ends === 'EXPIRED' ? 1 : 60
  const transaction_type = chance < 0.33 ? 'DOCUMENT_AND_BIOMETRIC' : 'BIOMETRIC_ONLY'
  const config = { webhook: { url: hook }, transaction_ttl_minutes: ttl }
  const opened =
    customer && (await client.post('transaction', { customer_id: customer.customer_id, transaction_type, config }))
  if (typeof opened?.transaction_id !== 'string') return
  const images = { sent: new Set<string>(), kept: new Map<string, string>() }
  const carried: Carried = { id: opened.transaction_id, events: [], images, ends, isCutOff: true }
  record.carried.push(carried)
  const device = { phone: phoneOf(client.call, String(opened.sdk_token)), persist: client.persist, carried }
  if (ends === 'FINISHED') await capture(device)
  else await start(device)
  if (ends === 'FAILED' && isTaken(await client.persist(() => device.phone.cancel()))) carried.events.push('CANCEL')
  carried.isCutOff = signal.aborted
}

/** Clients side by side, each with one transaction at a time, until the signal. */
export async function runLoad(options: LoadOptions, clients: number, record: LoadRecord): Promise<void> {
  const one = async (): Promise<void> => {
    const client = createClient(options, record)
    while (!options.signal.aborted) {
      await carry(client, options, record)
      await pause(options.random() * 200)
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
}
