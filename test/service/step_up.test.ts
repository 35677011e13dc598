import test from 'ava'
import { createOtherPersonFindings } from '../../packages/vision/test/face_findings.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import { getResult, listCodes, verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

for (const engine of oneDialect) {
  let rig: Rig
  const on = `On ${engine.name}: `

  test.serial.before(async () => {
    rig = await openRig(engine)
  })
  test.serial.after.always(() => rig.close())
  test.serial.afterEach.always(() => rig.script(createApprovedFindings))

  test.serial(`${on}a step-up compares with the enrolled face, and is never approved without one`, async t => {
    const customer_id = await rig.customer()
    const stepUp = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    const seen: unknown[] = []
    rig.script(request => {
      seen.push(request.enrolled_face)
      const evidence = createApprovedFindings(request)
      const { face } = evidence
      const compared = request.enrolled_face !== null || request.transaction_type !== 'BIOMETRIC_ONLY'
      return compared || face === null ? evidence : { ...evidence, face: { ...face, reference: null, distance: null } }
    })
    const early = await rig.view((await verify(rig, {}, stepUp)).id)
    t.deepEqual([early.status, getResult(early).decision], ['FINISHED', 'UNDETERMINED'])
    t.true(listCodes(early).includes('FACE_NOT_ENROLLED'))
    t.is(getResult(early).face_comparison?.status, 'NOT_EXECUTED')
    t.is(getResult(early).document, undefined)

    rig.script(createOtherPersonFindings)
    await verify(rig, {}, { customer_id })
    const [unenrolled] = await rig.rows('SELECT face, face_transaction_id FROM customers WHERE id = ?', customer_id)
    t.deepEqual(unenrolled, { face: null, face_transaction_id: null }, 'a rejected onboarding enrols nobody')

    rig.script(request => {
      seen.push(request.enrolled_face)
      return createApprovedFindings(request)
    })
    const onboarding = await verify(rig, {}, { customer_id })
    const later = await rig.view((await verify(rig, {}, stepUp)).id)
    t.is(getResult(later).decision, 'APPROVED')
    t.is(getResult(later).face_comparison?.data.reference, 'ENROLLED_FACE')
    t.is(seen[0], null)
    t.deepEqual(seen.at(-1), { model: 'scripted', values: [0.6, 0.8] })
    const [row] = await rig.rows('SELECT face_transaction_id FROM customers WHERE id = ?', customer_id)
    t.is(row?.face_transaction_id, onboarding.id, 'a step-up enrols nothing')
  })
}
