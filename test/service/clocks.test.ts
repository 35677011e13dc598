import test, { type ExecutionContext } from 'ava'
import type { FlattenedJWSInput, JSONWebKeySet } from 'jose'
import { revokeClient } from '../../src/identity/accounts/accounts.ts'
import { verifyEvidence } from '../../src/verification/evidence/verify.ts'
import { oneDialect } from '../database.ts'
import { kyc } from './client.ts'
import { openTestRig, type Rig } from './rig.ts'

const hourMs = 3600_000
const stages = ['created_at', 'initiated_at', 'completed_at', 'processing_at', 'finished_at'] as const

/** No instant before the one ahead of it. */
function checkOrder(t: ExecutionContext, instants: readonly unknown[], what: string): void {
  t.deepEqual(instants, [...instants].map(String).sort(), what)
}

async function checkFinished(t: ExecutionContext, rig: Rig, id: string): Promise<void> {
  const token = await rig.token()
  const view = await rig.view(id)
  t.is(view.status, 'FINISHED')
  checkOrder(
    t,
    stages.map(stage => view[stage]),
    'the stages',
  )
  const { data } = (await rig.call('GET', `${kyc}/transaction/${id}/events?limit=100`, { token })).body
  const events = data as readonly { occurred_at: string }[]
  t.true(events.length > 5)
  checkOrder(
    t,
    events.map(({ occurred_at }) => occurred_at),
    'the journal',
  )
  const signed = (await rig.call('GET', `${kyc}/transaction/${id}/evidence`, { token })).text
  const keys = { keys: rig.node().service.evidenceKeys.public_keys } as JSONWebKeySet
  await t.notThrowsAsync(verifyEvidence(JSON.parse(signed) as FlattenedJWSInput, keys))
  const received = rig.hook.received.filter(({ body }) => body.transaction_id === id)
  t.deepEqual(
    received.map(({ body, refused }) => [body.status, refused]),
    ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'].map(status => [status, null]),
    'each once, and signed',
  )
  checkOrder(
    t,
    received.map(({ body }) => body.occurred_at),
    'the webhooks',
  )
}

for (const engine of oneDialect) {
  test(`On ${engine.name} a clock that is set back or forward under a transaction changes neither its course nor its order`, async t => {
    const rig = await openTestRig(t, engine)
    const { id, phone } = await rig.open()
    await phone.start()
    await rig.idle()
    // The clock is now before the transaction, before the account, and before the key that signs.
    rig.clock.set(-2 * hourMs)
    await phone.capture()
    t.is((await phone.complete()).status, 202)
    await rig.advance(60_000)
    await checkFinished(t, rig, id)

    const other = await rig.open()
    await other.phone.start()
    await rig.idle()
    rig.clock.set(hourMs / 2)
    await other.phone.capture()
    rig.clock.set(-hourMs)
    t.is((await other.phone.complete()).status, 202)
    await rig.advance(60_000)
    await checkFinished(t, rig, other.id)
  })

  test(`On ${engine.name} a clock that is set back lets a revoked client in no longer, and a long poll last no longer`, async t => {
    const rig = await openTestRig(t, engine)
    const { id, phone } = await rig.open()
    await phone.start()
    const token = await rig.token()
    const read = async (): Promise<number> => (await rig.call('GET', `${kyc}/transaction/${id}`, { token })).status
    t.is(await read(), 200)
    await revokeClient(rig.node().service, rig.account.client_id)
    const asked = rig.waiting(1000)
    const poll = phone.result('20')
    await asked
    rig.clock.set(-2 * hourMs)
    for (let second = 0; second < 20; second++) {
      await rig.advance(1000)
      await rig.call('GET', '/healthz')
    }
    t.is((await poll).body.status, 'INITIATED')
    await rig.advance(40_000)
    t.is(await read(), 401)
  })
}
