import test from 'ava'
import { run } from 'durable-xstate-sql'
import { createInconclusiveFindings, createOtherPersonFindings } from '../../packages/vision/test/face_findings.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { readFailure } from '../../src/verification/transactions/failure.ts'
import { eachDialect, forOneDialect } from '../database.ts'
import { checkFailed, getResult, listCodes, listNotified, transactionFields, verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

const minute = 60_000
const allNotified = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED']

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test.serial)
  let rig: Rig
  const on = `On ${engine.name}: `
  const iso = (): string => new Date(rig.clock.now()).toISOString()

  test.serial.before(async () => {
    rig = await openRig(engine)
  })
  test.serial.after.always(() => rig.close())
  test.serial.afterEach.always(() => rig.script(createApprovedFindings))

  testOnce(`${on}each stage has its own time, and is notified once, in order`, async t => {
    const created_at = iso()
    const { id, phone } = await rig.open({ transaction_ttl_minutes: 30 })
    await rig.advance(minute)
    const initiated_at = iso()
    await phone.start()
    await rig.idle()
    const begun = await rig.view(id)
    t.deepEqual([begun.status, begun.initiated_at, begun.completed_at], ['INITIATED', initiated_at, null])
    t.deepEqual(listNotified(rig, id), ['INITIATED'])
    await rig.advance(minute)
    await phone.capture()
    const done = Promise.withResolvers<void>()
    rig.script(async request => {
      await done.promise
      return createApprovedFindings(request)
    })
    const completed_at = iso()
    t.deepEqual((await phone.complete()).body, { submitted: true })
    await rig.until(async () => (await rig.view(id)).status === 'PROCESSING')
    const under_way = await rig.view(id)
    t.deepEqual([under_way.completed_at, under_way.processing_at], [completed_at, completed_at])
    t.deepEqual([under_way.finished_at, under_way.result_data], [null, null])
    await rig.advanceBusy(10_000)
    const finished_at = iso()
    done.resolve()
    await rig.idle()
    const view = await rig.view(id)
    t.deepEqual(Object.keys(view).sort(), transactionFields)
    const { created_at: c, initiated_at: i, completed_at: o, finished_at: f } = view
    t.deepEqual([view.status, c, i, o, f], ['FINISHED', created_at, initiated_at, completed_at, finished_at])
    const result = getResult(view)
    const sections = ['decision', 'document', 'face_comparison', 'issues', 'liveness', 'metadata']
    t.deepEqual(Object.keys(result).sort(), sections)
    t.is(result.decision, 'APPROVED')
    t.deepEqual(
      [result.document?.status, result.liveness?.status, result.face_comparison?.status],
      ['PASSED', 'PASSED', 'PASSED'],
    )
    t.true(result.issues.every(({ type }) => type === 'WARN'))
    t.deepEqual(listNotified(rig, id), allNotified)
    t.deepEqual((await phone.result()).body, { status: 'FINISHED', outcome: 'APPROVED', waiting_for: null, advice: [] })
  })

  test.serial(
    `${on}another person is REJECTED, an unclear face UNDETERMINED: both are results, not errors`,
    async t => {
      rig.script(createOtherPersonFindings)
      const rejected = await verify(rig)
      const no = await rig.view(rejected.id)
      t.deepEqual([no.status, getResult(no).decision], ['FINISHED', 'REJECTED'])
      t.deepEqual([getResult(no).issues[0]?.type, getResult(no).issues[0]?.code], ['REJECT', 'FACE_MISMATCH'])
      t.is(getResult(no).face_comparison?.status, 'REJECTED')
      t.deepEqual((await rejected.phone.result()).body, {
        status: 'FINISHED',
        outcome: 'REJECTED',
        waiting_for: null,
        advice: [],
      })
      rig.script(createInconclusiveFindings)
      const unclear = await rig.view((await verify(rig)).id)
      t.deepEqual([unclear.status, getResult(unclear).decision], ['FINISHED', 'UNDETERMINED'])
      t.true(listCodes(unclear).includes('FACE_MATCH_INCONCLUSIVE'))
    },
  )

  testOnce(`${on}a damaged capture ends as CAPTURE_UNREADABLE without another attempt`, async t => {
    const sql = "UPDATE captures SET content = X'00112233445566778899' WHERE transaction_id = ? AND kind = 'selfie'"
    const opened = await rig.open()
    await opened.phone.capture()
    await rig.node().service.store.commit(() => run({ sql, values: [opened.id] }))
    await opened.phone.complete()
    await rig.idle()
    await checkFailed(t, rig, opened, 'CAPTURE_UNREADABLE')
    const unread = await readFailure(rig.node().service.transactions, opened.id)
    t.like(unread?.attempts, [{ attempt: 1, code: 'CAPTURE_UNREADABLE', engine: null, stage: 'captures' }])
  })
}
