/** Feedback about an image at its upload, and the rest of the work for the analysis at the end. */

import type { EngineFindings } from '@attestor/rules'
import { type AnalysisRequest, type CaptureRequest, EngineUnavailableError } from '@attestor/vision'
import test from 'ava'
import { type CaptureScript, createApprovedFindings } from '../../src/engines/scripted.ts'
import { findingsParts } from '../../src/verification/captures/findings.ts'
import type { Answer } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { anotherTake, kyc, picture, startCall } from './client.ts'
import { getResult } from './outcomes.ts'
import { type Opened, openRig, openTestRig, type Rig } from './rig.ts'

function unusable(request: AnalysisRequest): EngineFindings {
  const findings = createApprovedFindings(request)
  const quality = [
    { name: 'eyes', reason: 'EYES_CLOSED', score: 0, threshold: 1, passes_when: 'at_least', passed: false },
  ] as const
  return {
    ...findings,
    document: findings.document && { ...findings.document, reading: 'NOT_READABLE', mrz: null },
    liveness: findings.liveness && {
      ...findings.liveness,
      challenge: findings.liveness.challenge.map(({ action }) => ({ action, passed: false })),
      continuity: { score: 2, threshold: 0.5 },
    },
    face: findings.face && { ...findings.face, usable: false, quality, distance: 0.9 },
  }
}

async function readKinds(rig: Rig, id: string): Promise<unknown[]> {
  return (await rig.rows('SELECT kind FROM captures WHERE transaction_id = ? ORDER BY kind', id)).map(
    ({ kind }) => kind,
  )
}

async function countFindings(rig: Rig, id: string): Promise<number> {
  return (await readKinds(rig, id)).filter(kind => kind === 'findings').length
}

/** Keeps the capture's name and a number that no other analysis gives. */
function createKeeper(find: (request: AnalysisRequest) => EngineFindings = createApprovedFindings) {
  const requests: CaptureRequest[] = []
  const script: CaptureScript = request => {
    requests.push(request)
    const kept = {
      [request.capture]: [
        { engine: 'scripted', kept_for: 'capture' as const, content: `${request.capture} ${requests.length}` },
      ],
    }
    return { findings: find(request), kept }
  }
  return { requests, script }
}

function readContents({ kept = {} }: AnalysisRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(kept).map(([name, entries]) => [name, String(entries?.[0]?.content)]))
}

async function started(rig: Rig, document_type = 'PASSPORT'): Promise<Opened> {
  const opened = await rig.open()
  await opened.phone.start({ ...startCall, document_type })
  return opened
}

/** The requests of the analysis at the end, which approves. */
function recordFinal(rig: Rig): readonly AnalysisRequest[] {
  const final: AnalysisRequest[] = []
  rig.script(request => {
    final.push(request)
    return createApprovedFindings(request)
  })
  return final
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}an upload reports faults of its image, and neither identity nor likeness nor forgery`, async t => {
    const { script, requests } = createKeeper(unusable)
    const rig = await openTestRig(t, engine, {}, 'live', script)
    const { phone } = await started(rig)
    const front = await phone.upload('document/front')
    t.true((front.body.warnings as string[]).includes('DOCUMENT_NOT_READABLE'), front.text)
    const selfie = await phone.upload('selfie')
    t.deepEqual(selfie.body.reasons, ['EYES_CLOSED'])
    t.true((selfie.body.warnings as string[]).includes('SELFIE_LOW_QUALITY'))
    const { body } = await phone.challenge()
    const image = anotherTake(await picture(7))
    const frame = await phone.upload(`liveness/${body.challenge_id}/0`, image)
    t.true((frame.body.warnings as string[]).includes('LIVENESS_CHALLENGE_FAILED'))
    for (const { text } of [front, selfie, frame]) t.notRegex(text, /MISMATCH|CHANGED|FLAT|score|distance/)
    const again = await phone.upload(`liveness/${body.challenge_id}/0`, image)
    t.deepEqual([again.status, again.body], [200, frame.body], 'a lost answer comes again')
    t.deepEqual(
      requests.map(({ capture }) => capture),
      ['document_front', 'selfie', 'frame_0', 'frame_0'],
    )
    const [, , first] = requests
    t.deepEqual(
      [first?.document_front, first?.selfie, first?.challenge?.frames.filter(Boolean).length],
      [null, null, 1],
    )
  })

  test(`${on}a person who turns too little learns it at once, turns further, and is approved`, async t => {
    let tooSmall = true
    const { script } = createKeeper(request => {
      const findings = createApprovedFindings(request)
      const { liveness } = findings
      const challenge = liveness?.challenge.map((step, n) => ({ ...step, passed: n !== 0 || !tooSmall })) ?? []
      return { ...findings, liveness: liveness && { ...liveness, challenge } }
    })
    const rig = await openTestRig(t, engine, {}, 'live', script)
    const { id, phone } = await started(rig)
    await phone.upload('document/front')
    await phone.upload('selfie')
    const { body } = await phone.challenge()
    const actions = body.actions as readonly string[]
    for (const n of actions.keys()) {
      const take = async (seed: number) =>
        phone.upload(`liveness/${body.challenge_id}/${n}`, anotherTake(await picture(seed)))
      if (n === 0) {
        t.true(((await take(20)).body.warnings as string[]).includes('LIVENESS_CHALLENGE_FAILED'))
        tooSmall = false
      }
      t.false(((await take(21 + n)).body.warnings as string[]).includes('LIVENESS_CHALLENGE_FAILED'))
    }
    await phone.complete()
    await rig.idle()
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
  })

  test(`${on}findings are kept encrypted for the analysis, replaced with their image, and gone with the result`, async t => {
    const { script, requests } = createKeeper()
    const rig = await openTestRig(t, engine, {}, 'live', script)
    const final = recordFinal(rig)
    const { id, phone } = await started(rig, 'ID_CARD')
    await phone.upload('document/front')
    t.true(requests[0]?.awaits_back)
    await phone.upload('document/back')
    t.like(requests[1], { awaits_back: false, selfie: null, challenge: null })
    t.true((requests[1]?.document_front?.length ?? 0) > 0, 'the back is read with its front')
    await phone.upload('selfie')
    await phone.upload('selfie', await picture(8))
    // The scripted document is a passport: each side of the card that was chosen has advice beside its findings.
    t.is(await countFindings(rig, id), 5, 'a retake replaces them')
    await phone.drop('document_back')
    t.is(await countFindings(rig, id), 3, 'and dropping removes them')
    await phone.upload('document/back')
    await phone.liveness()
    const stored = await rig.rows("SELECT content FROM captures WHERE transaction_id = ? AND kind = 'findings'", id)
    t.is(stored.length, 9)
    t.true(stored.every(({ content }) => !Buffer.from(content as Uint8Array).includes('scripted')))
    const listed = await rig.call('GET', `/api/account/integration/kyc/transaction/${id}/captures`, {
      token: await rig.token(),
    })
    t.false(listed.text.includes('findings'), 'they are no image')
    await phone.complete()
    await rig.idle()
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
    t.deepEqual(readContents(final[0] as AnalysisRequest), {
      document_front: 'document_front 1',
      document_back: 'document_back 5',
      selfie: 'selfie 4',
      frame_0: 'frame_0 6',
      frame_1: 'frame_1 7',
      frame_2: 'frame_2 8',
      frame_3: 'frame_3 9',
    })
    t.is(await countFindings(rig, id), 0)
  })

  test(`${on}an image is analysed with the parts of the others that it needs, and the end gets everything`, async t => {
    const requests: CaptureRequest[] = []
    const rig = await openRig(engine, {}, 'live', request => {
      requests.push(request)
      const made = findingsParts.map(kept_for => ({ engine: 'scripted', kept_for, content: request.capture }))
      return { findings: createApprovedFindings(request), kept: { [request.capture]: made } }
    })
    t.teardown(rig.close)
    const final = recordFinal(rig)
    const { id, phone } = await started(rig)
    await phone.capture()
    await phone.complete()
    await rig.idle()
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
    const [last, end] = [...requests.slice(-1), ...final].map(({ kept = {} }) =>
      Object.entries(kept).map(([name, own = []]) => [name, own.map(({ kept_for }) => kept_for).sort()]),
    )
    const others = ['document_front', 'selfie', 'frame_0', 'frame_1', 'frame_2']
    t.deepEqual(last?.[0], ['selfie', ['capture']], 'a frame is judged against the selfie')
    t.false(last?.some(([, parts]) => parts?.length !== 1))
    t.deepEqual(
      end,
      [...others, 'frame_3'].map(name => [name, ['analysis', 'capture']]),
    )
  })

  test(`${on}an upload waits no longer than the setting; later findings are kept, and the analysis waits for them`, async t => {
    const held = Promise.withResolvers<void>()
    const { script } = createKeeper()
    const begun = Promise.withResolvers<void>()
    const rig = await openRig(engine, { CAPTURE_FEEDBACK_MS: '1500' }, 'live', async request => {
      if (request.capture !== 'frame_3') return script(request)
      begun.resolve()
      await held.promise
      return script(request)
    })
    t.teardown(rig.close)
    const final = recordFinal(rig)
    const { id, phone } = await started(rig)
    const captured = phone.capture()
    await begun.promise
    await rig.clock.advance(1499)
    t.is(await countFindings(rig, id), 5)
    await rig.clock.advance(1)
    await captured
    await phone.complete()
    await rig.until(async () => (await rig.view(id)).status === 'PROCESSING')
    t.is(final.length, 0, 'the work is not done twice')
    held.resolve()
    await rig.idle()
    t.is((await rig.view(id)).status, 'FINISHED')
    t.true('frame_3' in readContents(final[0] as AnalysisRequest))
    t.is(await countFindings(rig, id), 0)
  })

  test(`${on}advice that comes after the upload’s answer is the session’s, and complete takes what the person keeps`, async t => {
    const gates = new Map<string, PromiseWithResolvers<void>>()
    const { script } = createKeeper(unusable)
    const rig = await openTestRig(t, engine, { CAPTURE_FEEDBACK_MS: '2000' }, 'live', async request => {
      const gate = Promise.withResolvers<void>()
      gates.set(request.capture, gate)
      await gate.promise
      return script(request)
    })
    const { id, phone } = await started(rig)
    const uploadLate = async (path: string, capture: string): Promise<Answer> => {
      const sent = phone.upload(path)
      await rig.until(async () => gates.has(capture))
      await rig.clock.advance(2000)
      return sent
    }
    const front = await uploadLate('document/front', 'document_front')
    t.like(front, { status: 200, body: { reasons: [], pending: true } }, front.text)
    t.false(front.text.includes('DOCUMENT_NOT_READABLE'))
    const before = await phone.session()
    t.like(before.body, { advice: [], pending: ['document_front'] }, before.text)
    const waiting = phone.session(`?wait=60&seen=${before.body.version}`)
    gates.get('document_front')?.resolve()
    const heard = (await waiting).body
    t.deepEqual(
      [heard.advice, heard.pending],
      [[{ step: 'document_front', warnings: ['DOCUMENT_NOT_READABLE'], reasons: [] }], []],
    )
    t.is(heard.version, Number(before.body.version) + 1)
    const selfie = await uploadLate('selfie', 'selfie')
    t.true(selfie.body.pending)
    gates.get('selfie')?.resolve()
    await rig.until(async () => ((await phone.session()).body.pending as string[]).length === 0)
    t.deepEqual((await phone.session()).body.advice, [
      { step: 'document_front', warnings: ['DOCUMENT_NOT_READABLE'], reasons: [] },
      { step: 'selfie', warnings: ['SELFIE_LOW_QUALITY'], reasons: ['EYES_CLOSED'] },
    ])
    t.true(
      (await rig.rows("SELECT content FROM captures WHERE transaction_id = ? AND kind = 'findings'", id)).every(
        ({ content }) => !Buffer.from(content as Uint8Array).includes('NOT_READABLE'),
      ),
      'it is encrypted',
    )
    gates.delete('document_front')
    const again = phone.upload('document/front', await picture(11))
    await rig.until(async () => gates.has('document_front'))
    t.deepEqual((await phone.session()).body.advice, [
      { step: 'selfie', warnings: ['SELFIE_LOW_QUALITY'], reasons: ['EYES_CLOSED'] },
    ])
    gates.get('document_front')?.resolve()
    const retaken = (await again).body
    t.deepEqual([retaken.pending, (retaken.warnings as string[]).includes('DOCUMENT_NOT_READABLE')], [false, true])
    const { body } = await phone.challenge()
    for (const n of (body.actions as readonly string[]).keys()) {
      gates.delete(`frame_${n}`)
      const sent = phone.upload(`liveness/${body.challenge_id}/${n}`, anotherTake(await picture(20 + n)))
      await rig.until(async () => gates.has(`frame_${n}`))
      gates.get(`frame_${n}`)?.resolve()
      await sent
    }
    const last = (await phone.session()).body.advice as { step: string; warnings: string[] }[]
    t.deepEqual(
      last.map(({ step, warnings }) => [step, warnings.length > 0]),
      [
        ['document_front', true],
        ['selfie', true],
        ['liveness', true],
      ],
    )
    t.is((await phone.complete()).status, 202)
    await rig.idle()
    t.is((await rig.view(id)).status, 'FINISHED')
    t.is(await countFindings(rig, id), 0)
    const { body: timeline } = await rig.call('GET', `${kyc}/transaction/${id}/events`, { token: await rig.token() })
    const named = (timeline.data as { event: string; sent_by: string }[]).filter(
      ({ event }) => event === 'ADVICE_GIVEN',
    )
    t.deepEqual(
      named.map(({ sent_by }) => sent_by),
      ['job', 'job'],
    )
  })

  test(`${on}an image that found no engine is analysed once one has time, and accounts take turns`, async t => {
    let isBusy = true
    const { script, requests } = createKeeper(unusable)
    const rig = await openTestRig(t, engine, {}, 'live', request => {
      if (isBusy) throw new EngineUnavailableError('no capacity')
      return script(request)
    })
    const { phone } = await started(rig)
    const front = await phone.upload('document/front')
    t.true(front.body.pending, front.text)
    await rig.clock.advance(500)
    t.deepEqual((await phone.session()).body.pending, ['document_front'])
    isBusy = false
    await rig.until(async () => {
      await rig.clock.advance(500)
      return ((await phone.session()).body.pending as string[]).length === 0
    })
    t.is(requests.length, 1)
    t.like((await phone.session()).body.advice, [{ step: 'document_front', warnings: ['DOCUMENT_NOT_READABLE'] }])
    isBusy = true
    const other = await started(rig)
    await other.phone.upload('document/front')
    t.deepEqual((await other.phone.session()).body.pending, ['document_front'])
    await rig.clock.advance(60_000)
    t.like((await other.phone.session()).body, { pending: [], advice: [] })
  })

  test(`${on}findings that come after their image was replaced, or after the end, are not kept`, async t => {
    const held: PromiseWithResolvers<void>[] = []
    const { script } = createKeeper()
    const rig = await openRig(engine, { CAPTURE_FEEDBACK_MS: '1000' }, 'live', async request => {
      const gate = Promise.withResolvers<void>()
      held.push(gate)
      await gate.promise
      return script(request)
    })
    t.teardown(rig.close)
    const { id, phone } = await started(rig)
    const uploadLate = async (image: Buffer): Promise<void> => {
      const before = held.length
      const sent = phone.upload('selfie', image)
      await rig.until(async () => held.length > before)
      await rig.clock.advance(1000)
      t.is((await sent).status, 200)
    }
    await uploadLate(await picture(1))
    await uploadLate(await picture(2))
    held[0]?.resolve()
    await rig.until(async () => (await countFindings(rig, id)) === 1)
    await phone.cancel()
    held[1]?.resolve()
    await rig.node().service.store.commit(function* () {})
    await rig.idle()
    t.is((await rig.view(id)).status, 'FAILED')
    await rig.end(true, 20_000)
    await rig.begin()
    t.deepEqual(await readKinds(rig, id), ['facts', 'selfie'])
  })

  test(`${on}an upload is answered without feedback if no engine has time, or the analysis fails, and the end does all`, async t => {
    let error: Error = new EngineUnavailableError('no capacity')
    const rig = await openRig(engine, {}, 'live', () => {
      throw error
    })
    t.teardown(rig.close)
    const final = recordFinal(rig)
    const { id, phone } = await started(rig)
    const answered = await phone.upload('document/front')
    t.deepEqual([answered.status, answered.body.reasons], [200, []])
    t.false(
      rig.lines.some(({ message }) => message === 'a capture was not analysed'),
      'that is no fault',
    )
    error = new Error('a child ended')
    await phone.capture()
    t.like(
      rig.lines.find(({ message }) => message === 'a capture was not analysed'),
      { level: 'warn', error: 'a child ended', transaction_id: id },
    )
    await phone.complete()
    await rig.idle()
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
    t.deepEqual(final[0]?.kept, {})
  })

  test(`${on}feedback can be switched off, and test mode has none`, async t => {
    const { script, requests } = createKeeper(unusable)
    const off = await openTestRig(t, engine, { CAPTURE_FEEDBACK_MS: '0' }, 'live', script)
    const { phone } = await started(off)
    t.false((await phone.upload('document/front')).text.includes('DOCUMENT_NOT_READABLE'))
    const scripted = await openTestRig(t, engine, {}, 'test', script)
    const opened = await scripted.open({ test: { decision: 'APPROVED' } })
    await opened.phone.start()
    t.false((await opened.phone.upload('document/front')).text.includes('DOCUMENT_NOT_READABLE'))
    t.is(requests.length, 0)
  })
}
