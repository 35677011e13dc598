import test from 'ava'
import type { JSONWebKeySet } from 'jose'
import { createOtherPersonFindings } from '../../packages/vision/test/face_findings.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import type { Evidence } from '../../src/verification/evidence/evidence.ts'
import { verifyEvidence } from '../../src/verification/evidence/verify.ts'
import { oneDialect } from '../database.ts'
import { kyc } from './client.ts'
import { checkFailed, listNotified, verify } from './outcomes.ts'
import { openTestRig, type Rig } from './rig.ts'

function payloadOf(signed: string): Evidence {
  const { payload } = JSON.parse(signed) as { payload: string }
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Evidence
}

async function cancel(rig: Rig, id: string) {
  return rig.call('POST', `${kyc}/transaction/${id}/cancel`, { token: await rig.token() })
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}an integrator cancels during the analysis: it is notified, the analysis is aborted, and no result follows`, async t => {
    const rig = await openTestRig(t, engine)
    const entered = Promise.withResolvers<void>()
    const verdict = Promise.withResolvers<void>()
    rig.script(async request => {
      entered.resolve()
      await verdict.promise
      return createApprovedFindings(request)
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
    t.deepEqual(listNotified(rig, opened.id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FAILED'])
    const [row] = await rig.rows('SELECT result FROM transactions WHERE id = ?', opened.id)
    t.is(row?.result, null)
    t.deepEqual(await rig.rows('SELECT id FROM customers WHERE face IS NOT NULL'), [])
    t.true(rig.lines.some(({ job, message }) => job === 'analysis' && message === 'a job was released'))
    t.is((await cancel(rig, opened.id)).status, 200, 'again is the same')
  })

  test(`${on}the evidence of a decision names the rules and scores that made it, and stands by them`, async t => {
    const rig = await openTestRig(t, engine)
    rig.script(createOtherPersonFindings)
    const { id } = await verify(rig)
    const path = `${kyc}/transaction/${id}/evidence`
    const signed = (await rig.call('GET', path, { token: await rig.token() })).text
    const keys = (await rig.call('GET', '/.well-known/evidence-jwks.json')).body as unknown as JSONWebKeySet
    t.like(await verifyEvidence(JSON.parse(signed), keys), { status: 'FINISHED', trace: 'pinned' })
    const evidenceItself = JSON.parse(signed) as JSONWebKeySet
    const noKeys = { name: 'InvalidEvidenceError', message: 'jwks: is not a key set' }
    await t.throwsAsync(verifyEvidence(JSON.parse(signed), evidenceItself), noKeys)
    const { trace, journal } = payloadOf(signed)
    t.is(trace?.decision, 'REJECTED')
    t.true(
      trace?.issues.some(
        ({ code, score, threshold }) => code === 'FACE_MISMATCH' && score !== null && threshold !== null,
      ),
    )
    t.deepEqual(
      journal.slice(-3).map(({ event, sent_by }) => [event, sent_by]),
      [
        ['COMPLETE', 'device'],
        ['ADMISSION_DONE', 'job'],
        ['ANALYSIS_DONE', 'job'],
      ],
    )
    const { evidenceKeys } = rig.node().service
    const other = { ...payloadOf(signed), trace: { ...trace, decision: 'APPROVED' } }
    const message = /trace: is not the one/
    await t.throwsAsync(verifyEvidence(await evidenceKeys.sign(other), keys), { name: 'InvalidEvidenceError', message })
    const without = await evidenceKeys.sign({ ...other, trace: null })
    await t.throwsAsync(verifyEvidence(without, keys), { name: 'InvalidEvidenceError', message: /trace: is missing/ })
    await rig.call('DELETE', `${kyc}/transaction/${id}`, { token: await rig.token() })
    const after = (await rig.call('GET', path, { token: await rig.token() })).text
    t.is(payloadOf(after).trace, null)
    t.is((await verifyEvidence(JSON.parse(after), keys)).trace, 'absent')
  })
}
