import type { Decision } from '@attestor/rules'
import type { Store } from 'durable-xstate-sql'
import type { FlattenedJWSInput, JSONWebKeySet } from 'jose'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { exportAudit } from '../../../src/identity/operators/audit_export.ts'
import { verifyEvidence } from '../../../src/verification/evidence/verify.ts'
import { type Answer, callTo } from '../../../test/calls.ts'
import { digestOf, kyc, scope } from '../../../test/service/client.ts'
import type { Carried, ClientOptions } from './client.ts'

/** Asks once: nothing disturbs the service any more. */
type Read = (path: string, method?: 'GET' | 'POST') => Promise<Answer>

async function openReader(url: string, account: ClientOptions['account']): Promise<Read> {
  const call = callTo(() => url)
  const form = { grant_type: 'client_credentials', ...account, scope }
  const token = String((await call('POST', '/oauth2/token', { form })).body.access_token)
  return async (path, method = 'GET') => {
    const answer = await call(method, path, { token })
    if (answer.status < 300) return answer
    throw new Error(`${path} was answered ${answer.status}: ${answer.text}`)
  }
}

async function readImages(read: Read, path: string): Promise<readonly string[]> {
  const { data } = (await read(`${path}/captures`)).body as { data: readonly { readonly id: string }[] }
  const digests: string[] = []
  for (const { id } of data) {
    const { url } = (await read(`${path}/captures/${id}/link`, 'POST')).body
    const image = await fetch(String(url))
    if (image.status !== 200) throw new Error(`the image ${id} was answered ${image.status}`)
    digests.push(digestOf(new Uint8Array(await image.arrayBuffer())))
  }
  return digests
}

/**
 * Compares the images. If the client was cut off, a challenge whose answer was lost may have ended the one before, with
 * its frames.
 */
function checkImages({ images, isCutOff }: Carried, digests: readonly string[]): string[] {
  const lost = isCutOff ? [] : [...images.kept].filter(([, digest]) => !digests.includes(digest))
  return [
    ...lost.map(([what]) => `${what} was acknowledged and is missing, or has other bytes`),
    ...digests.filter(digest => !images.sent.has(digest)).map(digest => `the image ${digest} was never sent`),
  ]
}

const decisions: Partial<Record<TransactionStatus, Decision>> = { FINISHED: 'APPROVED', FAILED: 'UNDETERMINED' }

async function checkOne(read: Read, keys: JSONWebKeySet, carried: Carried): Promise<string[]> {
  const path = `${kyc}/transaction/${carried.id}`
  const signed = JSON.parse((await read(`${path}/evidence`)).text) as FlattenedJWSInput
  const { status, trace } = await verifyEvidence(signed, keys)
  const { body } = await read(path)
  const result = body.result_data as { decision?: string } | null
  const decision = decisions[status]
  return [
    ...(body.status === status ? [] : [`its evidence says ${status}, and it is ${body.status}`]),
    ...(result?.decision === decision ? [] : [`it is ${status}, and its decision is ${result?.decision}`]),
    ...(status !== 'FINISHED' || trace === 'pinned' ? [] : ['its trace is missing']),
    ...(carried.images.sent.size === 0 ? [] : checkImages(carried, await readImages(read, path))),
  ]
}

/**
 * Lets the service open everything that the client knows: signatures and hash chains of the evidence, results, images.
 * Returns the things that can't be opened, or differ from those that were sent.
 */
export async function readBack(
  url: string,
  account: ClientOptions['account'],
  carried: readonly Carried[],
): Promise<readonly string[]> {
  const read = await openReader(url, account)
  const keys = (await read('/.well-known/evidence-jwks.json')).body as unknown as JSONWebKeySet
  const faults: string[] = []
  const waiting = carried.values()
  const one = async (): Promise<void> => {
    for (const next of waiting) {
      const found = await checkOne(read, keys, next).catch(error => [String(error)])
      faults.push(...found.map(fault => `${next.id}: ${fault}`))
    }
  }
  await Promise.all([one(), one(), one(), one()])
  return faults
}

/** Whether the audit log is whole, by its own chain of hashes. */
export async function checkAudit(store: Store): Promise<readonly string[]> {
  try {
    for await (const _ of exportAudit(store));
    return []
  } catch (error) {
    return [String(error)]
  }
}
