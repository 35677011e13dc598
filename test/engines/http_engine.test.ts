import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { judge } from '@attestor/rules'
import { type AnalysisEngine, AnalysisError, type AnalysisRequest } from '@attestor/vision'
import test, { type ExecutionContext } from 'ava'
import { document, face, input, liveness } from '../../packages/rules/test/findings_samples.ts'
import { type Log, silentLog } from '../../src/base/log.ts'
import { ConfigError } from '../../src/base/setting.ts'
import { readConfig } from '../../src/config/settings.ts'
import { readCodeMapping } from '../../src/engines/http/codes.ts'
import { type HttpEngineOptions, httpEngine } from '../../src/engines/http/engine.ts'
import { signRequest } from '../../src/engines/http/sign.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { sectionedEngine } from '../../src/engines/sections.ts'
import { openEngine } from '../../src/node/open_engine.ts'
import { type ManualClock, manualClock } from '../clock.ts'
import { type Behaviour, openReference, type Reference } from './http_reference.ts'

const secret = Buffer.alloc(32, 5)
const never = new AbortController().signal

const request: AnalysisRequest = {
  transaction_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  transaction_type: 'DOCUMENT_AND_BIOMETRIC',
  document_front: new Uint8Array(70_000),
  document_back: null,
  selfie: new Uint8Array(5),
  challenge: { actions: ['TURN_LEFT', 'BLINK'], frames: [new Uint8Array(3), new Uint8Array(4)], attempts: 2 },
  enrolled_face: null,
}

const passive = {
  engine: { name: 'acme', version: '3', models: { net: 'b'.repeat(64) } },
  method: 'PASSIVE',
  presence: { score: 0.97, threshold: 0.8 },
}

interface Rig {
  readonly service: Reference
  readonly engine: AnalysisEngine
  readonly clock: ManualClock
  readonly logged: string[]
}

async function openRig(t: ExecutionContext, options: Partial<HttpEngineOptions> = {}): Promise<Rig> {
  const clock = manualClock()
  const service = await openReference(secret, clock.now)
  const logged: string[] = []
  const write = (_fields: Record<string, unknown>, message: string): void => void logged.push(message)
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const engine = httpEngine({
    clock,
    log,
    secret,
    url: service.url,
    timeLimitMs: 30_000,
    concurrency: 4,
    sections: ['liveness'],
    codes: {},
    ...options,
  })
  t.teardown(async () => {
    await engine.stop()
    await service.close()
  })
  service.behave(() => ({ liveness: passive }))
  return { service, engine, clock, logged }
}

function saying(status: number, body = '', headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (_, response) => {
    response.writeHead(status, headers).end(body)
    return null
  }
}

function failing(t: ExecutionContext, engine: AnalysisEngine, message: RegExp, asked = request) {
  return t.throwsAsync(engine.analyse(asked, never), { instanceOf: AnalysisError, message })
}

test('a signed request carries what the sections need, and the answer is evidence that names its engine', async t => {
  const { service, engine } = await openRig(t)
  const evidence = await engine.analyse(request, never)
  t.deepEqual(service.refused, [])
  t.deepEqual(service.asked, [
    {
      request: {
        transaction_id: request.transaction_id,
        transaction_type: 'DOCUMENT_AND_BIOMETRIC',
        sections: ['liveness'],
        challenge: { actions: ['TURN_LEFT', 'BLINK'], attempts: 2 },
        enrolled_face: null,
      },
      images: { selfie: 5, frame_0: 3, frame_1: 4 },
    },
  ])
  t.like(evidence, { document: null, face: null, liveness: { ...passive, challenge: [], reported: [] } })
  const { result_data } = judge({ ...input, findings: { ...input.findings, liveness: evidence.liveness } })
  t.is(result_data.decision, 'APPROVED')
  t.like(result_data.liveness.data, { method: 'PASSIVE', engine: { name: 'acme', version: '3' } })
})

test('a query of the address is sent and signed as it is', async t => {
  const { service } = await openRig(t)
  const ANALYSIS_HTTP_URL = `${service.url}?tenant=7&v=2024-06 beta`
  const config = readConfig({ ANALYSIS_HTTP_URL })
  t.is(config.ANALYSIS_HTTP_URL, `${service.url}?tenant=7&v=2024-06%20beta`)
  const { engine } = await openRig(t, { url: String(config.ANALYSIS_HTTP_URL) })
  await engine.analyse(request, never)
  t.deepEqual([service.asked.length, service.refused], [1, []])
})

test('every section can come from the service, and means there what it means here', async t => {
  const { service, engine } = await openRig(t, { sections: ['document', 'liveness', 'face'] })
  const two = {
    ...liveness,
    challenge: [
      { action: 'TURN_LEFT', passed: true },
      { action: 'BLINK', passed: true },
    ],
  }
  service.behave(() => ({ document, liveness: two, face, later: 'members are passed over' }))
  const evidence = await engine.analyse(request, never)
  t.is(judge({ ...input, findings: evidence }).decision, 'APPROVED')
  t.deepEqual(evidence.document?.mrz, { not_printed: [], ...document.mrz })
  t.deepEqual(evidence.face?.template, face.template)
})

test('a service that claims to have compared images that it did not get, or another model’s template, leads to no approval', async t => {
  const { service, engine } = await openRig(t, { sections: ['face'] })
  const stepUp: AnalysisRequest = { ...request, transaction_type: 'BIOMETRIC_ONLY', document_front: null }
  const judged = async (enrolled_face: AnalysisRequest['enrolled_face'], answer: object = {}) => {
    service.behave(() => ({ face: { ...face, reference: 'ENROLLED_FACE', ...answer } }))
    const evidence = await engine.analyse({ ...stepUp, enrolled_face }, never)
    const { result_data } = judge({
      ...input,
      transaction_type: 'BIOMETRIC_ONLY',
      findings: { ...input.findings, document: null, face: evidence.face },
    })
    return [result_data.decision, ...result_data.issues.map(issue => issue.code)]
  }
  t.deepEqual(await judged({ model: 'm', values: [1] }), ['APPROVED'])
  t.deepEqual(await judged({ model: 'm', values: [1] }, { template: null }), ['APPROVED'], 'it need not give its own')
  t.deepEqual(await judged(null), ['UNDETERMINED', 'FACE_NOT_ENROLLED'])
  t.deepEqual(await judged({ model: 'ours', values: [1] }), ['UNDETERMINED', 'FACE_TEMPLATE_OUTDATED'])
})

test('a request that was changed, replayed, kept for long or signed with another secret is refused by the service', async t => {
  const { service, clock } = await openRig(t)
  const post = (headers: Readonly<Record<string, string>>, body: string, url = service.url) =>
    fetch(url, { method: 'POST', headers, body }).then(answer => answer.status)
  const form = new Response(new FormData())
  const contentType = form.headers.get('content-type') ?? ''
  const body = await form.text()
  const url = new URL(service.url)
  const call = { method: 'POST', url, contentType, body: Buffer.from(body), created: clock.now() / 1000, nonce: 'n1' }
  const signed = signRequest(call, secret)
  t.is(await post(signed, body), 200)
  t.is(await post(signed, body), 401)
  t.is(await post(signed, `${body} `), 401)
  t.is(await post(signed, body, `${service.url}/other`), 401)
  t.is(await post(signed, body, `${service.url}?tenant=7`), 401)
  t.is(await post(signRequest({ ...call, nonce: 'n2' }, Buffer.alloc(32, 6)), body), 401)
  await clock.advance(3_600_000)
  t.is(await post(signRequest({ ...call, nonce: 'n3' }, secret), body), 401)
  t.deepEqual(service.refused, ['nonce', 'digest', 'signature', 'signature', 'signature', 'created'])
})

const lies: readonly [string, object, RegExp][] = [
  ['leaves out its section', {}, /liveness: is missing/],
  ['answers with null', { liveness: null }, /liveness: /],
  ['invents a method', { liveness: { ...passive, method: 'MAGIC' } }, /liveness\.method: /],
  ['measures in words', { liveness: { ...passive, presence: { score: 'high', threshold: 1 } } }, /presence\.score: /],
  [
    'is about another challenge',
    { liveness: { ...passive, method: 'ACTIVE', challenge: [{ action: 'BLINK', passed: true }] } },
    /challenge: is not the one that was asked/,
  ],
  [
    'is another transaction’s',
    { transaction_id: '01890a5d-ac96-774b-bcce-000000000000', liveness: passive },
    /transaction_id: is another/,
  ],
  [
    'measures nothing and says zero',
    { liveness: { ...passive, presence: { score: 0, threshold: 0 } } },
    /presence: must be null/,
  ],
  ['names no engine', { liveness: { ...passive, engine: { name: 'acme' } } }, /engine\.version: /],
  ['has a code that is none', { liveness: { ...passive, codes: ['<b>'] } }, /codes\.0: /],
]

for (const [what, answer, message] of lies) {
  test(`an answer that ${what} is a failure and no decision`, async t => {
    const { service, engine } = await openRig(t)
    service.behave(() => answer)
    await failing(t, engine, message)
  })
}

test('a likeness in percents, infinite, or of limits the wrong way round is a failure and no decision', async t => {
  const { service, engine } = await openRig(t, { sections: ['face'], backoffMs: 0 })
  const faults: readonly (readonly [object, RegExp])[] = [
    [{ similarity: { score: 97, threshold: 80 } }, /face\.similarity\.score: /],
    [{ distance: -1 }, /face\.distance: /],
    [{ accept_below: 0.7 }, /accept_below: is above reject_above/],
    [{ distance: 0, accept_below: 0 }, /face\.accept_below: /],
  ]
  for (const [wrong, message] of faults) {
    service.behave(() => ({ face: { ...face, ...wrong } }))
    await failing(t, engine, message)
  }
  const endless = JSON.stringify({ face }).replace(/"distance":[\d.]+/, '"distance":1e999')
  service.behave(saying(200, endless))
  await failing(t, engine, /face\.distance: /)
})

test('a response that is too large, no JSON, a redirect or cut off is a failure', async t => {
  const { service, engine } = await openRig(t, { backoffMs: 0 })
  const other = await openReference(secret, () => 0)
  t.teardown(other.close)
  service.behave(saying(200, ' '.repeat(2 ** 20 + 1)))
  await failing(t, engine, /more than 1048576 bytes/)
  service.behave(saying(200, '<html>'))
  await failing(t, engine, /JSON/)
  service.behave(saying(307, '', { location: other.url }))
  await failing(t, engine, /responded with 307/)
  t.deepEqual([other.asked, other.refused], [[], []])
  service.behave((_, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('{', () => response.destroy())
    return null
  })
  await failing(t, engine, /could not be called/)
})

test('a service that hangs is left when the time is up, by the clock; an aborted analysis calls no more', async t => {
  const { service, engine, clock } = await openRig(t)
  const heard = Promise.withResolvers<void>()
  service.behave(() => {
    heard.resolve()
    return null
  })
  const late = engine.analyse(request, never)
  const refused = t.throwsAsync(late, { instanceOf: AnalysisError, message: /longer than 30000 ms/ })
  await heard.promise
  await clock.advance(30_000)
  await refused
  const control = new AbortController()
  const aborted = engine.analyse(request, control.signal)
  control.abort()
  await t.throwsAsync(aborted, { instanceOf: AnalysisError, message: /aborted/ })
  t.is(engine.capacity(), 4, 'neither is two failures in a row')
})

test('a service that fails gets no call for a while, and then one that tries it', async t => {
  const { service, engine, logged } = await openRig(t, { backoffMs: 0 })
  service.behave(saying(503))
  await failing(t, engine, /responded with 503/)
  t.is(engine.capacity(), 4)
  await failing(t, engine, /responded with 503/)
  t.deepEqual(logged, ['the analysis service fails: it gets no call for a while'])
  t.is(engine.capacity(), 1)
  await failing(t, engine, /responded with 503/)
  service.behave(() => ({ liveness: passive }))
  await engine.analyse(request, never)
  t.is(engine.capacity(), 4)
  t.deepEqual(logged.at(-1), 'the analysis service works again')
})

test('a failure that one transaction’s images may cause stops no others, and that of two does', async t => {
  const { service, engine, logged } = await openRig(t)
  for (const behave of [saying(500), saying(200, 'no JSON'), saying(200, '{"liveness":1}'), saying(500)]) {
    service.behave(behave)
    await failing(t, engine, /responded with 500|JSON|invalid response/)
    t.is(engine.capacity(), 4)
  }
  t.deepEqual(logged, [])
  await t.throwsAsync(engine.analyse({ ...request, transaction_id: 'another' }, never), { message: /JSON|500/ })
  t.is(engine.capacity(), 0)
})

test('the engine gets no call and has no capacity while it backs off', async t => {
  const { service, engine, clock } = await openRig(t)
  service.behave((_, response) => {
    response.destroy()
    return null
  })
  await failing(t, engine, /could not be called/)
  await failing(t, engine, /could not be called/)
  t.is(engine.capacity(), 0)
  await failing(t, engine, /backing off/)
  for (const delayMs of [15_000, 30_000, 60_000, 120_000, 120_000]) {
    await clock.advance(delayMs - 1)
    t.is(engine.capacity(), 0)
    await clock.advance(1)
    t.is(engine.capacity(), 1)
    await failing(t, engine, /could not be called/)
  }
})

test('a refusal of one request says nothing against the service, and is logged for the operator', async t => {
  const { service, engine, logged } = await openRig(t)
  service.behave(saying(422))
  for (let n = 0; n < 5; n++) await failing(t, engine, /responded with 422/)
  t.is(engine.capacity(), 4)
  t.deepEqual(new Set(logged), new Set(['the analysis service rejected a request']))
})

const codes = readCodeMapping(
  JSON.stringify({
    SPOOF: 'PRESENTATION_ATTACK_SUSPECTED',
    DARK: 'SELFIE_LOW_QUALITY',
    SHINE: { issue: 'DOCUMENT_GLARE', status: 'PASSED' },
    FINE: null,
  }),
)

for (const [sent, decision, issues] of [
  [['FINE'], 'APPROVED', []],
  [['SHINE'], 'APPROVED', ['DOCUMENT_GLARE']],
  [['DARK', 'FINE'], 'UNDETERMINED', ['SELFIE_LOW_QUALITY']],
  [['SPOOF'], 'REJECTED', ['PRESENTATION_ATTACK_SUSPECTED']],
  [['HOLOGRAM_7', 'toString'], 'UNDETERMINED', ['ENGINE_CODE_UNKNOWN']],
  [['NEW', 'SPOOF'], 'REJECTED', ['PRESENTATION_ATTACK_SUSPECTED', 'ENGINE_CODE_UNKNOWN']],
] as const) {
  test(`codes ${sent.join(' and ')} of a service end ${decision}`, async t => {
    const { service, engine } = await openRig(t, { codes })
    service.behave(() => ({ liveness: { ...passive, codes: sent } }))
    const evidence = await engine.analyse(request, never)
    const { result_data } = judge({ ...input, findings: { ...input.findings, liveness: evidence.liveness } })
    t.is(result_data.decision, decision)
    t.deepEqual(
      result_data.issues.map(issue => issue.code),
      [...issues],
    )
    const unknown = result_data.issues.find(issue => issue.code === 'ENGINE_CODE_UNKNOWN')
    t.deepEqual(unknown?.details, unknown && { codes: sent.filter(code => code !== 'SPOOF') })
  })
}

test('a mapping that cannot be meant is refused, by name', t => {
  const refused = (mapping: object, message: RegExp) =>
    t.throws(() => readCodeMapping(JSON.stringify(mapping)), { message })
  refused({ A: 'NO_SUCH_CODE' }, /^A: /)
  refused({ A: 'CANCELLED' }, /^A: /)
  refused({ A: { issue: 'DOCUMENT_GLARE', status: 'REJECTED' } }, /DOCUMENT_GLARE does not reject/)
  refused({ 'a b': null }, /a b/)
  t.is(readCodeMapping('{"A":{"issue":"FACE_MISMATCH","status":"PASSED"}}').A?.status, 'REJECTED')
})

test('an operator can keep the document and buy liveness: each engine sees its part, and is named by its evidence', async t => {
  const { service, engine } = await openRig(t)
  const seen: AnalysisRequest[] = []
  const own = scriptedEngine(asked => {
    seen.push(asked)
    return createApprovedFindings(asked)
  })
  const both = sectionedEngine({ document: own, liveness: engine, face: own })
  const evidence = await both.analyse(request, never)
  t.deepEqual(
    [evidence.document, evidence.liveness, evidence.face].map(section => section?.engine.name),
    ['scripted', 'acme', 'scripted'],
  )
  t.is(seen.length, 1)
  t.deepEqual([seen[0]?.challenge, seen[0]?.selfie], [null, request.selfie])
  t.deepEqual(service.asked[0]?.images, { selfie: 5, frame_0: 3, frame_1: 4 })
  t.is(both.capacity(), 4)
  service.behave(saying(500))
  await failing(t, both, /responded with 500/)
  await both.stop()
  t.is(both.capacity(), 0)
})

test('a step-up asks for no document: not of a service that has all sections, and not at all of one that reads documents', async t => {
  const stepUp: AnalysisRequest = { ...request, transaction_type: 'BIOMETRIC_ONLY', document_front: null }
  const all = await openRig(t, { sections: ['document', 'liveness', 'face'] })
  all.service.behave(() => ({ liveness: passive, face }))
  t.is((await all.engine.analyse(stepUp, never)).document, null)
  t.deepEqual(all.service.asked[0]?.request.sections, ['liveness', 'face'])
  const reader = await openRig(t, { sections: ['document'] })
  const own = scriptedEngine(createApprovedFindings)
  const both = sectionedEngine({ document: reader.engine, liveness: own, face: own })
  t.is((await both.analyse(stepUp, never)).document, null)
  t.deepEqual(reader.service.asked, [])
})

test('settings choose an engine for each section, and a half-made choice stops the start', async t => {
  const { service } = await openRig(t)
  const file = join(mkdtempSync(join(tmpdir(), 'attestor-test-')), 'codes.json')
  t.teardown(() => rmSync(dirname(file), { recursive: true }))
  writeFileSync(file, '{"DARK":"SELFIE_LOW_QUALITY"}')
  const chosen = {
    ANALYSIS_ENGINE: 'scripted',
    ANALYSIS_LIVENESS_ENGINE: 'http',
    ANALYSIS_HTTP_URL: service.url,
    ANALYSIS_HTTP_SECRET: secret.toString('base64'),
    ANALYSIS_HTTP_CODES: file,
  }
  const clock = manualClock()
  const engine = await openEngine({ config: readConfig(chosen), clock, log: silentLog })
  t.teardown(() => engine.stop())
  service.behave(() => ({ liveness: { ...passive, codes: ['DARK'] } }))
  const evidence = await engine.analyse(request, never)
  t.deepEqual([evidence.face?.engine.name, evidence.liveness?.engine.name], ['scripted', 'acme'])
  t.is(evidence.liveness?.reported?.[0]?.issue, 'SELFIE_LOW_QUALITY')
  const refused = (changed: object, message: RegExp) =>
    t.throws(() => readConfig({ ...chosen, ...changed }), { instanceOf: ConfigError, message })
  refused({ ANALYSIS_HTTP_URL: '' }, /^ANALYSIS_HTTP_URL: is required/)
  refused({ ANALYSIS_HTTP_SECRET: '' }, /^ANALYSIS_HTTP_SECRET: is required/)
  refused({ ANALYSIS_HTTP_SECRET: 'c2hvcnQ=' }, /^ANALYSIS_HTTP_SECRET: must be at least 32 bytes/)
  refused({ ANALYSIS_FACE_ENGINE: 'cloud' }, /^ANALYSIS_FACE_ENGINE: must be one of local, http, scripted/)
  refused({ HOST: '0.0.0.0' }, /^ANALYSIS_ENGINE: scripted approves everything/)
  for (const url of [
    'http://10.0.0.5/x',
    'http://localhost.example.com/',
    'https://u:p@gpu.internal/',
    'ftp://localhost/',
  ])
    refused({ ANALYSIS_HTTP_URL: url }, /^ANALYSIS_HTTP_URL: must be an https URL/)
  t.is(readConfig({ ...chosen, ANALYSIS_HTTP_URL: 'https://10.0.0.5/x' }).ANALYSIS_HTTP_URL, 'https://10.0.0.5/x')
  writeFileSync(file, '{"DARK":"NIGHT"}')
  await t.throwsAsync(() => openEngine({ config: readConfig(chosen), clock, log: silentLog }), {
    instanceOf: ConfigError,
  })
})
