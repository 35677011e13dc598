import test from 'ava'
import { approvedEvidence } from '../../src/analysis/scripted.ts'
import { databases } from '../database.ts'
import { kyc } from './client.ts'
import { checkFailed, told, verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

const cancel = async (rig: Rig, id: string) =>
  rig.call('POST', `${kyc}/transaction/${id}/cancel`, { token: await rig.token() })

for (const engine of databases) {
  const on = `On ${engine.name}: `

  test(`${on}an integrator cancels while it is analysed: told, called off, and no result comes after`, async t => {
    const rig = await openRig(engine)
    t.teardown(rig.close)
    const entered = Promise.withResolvers<void>()
    const verdict = Promise.withResolvers<void>()
    rig.script(async request => {
      entered.resolve()
      await verdict.promise
      return approvedEvidence(request)
    })
    const opened = await rig.open()
    await opened.phone.capture()
    await opened.phone.complete()
    await entered.promise
    t.is((await rig.view(opened.id)).status, 'PROCESSING')
    t.is((await opened.phone.cancel()).status, 409, 'what was handed in is judged, says the person what they like')
    t.is((await cancel(rig, opened.id)).body.status, 'FAILED')
    verdict.resolve()
    await rig.idle()
    await checkFailed(t, rig, opened, 'CANCELLED')
    t.deepEqual(told(rig, opened.id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FAILED'])
    const [row] = await rig.rows('SELECT result FROM transactions WHERE id = ?', opened.id)
    t.is(row?.result, null)
    t.deepEqual(await rig.rows('SELECT id FROM customers WHERE face IS NOT NULL'), [])
    t.true(rig.lines.some(({ job, message }) => job === 'analysis' && message === 'a job was given back'))
    t.is((await cancel(rig, opened.id)).status, 200, 'again is the same')
  })

  test(`${on}what has ended otherwise can't be cancelled`, async t => {
    const rig = await openRig(engine)
    t.teardown(rig.close)
    const { id } = await verify(rig)
    const answer = await cancel(rig, id)
    t.deepEqual([answer.status, answer.headers.get('x-error-code')], [409, 'not_allowed_in_state'])
    const idle = await rig.open()
    await rig.turn(61 * 60_000)
    t.is((await cancel(rig, idle.id)).status, 409)
    t.deepEqual([(await rig.view(id)).status, (await rig.view(idle.id)).status], ['FINISHED', 'EXPIRED'])
  })
}
