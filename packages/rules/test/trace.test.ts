import test from 'ava'
import { issueCatalogue } from '../issues.ts'
import { type JudgeInput, judge } from '../judge.ts'
import { buildTrace, type Trace } from '../trace.ts'
import { document, face, input, liveness, mrz } from './findings_samples.ts'

const models = { net: 'a'.repeat(64) }
const engine = { name: 'reader', version: '7', models }

function traceOf(changed: Partial<JudgeInput>): Trace {
  const judged = { ...input, ...changed }
  return buildTrace({ judgement: judge(judged), findings: judged.findings, decided_at: 0, salt: 'salt' })
}

function evidence(changed: object): Partial<JudgeInput> {
  return { findings: { ...input.findings, ...changed } }
}

test('each issue names its rule, score, threshold, engine and the digest of its weights', t => {
  const surname = { ...document, engine, visual_surname: { score: 0.4, threshold: 0.85 } }
  const flat = { ...liveness, engine, planarity: { score: 0.01, threshold: 0.05 } }
  const other = { ...face, engine, distance: 0.9, similarity: { score: 0.1, threshold: 0.81 } }
  const { issues, decision } = traceOf(evidence({ document: surname, liveness: flat, face: other }))
  const common = { type: 'REJECT', status: 'REJECTED', effect: 'rejects', passes_when: 'at_least', engine } as const
  t.is(decision, 'REJECTED')
  t.deepEqual(issues, [
    { ...common, code: 'SURNAME_MISMATCH', section: 'document', rule: 'visual_surname', score: 0.4, threshold: 0.85 },
    { ...common, code: 'FLAT_FACE_SUSPECTED', section: 'liveness', rule: 'planarity', score: 0.01, threshold: 0.05 },
    { ...common, code: 'FACE_MISMATCH', section: 'face', rule: 'comparison', score: 0.1, threshold: 0.81 },
  ])
})

test('a second face and a copied portrait are in the trace with their measurements and limits', t => {
  const copied = { ...face, engine, picture_distance: { score: 0.12, threshold: 0.2 }, same_picture: true }
  const found = { section: 'face', engine } as const
  t.deepEqual(traceOf(evidence({ face: copied })).issues, [
    {
      ...found,
      code: 'SELFIE_MATCHES_DOCUMENT_IMAGE',
      type: 'WARN',
      status: 'PASSED',
      effect: 'warns',
      rule: 'same_picture',
      score: 0.12,
      threshold: 0.2,
      passes_when: 'at_least',
    },
  ])
  const crowd = { ...face, engine, faces_in_selfie: 3, second_face: { score: 0.9, threshold: 0.5 } }
  const { issues, measured } = traceOf(evidence({ face: crowd }))
  t.deepEqual(issues, [
    {
      ...found,
      code: 'MULTIPLE_FACES_DETECTED',
      type: 'REJECT',
      status: 'REJECTED',
      effect: 'rejects',
      rule: 'selfie',
      score: 3,
      threshold: 1,
      passes_when: 'at_most',
    },
  ])
  t.like(measured, { 'face.second_face.score': 0.9, 'face.second_face.threshold': 0.5 })
})

test('the places of what was found are apart from the measurements', t => {
  const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 }
  const regions = { document_front: { portrait: box } }
  const { measured, regions: traced } = traceOf(
    evidence({ document: { ...document, regions }, face: { ...face, regions: { selfie: { face: box } } } }),
  )
  t.deepEqual(traced, { ...regions, selfie: { face: box } })
  t.deepEqual(
    Object.keys(measured).filter(path => path.includes('regions')),
    [],
  )
})

test('every check passed stands there with its score, those of the policies too', t => {
  const { rules, issues } = traceOf({})
  t.deepEqual(issues, [])
  const passed = rules.filter(rule => rule.status === 'PASSED').map(({ rule, score }) => [rule, score])
  t.deepEqual(passed, [
    ['legibility', null],
    ['document_type', null],
    ['source', null],
    ['mrz_check_digits', null],
    ['mrz_codes', null],
    ['expiry', null],
    ['portrait', null],
    ['visual_surname', 1],
    ['last_name', null],
    ['first_name', null],
    ['date_of_birth', null],
    ['completeness', null],
    ['glare', 0],
    ['challenge', null],
    ['planarity', 0.1],
    ['continuity', 0.3],
    ['selfie', null],
    ['reference', null],
    ['comparison', 0.96],
    ['same_picture', null],
    ['on_compromised_device', null],
    ['on_developer_mode', null],
    ['on_emulator', null],
    ['on_vpn_or_proxy', null],
    ['on_gps_mock_location', null],
    ['on_gps_ip_location_mismatch', null],
    ['location_permission', null],
  ])
})

test('each rule stands there with how it counted in the decision', t => {
  const { rules, decision } = traceOf({
    findings: {
      ...input.findings,
      document: { ...document, glare: { score: 0.5, threshold: 0.02 } },
      liveness: null,
      face: { ...face, faces_in_selfie: 0, reported: [{ code: '7', issue: null, status: 'UNDETERMINED' }] },
    },
    signals: { ...input.signals, location_permission: 'denied' },
  })
  const effects = new Map(rules.map(({ rule, effect }) => [rule, effect]))
  t.is(decision, 'UNDETERMINED')
  t.deepEqual(
    ['mrz_codes', 'glare', 'liveness', 'selfie', 'unknown_codes', 'derived_expiry'].map(rule => effects.get(rule)),
    ['supports', 'warns', 'prevents_approval', 'prevents_approval', 'prevents_approval', 'none'],
  )
})

test('every issue of a result has its rule, with any input missing or bad', t => {
  const nothing = { document: null, liveness: null, face: null }
  const bad = { mrz: { ...mrz, valid: false, expiry_date: '200101', document_number: null }, sides_match: false }
  const cases: Partial<JudgeInput>[] = [
    evidence(nothing),
    { ...evidence(nothing), transaction_type: 'BIOMETRIC_ONLY', signals: {} },
    evidence({ document: { ...document, ...bad }, liveness: { ...liveness, continuity: null, challenge: [] } }),
    evidence({ document: { ...document, reading: 'UNSUPPORTED', glare: { score: 1, threshold: 0.1 } } }),
    evidence({ liveness: { ...liveness, method: 'PASSIVE', challenge: [], planarity: null, continuity: null } }),
    evidence({ face: { ...face, faces_in_selfie: 0 } }),
    evidence({ face: { ...face, usable: false, reference: null, same_picture: true } }),
    { signals: {}, expected_data: { first_name: 'Nobody', last_name: 'Else', date_of_birth: '1901-01-01' } },
  ]
  for (const changed of cases) {
    const { result_data } = judge({ ...input, ...changed })
    const traced = new Set(traceOf(changed).issues.map(issue => issue.code))
    t.deepEqual(
      result_data.issues.map(issue => issue.code).filter(code => !traced.has(code)),
      [],
    )
    t.true(
      result_data.issues.every(issue => Object.hasOwn(issueCatalogue, issue.code)) && result_data.issues.length > 0,
    )
  }
})

test("measurements are kept by their path; templates and the person's data are not", t => {
  const seen = { ...document, later_additions: [{ name: 'front', sharpness: { score: 3, threshold: 2 } }] }
  const { measured } = traceOf(evidence({ document: seen }))
  t.like(measured, {
    'document.portrait_found': true,
    'document.mrz.check_digits.composite.passed': true,
    'document.later_additions.front.sharpness.score': 3,
    'liveness.challenge.TURN_LEFT.passed': true,
    'liveness.planarity.threshold': 0.05,
    'face.distance': 0.4,
  })
  const text = JSON.stringify(traceOf({ expected_data: { first_name: 'Erika Maria', last_name: 'Mueller' } }))
  for (const secret of ['MUELLER', 'ERIKA', 'Mueller', 'C01X00T47', '640812', 'template', '48.85', '192.0.2.1'])
    t.false(text.includes(secret), secret)
})
