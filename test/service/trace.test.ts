import { AnalysisError } from '@attestor/vision'
import test from 'ava'
import type { JSONWebKeySet } from 'jose'
import { createOtherPersonFindings } from '../../packages/vision/test/face_findings.ts'
import { DecryptionError } from '../../src/base/encryption.ts'
import { scriptedEngineName } from '../../src/engines/scripted.ts'
import { verifyEvidence } from '../../src/verification/evidence/verify.ts'
import { readFailure } from '../../src/verification/transactions/failure.ts'
import { readTrace } from '../../src/verification/transactions/trace.ts'
import { oneDialect } from '../database.ts'
import { bytes, text } from '../raw_row.ts'
import { kyc, sdk } from './client.ts'
import { checkFailed, verify } from './outcomes.ts'
import { openTestRig } from './rig.ts'

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}why a transaction was rejected is stored with its result, pinned by the journal, and not sent to the device`, async t => {
    const rig = await openTestRig(t, engine)
    const models = { net: 'f'.repeat(64) }
    rig.script(request => {
      const evidence = createOtherPersonFindings(request)
      return { ...evidence, face: evidence.face && { ...evidence.face, engine: { ...scriptedEngineName, models } } }
    })
    const { id, sdk_token } = await verify(rig)
    const { transactions } = rig.node().service
    const kept = await readTrace(transactions, id)
    t.true(kept?.pinned)
    t.deepEqual(
      kept?.trace.issues.find(issue => issue.code === 'FACE_MISMATCH'),
      {
        code: 'FACE_MISMATCH',
        type: 'REJECT',
        section: 'face',
        rule: 'comparison',
        status: 'REJECTED',
        effect: 'rejects',
        score: 0.013,
        threshold: 0.809,
        passes_when: 'at_least',
        engine: { ...scriptedEngineName, models },
      },
    )
    const stages = ['document', 'portrait', 'selfie', 'liveness', 'captures', 'duplicates', 'judgement']
    t.deepEqual(Object.keys(kept?.trace.stages ?? {}), stages)
    t.is(kept?.trace.decided_at, new Date(rig.clock.now()).toISOString())
    t.regex(String(kept?.trace.salt), /^[\w-]{43}$/)
    const [stored] = await rig.rows('SELECT trace FROM transactions WHERE id = ?', id)
    t.true(bytes(stored ?? {}, 'trace').length < JSON.stringify(kept?.trace).length / 4)
    const [journal] = await rig.rows("SELECT event FROM journal WHERE actor_id = ? AND status = 'FINISHED'", id)
    t.is(JSON.parse(text(journal ?? {}, 'event')).output.trace_sha256, kept?.sha256)
    const shown = [
      await rig.call('GET', sdk, { token: sdk_token }),
      await rig.call('GET', `${sdk}/result`, { token: sdk_token }),
    ]
    for (const { status, text: body } of shown) {
      t.is(status, 200)
      for (const secret of ['trace', 'comparison', '0.809', 'FACE_MISMATCH', models.net]) t.false(body.includes(secret))
    }
    t.false(JSON.stringify(await rig.view(id)).includes(models.net))
  })

  test(`${on}a trace that was put in the place of another's, or changed with its journal left alone, is noticed`, async t => {
    const rig = await openTestRig(t, engine)
    const { id } = await verify(rig)
    const other = await verify(rig)
    const { transactions, store } = rig.node().service
    const write = (sql: string, ...values: (string | Uint8Array)[]) =>
      store.commit(function* () {
        yield [{ sql, values }]
      })
    await write(
      'UPDATE journal SET event = REPLACE(event, \'trace_sha256":"\', \'trace_sha256":"0\') WHERE actor_id = ?',
      id,
    )
    t.false((await readTrace(transactions, id))?.pinned)
    const [row] = await rig.rows('SELECT trace FROM transactions WHERE id = ?', other.id)
    await write('UPDATE transactions SET trace = ? WHERE id = ?', bytes(row ?? {}, 'trace'), id)
    await t.throwsAsync(readTrace(transactions, id), { instanceOf: DecryptionError })
  })

  test(`${on}the failed attempts of a FAILED transaction, with engine and stage, are reported, but not to the device`, async t => {
    const rig = await openTestRig(t, engine)
    const engines = [{ name: 'a vendor', version: '7' }, null, null]
    rig.script(() => {
      throw new AnalysisError('it broke', { stage: 'barcode', engine: engines.shift() ?? null })
    })
    const opened = await verify(rig)
    const began = rig.clock.now()
    await rig.advance(5_000)
    await rig.advance(5_000)
    await checkFailed(t, rig, opened, 'ANALYSIS_ERROR')
    const { transactions, evidenceKeys } = rig.node().service
    const failure = await readFailure(transactions, opened.id)
    t.like(failure, { failure: 'ANALYSIS_ERROR', unfinished_attempt: null })
    const at = (ms: number): string => new Date(began + ms).toISOString()
    const same = { code: 'ANALYSIS_ERROR', stage: 'barcode' }
    t.deepEqual(failure?.attempts, [
      { attempt: 1, failed_at: at(0), engine: { name: 'a vendor', version: '7' }, ...same },
      { attempt: 2, failed_at: at(5_000), engine: scriptedEngineName, ...same },
      { attempt: 3, failed_at: at(10_000), engine: scriptedEngineName, ...same },
    ])
    const path = `${kyc}/transaction/${opened.id}/evidence`
    const signed = JSON.parse((await rig.call('GET', path, { token: await rig.token() })).text)
    const keys = (await rig.call('GET', '/.well-known/evidence-jwks.json')).body as unknown as JSONWebKeySet
    await verifyEvidence(signed, keys)
    const payload = JSON.parse(Buffer.from(signed.payload, 'base64url').toString())
    t.deepEqual(payload.failure, failure)
    const other = await evidenceKeys.sign({ ...payload, failure: { ...failure, failure: 'ANALYSIS_TIMEOUT' } })
    await t.throwsAsync(verifyEvidence(other, keys), { message: /failure: is not the one/ })
    const { text: shown } = await rig.call('GET', `${sdk}/result`, { token: opened.sdk_token })
    for (const secret of ['barcode', 'vendor', 'attempt']) t.false(shown.includes(secret))
  })

  test(`${on}a transaction that was not decided has no trace`, async t => {
    const rig = await openTestRig(t, engine)
    const { id, phone } = await rig.open()
    await phone.cancel()
    await rig.idle()
    const { transactions } = rig.node().service
    t.is(await readTrace(transactions, id), null)
    t.like(await readFailure(transactions, id), { failure: 'CANCELLED', attempts: [], unfinished_attempt: null })
    await t.throwsAsync(readTrace(transactions, 'no-such-id'), { message: /not found/ })
  })
}
