/** Images that a service over HTTP analyses as they arrive, alone and beside an engine of ours. */

import {
  type AnalysisEngine,
  AnalysisError,
  type CaptureAnalysis,
  type CaptureRequest,
  EngineUnavailableError,
  type KeptFindings,
} from '@attestor/vision'
import test, { type ExecutionContext } from 'ava'
import { document, face, liveness } from '../../packages/rules/test/findings_samples.ts'
import { silentLog } from '../../src/base/log.ts'
import { type HttpEngineOptions, httpEngine } from '../../src/engines/http/engine.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { sectionedEngine } from '../../src/engines/sections.ts'
import { manualClock } from '../clock.ts'
import { openReference, type Reference } from './http_reference.ts'

const secret = Buffer.alloc(32, 5)
const never = new AbortController().signal

function request(capture: CaptureRequest['capture'], more: Partial<CaptureRequest> = {}): CaptureRequest {
  return {
    transaction_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: null,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: null,
    capture,
    account_id: 'account',
    awaits_back: false,
    ...more,
  }
}

const frame = request('frame_1', {
  challenge: { actions: ['TURN_LEFT', 'BLINK'], frames: [null, new Uint8Array(4)], attempts: 1 },
})

async function openService(
  t: ExecutionContext,
  options: Partial<HttpEngineOptions> = {},
): Promise<{ service: Reference; engine: AnalysisEngine; ask: NonNullable<AnalysisEngine['analyseCapture']> }> {
  const clock = manualClock()
  const service = await openReference(secret, clock.now)
  const engine = httpEngine({
    clock,
    log: silentLog,
    secret,
    url: service.url,
    timeLimitMs: 30_000,
    concurrency: 1,
    codes: {},
    sections: ['document', 'liveness', 'face'],
    captures: true,
    ...options,
  })
  t.teardown(async () => {
    await engine.stop()
    await service.close()
  })
  const ask: NonNullable<AnalysisEngine['analyseCapture']> = (asked, signal) => {
    if (engine.analyseCapture === undefined) throw new Error('it analyses no captures')
    return engine.analyseCapture(asked, signal)
  }
  return { service, engine, ask }
}

function keep(engine: string, content: string = engine): KeptFindings {
  return { engine, kept_for: 'capture', content }
}

test('a service gets the image alone, and its own earlier findings about it', async t => {
  const { service, engine, ask } = await openService(t)
  service.behave(() => ({ document, kept: 'page 7' }))
  const first = await ask(request('document_front', { document_front: new Uint8Array(9) }), never)
  t.like(first.findings, { document: { reading: 'READ' }, face: null, liveness: null })
  t.deepEqual(first.kept, { document_front: [keep('http 1', 'page 7')] })
  service.behave(() => ({ face }))
  const selfie = await ask(request('selfie', { selfie: new Uint8Array(5), kept: first.kept }), never)
  t.deepEqual([selfie.findings.face?.usable, selfie.kept], [true, {}])
  const steps = ['TURN_LEFT', 'BLINK'].map((action, n) => ({ action, passed: n === 0 ? null : true }))
  service.behave(() => ({ liveness: { ...liveness, challenge: steps } }))
  t.is((await ask(frame, never)).findings.liveness?.challenge[1]?.passed, true)
  service.behave(() => ({ document, liveness: { ...liveness, challenge: [] }, face }))
  const others = [keep('attestor-local 4', 'not for them')]
  const kept = { document_front: [...others, ...(first.kept.document_front ?? [])], selfie: others }
  const { capture: _, account_id: __, awaits_back: ___, ...whole } = request('selfie', { kept })
  await engine.analyse({ ...whole, document_front: new Uint8Array(9), selfie: new Uint8Array(5) }, never)
  t.deepEqual(service.refused, [])
  t.deepEqual(
    service.asked.map(({ request: { sections, capture, kept: own }, images }) => ({ sections, capture, own, images })),
    [
      { sections: ['document'], capture: 'document_front', own: undefined, images: { document_front: 9 } },
      { sections: ['face'], capture: 'selfie', own: { document_front: 'page 7' }, images: { selfie: 5 } },
      { sections: ['liveness'], capture: 'frame_1', own: undefined, images: { frame_1: 4 } },
      {
        sections: ['document', 'liveness', 'face'],
        capture: undefined,
        own: { document_front: 'page 7' },
        images: { document_front: 9, selfie: 5 },
      },
    ],
  )
})

test('a service is not asked where it is switched off, for another section, or while it is busy or fails', async t => {
  t.is((await openService(t, { captures: false })).engine.analyseCapture, undefined)
  const { service, engine, ask } = await openService(t, { sections: ['liveness'] })
  const none = await ask(request('selfie', { selfie: new Uint8Array(5) }), never)
  t.deepEqual([none.findings, none.kept], [{ document: null, liveness: null, face: null, stages: {} }, {}])
  const asked = Promise.withResolvers<void>()
  service.behave(() => {
    asked.resolve()
    return null
  })
  const abort = new AbortController()
  const { capture: _, ...whole } = frame
  const analysis = engine.analyse(whole, abort.signal)
  await asked.promise
  await t.throwsAsync(ask(frame, never), { instanceOf: EngineUnavailableError })
  abort.abort()
  await t.throwsAsync(analysis, { instanceOf: AnalysisError })
  service.behave(() => ({ liveness: { ...liveness, challenge: [], method: 'MAGIC' } }))
  for (const transaction_id of ['one', 'two'])
    await t.throwsAsync(ask({ ...frame, transaction_id }, never), { message: /liveness\.method/ })
  await t.throwsAsync(ask(frame, never), { instanceOf: EngineUnavailableError })
})

test('each of several engines gets the captures that its sections need, and keeps its own findings beside the others’', async t => {
  const requests: [string, CaptureRequest][] = []
  const own = (name: string): AnalysisEngine =>
    scriptedEngine(createApprovedFindings, asked => {
      requests.push([name, asked])
      return { findings: createApprovedFindings(asked), kept: { [asked.capture]: [keep(name)] } }
    })
  const all = { document: own('reader'), liveness: own('watcher'), face: scriptedEngine(createApprovedFindings) }
  const both = sectionedEngine(all)
  const kept = { document_front: [keep('other')], selfie: [keep('watcher', 'old')] }
  const ask = (asked: CaptureRequest): Promise<CaptureAnalysis> | undefined => both.analyseCapture?.(asked, never)
  const front = await ask(request('document_front', { document_front: new Uint8Array(9), kept }))
  t.deepEqual(front?.kept, {
    document_front: [keep('other'), keep('reader')],
  })
  t.like(front?.findings, { document: { reading: 'READ' }, face: null, liveness: null })
  const selfie = await ask(request('selfie', { selfie: new Uint8Array(5), kept }))
  t.deepEqual(selfie?.kept, { selfie: [keep('watcher')] })
  t.is(selfie?.findings.face, null, 'nobody compares faces before the end')
  t.deepEqual(
    requests.map(([name, { kept: known = {} }]) => [name, Object.keys(known)]),
    [
      ['reader', ['document_front']],
      ['watcher', ['selfie']],
    ],
  )
  const broken = scriptedEngine(createApprovedFindings, () => {
    throw new Error('out of paper')
  })
  const failing = sectionedEngine({ ...all, liveness: broken, face: own('comparer') })
  await t.throwsAsync(
    failing.analyseCapture?.(request('selfie', { selfie: new Uint8Array(5) }), never) ?? Promise.resolve(),
    {
      message: /out of paper/,
    },
  )
  const busy = scriptedEngine(createApprovedFindings, () => {
    throw new EngineUnavailableError('busy')
  })
  const partly = sectionedEngine({ ...all, liveness: busy, face: own('comparer') })
  const compared = await partly.analyseCapture?.(request('selfie', { selfie: new Uint8Array(5) }), never)
  t.deepEqual(compared?.kept, { selfie: [{ engine: 'comparer', kept_for: 'capture', content: 'comparer' }] })
  const without = sectionedEngine({
    document: all.face,
    liveness: all.face,
    face: scriptedEngine(createApprovedFindings),
  })
  t.is(without.analyseCapture, undefined)
})
