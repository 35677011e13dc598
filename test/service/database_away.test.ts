import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../calls.ts'
import { eachDialect, type TestEngine } from '../database.ts'
import { openWay, type Way } from '../way.ts'
import { kyc, tokenForm } from './client.ts'
import { getResult } from './outcomes.ts'
import { type Opened, openRig, type Rig } from './rig.ts'

/** The same engine, its eachDialect reached by a way that can be cut. */
function byWay(engine: TestEngine, ways: Way[]): TestEngine {
  return {
    ...engine,
    async fresh() {
      const { address, drop } = await engine.fresh()
      if (address.dialect !== 'mysql') throw new Error('only a server is reached by a way')
      const way = await openWay(address)
      ways.push(way)
      return { address: { ...address, host: '127.0.0.1', port: way.port }, drop }
    },
  }
}

function checkUnavailable(t: ExecutionContext, answer: Answer, what: string): void {
  t.is(answer.status, 503, `${what}: ${answer.text}`)
  t.regex(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/, what)
  t.deepEqual(Object.keys(answer.body), ['error'], what)
  t.is(answer.headers.get('x-error-code'), 'unavailable', what)
  t.notRegex(answer.text, /ECONN|at \/|mysql/i, `${what} shows nothing internal`)
}

/** Every call that needs the database says so; only the process's own life goes on. */
async function checkAway(
  t: ExecutionContext,
  rig: Rig,
  { token, customer_id, opened: { id, phone } }: { token: string; customer_id: string; opened: Opened },
): Promise<void> {
  const json = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
  const form = tokenForm(rig.account)
  checkUnavailable(t, await rig.call('GET', `${kyc}/transaction/${id}`, { token }), 'a read')
  checkUnavailable(t, await rig.call('POST', `${kyc}/transaction`, { token, json }), 'a creation')
  checkUnavailable(
    t,
    await rig.call('POST', `${kyc}/customer`, { token, json: { external_customer_id: 'x' } }),
    'a customer',
  )
  checkUnavailable(t, await phone.upload('selfie'), 'an upload')
  checkUnavailable(t, await phone.complete(), 'a completion')
  checkUnavailable(t, await rig.call('POST', '/oauth2/token', { form }), 'a token')
  checkUnavailable(t, await rig.call('GET', '/readyz'), 'readiness')
  t.is((await rig.call('GET', '/healthz')).status, 200, 'the process lives')
}

async function recover(rig: Rig): Promise<void> {
  return rig.until(async () => (await rig.call('GET', '/readyz')).status === 200)
}

const server = eachDialect.find(({ name }) => name === 'MariaDB')

const serverTest = server === undefined ? test.skip : test

serverTest(
  'On MariaDB calls answer 503 while the server is away, and what was acknowledged is there when it is back',
  async t => {
    if (server === undefined) return t.fail()
    const ways: Way[] = []
    const rig = await openRig(byWay(server, ways))
    const [way] = ways
    if (way === undefined) throw new Error('no way was opened')
    t.teardown(async () => {
      await rig.close()
      await way.close()
    })
    const token = await rig.token()
    const customer_id = await rig.customer()
    const opened = await rig.open({}, { customer_id })
    const { id, phone } = opened
    await phone.start()
    t.is((await phone.upload('document/front')).status, 200)
    await rig.idle()

    await way.cut()
    await checkAway(t, rig, { token, customer_id, opened })
    await rig.clock.advance(60_000)

    await way.repair()
    await recover(rig)
    const view = await rig.view(id)
    t.deepEqual([view.status, view.completed_at], ['INITIATED', null])
    const { body } = await phone.session()
    t.is((body.steps as { step: string; state: string }[])[0]?.state, 'captured')
    t.is(body.next_step, 'selfie', 'the upload that was refused is not there')
    await phone.upload('selfie')
    await phone.liveness()
    t.is((await phone.complete()).status, 202)
    for (const _ of [1, 2]) await rig.advance(60_000)
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
    t.deepEqual(
      rig.hook.received.map(({ body }) => body.status),
      ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'],
    )
  },
)
