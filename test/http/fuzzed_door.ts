import { createAccount } from '../../src/identity/accounts/accounts.ts'
import type { TestEngine } from '../database.ts'
import { openTransaction, registerCustomer, requestToken, sdk } from '../service/client.ts'
import { smallPhoto } from '../small_photo.ts'
import { type Door, openDoor } from './door.ts'
import type { ApiDocument, FuzzedCall, Known } from './fuzz.ts'

/** The document as the service serves it. */
export async function documentOf(door: Door): Promise<ApiDocument> {
  return (await door.call('GET', '/openapi.json')).body as unknown as ApiDocument
}

/** A front door with things behind it for calls to find: of two accounts, one of them for tests, in several states. */
export async function fuzzedDoor(engine: TestEngine) {
  const draining = AbortSignal.abort()
  const door = await openDoor(engine, { draining })
  const { client_id, client_secret } = await createAccount(door.service, { name: 'Tests', mode: 'test' })
  const tests = await requestToken(door.call, { client_id, client_secret })
  const ids: string[] = []
  const sdkTokens: string[] = []
  for (const [index, token] of [door.token, tests, tests].entries()) {
    const customer_id = await registerCustomer(door.call, token, { external_customer_id: `person ${index}` })
    ids.push(customer_id)
    for (const transaction_type of ['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY']) {
      const decision = transaction_type === 'BIOMETRIC_ONLY' ? 'UNDETERMINED' : 'APPROVED'
      const config = token === tests ? { test: { decision } } : {}
      const opened = await openTransaction(door.call, token, { customer_id, transaction_type, config })
      ids.push(opened.transaction_id)
      sdkTokens.push(opened.sdk_token)
      if (index !== 1) await door.call('POST', `${sdk}/start`, { token: opened.sdk_token, json: {} })
    }
  }
  const known: Known = {
    ids,
    tokens: { access_token: [door.token, tests], sdk_token: sdkTokens },
    image: await smallPhoto(),
  }
  const send = async ({ method, path, headers, body }: FuzzedCall) => {
    const answer = await fetch(`${door.url}${path}`, {
      method,
      headers: { ...headers },
      redirect: 'manual',
      // Real time: a call that hangs must fail here.
      signal: AbortSignal.timeout(120_000),
      ...(body === null ? {} : { body: body as string }),
    })
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() }
  }
  return { door, document: await documentOf(door), known, send }
}
