import type { EngineFindings } from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import test, { type ExecutionContext } from 'ava'
import { createIdleFindings, createOtherPersonFindings } from '../../packages/vision/test/face_findings.ts'
import { approvedDocument, createApprovedFindings } from '../../src/engines/scripted.ts'
import { switchAccount } from '../../src/identity/accounts/accounts.ts'
import { oneDialect, type TestEngine } from '../database.ts'
import { picture } from './client.ts'
import { getResult, listCodes, listNotified } from './outcomes.ts'
import { openTestRig, type Rig } from './rig.ts'

const minute = 60_000

/** A rig whose account lets people take captures again that could not be judged. */
async function openForgiving(t: ExecutionContext, engine: TestEngine): Promise<Rig> {
  const rig = await openTestRig(t, engine)
  await switchAccount(rig.node().service, rig.account.account_id, 'resubmission', true)
  return rig
}

function createUnreadFindings(request: AnalysisRequest): EngineFindings {
  return { ...createApprovedFindings(request), document: { ...approvedDocument, reading: 'NOT_READABLE', mrz: null } }
}

/** Submits everything, and waits for the first analysis. */
async function submit(rig: Rig, config: object = {}) {
  const opened = await rig.open(config)
  await opened.phone.capture()
  await opened.phone.complete()
  await rig.idle()
  return opened
}

function missing(session: Readonly<Record<string, unknown>>): unknown {
  const steps = session.steps as readonly { step: string; state: string; required: boolean }[]
  return steps.filter(({ state, required }) => required && state === 'missing').map(({ step }) => step)
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}a person who did not follow the movements takes them again within PROCESSING, and is approved`, async t => {
    const rig = await openForgiving(t, engine)
    const requests: AnalysisRequest[] = []
    rig.script(createIdleFindings)
    const { id, phone } = await submit(rig)
    t.like(await rig.view(id), { status: 'PROCESSING', result_data: null })
    t.deepEqual((await phone.result('30')).body, {
      status: 'PROCESSING',
      outcome: null,
      waiting_for: 'resubmission',
      advice: [],
    })
    const { body } = await phone.session()
    t.like(body, { status: 'PROCESSING', waiting_for: 'resubmission', next_step: 'liveness', may_capture: true })
    t.deepEqual(missing(body), ['liveness'])
    const early = await phone.complete()
    t.is(early.status, 409)
    t.regex(early.text, /liveness missing/)
    rig.script(request => {
      requests.push(request)
      return createApprovedFindings(request)
    })
    const before = await rig.rows('SELECT id FROM captures WHERE transaction_id = ? AND kind = ?', id, 'liveness')
    await phone.liveness()
    const after = await rig.rows('SELECT id FROM captures WHERE transaction_id = ? AND kind = ?', id, 'liveness')
    t.is(after.length, before.length)
    t.false(
      after.some(row => before.some(old => old.id === row.id)),
      'the frames that were not followed are deleted',
    )
    t.is((await phone.complete()).status, 202)
    await rig.idle()
    const view = await rig.view(id)
    t.is(view.status, 'FINISHED')
    t.is(getResult(view).decision, 'APPROVED')
    t.is(requests.length, 1)
    t.deepEqual(listNotified(rig, id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
    t.is((await phone.challenge()).status, 409)
  })

  test(`${on}a second failure is final`, async t => {
    const rig = await openForgiving(t, engine)
    rig.script(createIdleFindings)
    const { id, phone } = await submit(rig)
    await phone.liveness()
    await phone.complete()
    await rig.idle()
    const view = await rig.view(id)
    t.is(view.status, 'FINISHED')
    t.is(getResult(view).decision, 'REJECTED')
    t.true(listCodes(view).includes('LIVENESS_CHALLENGE_FAILED'))
  })

  test(`${on}the answered challenge is judged at the end of the lifetime, not one that was begun after it`, async t => {
    const rig = await openForgiving(t, engine)
    const frames: number[] = []
    rig.script(request => {
      frames.push(request.challenge?.frames.length ?? 0)
      return createIdleFindings(request)
    })
    const { id, phone } = await submit(rig, { transaction_ttl_minutes: 30 })
    const challenge = String((await phone.challenge()).body.challenge_id)
    t.is((await phone.upload(`liveness/${challenge}/0`)).status, 200)
    await rig.advance(29 * minute)
    t.is((await rig.view(id)).status, 'PROCESSING')
    await rig.advance(minute)
    const view = await rig.view(id)
    t.is(view.status, 'FINISHED')
    t.is(getResult(view).decision, 'REJECTED')
    t.is(frames.length, 2)
    t.is(frames[0], frames[1])
    t.deepEqual((await phone.result()).body, {
      status: 'FINISHED',
      outcome: 'REJECTED',
      waiting_for: null,
      advice: ['LIVENESS_CHALLENGE_FAILED'],
    })
  })

  test(`${on}a document that was not read is taken again; a person who does not want to is judged at once`, async t => {
    const rig = await openForgiving(t, engine)
    rig.script(createUnreadFindings)
    const first = await submit(rig)
    t.deepEqual(missing((await first.phone.session()).body), ['document_front'])
    rig.script(createApprovedFindings)
    t.is((await first.phone.upload('document/front', await picture(9))).status, 200)
    await first.phone.complete()
    await rig.idle()
    t.is(getResult(await rig.view(first.id)).decision, 'APPROVED')
    rig.script(createUnreadFindings)
    const second = await submit(rig)
    t.is((await second.phone.cancel()).status, 200)
    await rig.idle()
    const view = await rig.view(second.id)
    t.is(view.status, 'FINISHED')
    t.is(getResult(view).decision, 'UNDETERMINED')
  })

  test(`${on}a second chance needs the same face, time and the account's setting; a cancellation ends it`, async t => {
    const rig = await openForgiving(t, engine)
    rig.script(request => ({ ...createIdleFindings(request), face: createOtherPersonFindings(request).face }))
    t.is((await rig.view((await submit(rig)).id)).status, 'FINISHED')
    rig.script(createIdleFindings)
    const late = await rig.open({ transaction_ttl_minutes: 5 })
    await late.phone.capture()
    await rig.advance(4 * minute + 1)
    await late.phone.complete()
    await rig.idle()
    t.is((await rig.view(late.id)).status, 'FINISHED')
    const { id, phone } = await submit(rig)
    t.is((await phone.session()).body.waiting_for, 'resubmission')
    const token = await rig.token()
    const path = `/api/account/integration/kyc/transaction/${id}/cancel`
    t.is((await rig.call('POST', path, { token, json: {} })).status, 200)
    t.is((await rig.view(id)).status, 'FAILED')
    await switchAccount(rig.node().service, rig.account.account_id, 'resubmission', false)
    t.is((await rig.view((await submit(rig)).id)).status, 'FINISHED')
  })
}
