import test from 'ava'
import fc from 'fast-check'
import { decide, sectionStatus } from '../decision.ts'
import type { DevicePolicy } from '../device_policy.ts'
import { defaultDevicePolicy } from '../device_policy.ts'
import type { IssueCode } from '../issues.ts'
import { createIssue, getIssueEntry, issueCatalogue, orderIssues } from '../issues.ts'
import type { JudgeInput } from '../judge.ts'
import { failedResult, findReason, judge } from '../judge.ts'
import { buildMetadata } from '../metadata.ts'
import { document, face, input, liveness, mrz, observed, signals } from './findings_samples.ts'

const actions = ['REJECT', 'WARN', 'IGNORE'] as const
const members = Object.keys(defaultDevicePolicy) as (keyof DevicePolicy)[]
const codesOf: Readonly<Record<keyof DevicePolicy, readonly IssueCode[]>> = {
  on_compromised_device: ['COMPROMISED_DEVICE', 'COMPROMISED_DEVICE_NOT_EVALUABLE'],
  on_developer_mode: ['DEVELOPER_MODE_ENABLED', 'DEVELOPER_MODE_NOT_EVALUABLE'],
  on_emulator: ['EMULATOR_DETECTED', 'EMULATOR_NOT_EVALUABLE'],
  on_virtual_camera: ['VIRTUAL_CAMERA_DETECTED', 'VIRTUAL_CAMERA_NOT_EVALUABLE'],
  on_unattested_device: ['DEVICE_NOT_ATTESTED'],
  on_unlocked_bootloader: ['BOOTLOADER_UNLOCKED', 'BOOTLOADER_NOT_EVALUABLE'],
  on_other_app: ['OTHER_APP_DETECTED', 'OTHER_APP_NOT_EVALUABLE'],
  on_vpn_or_proxy: ['VPN_OR_PROXY_DETECTED', 'VPN_OR_PROXY_NOT_EVALUABLE'],
  on_gps_mock_location: ['MOCK_LOCATION_DETECTED', 'MOCK_LOCATION_NOT_EVALUABLE'],
  on_gps_ip_location_mismatch: ['GEO_IP_MISMATCH', 'GEO_IP_MISMATCH_NOT_EVALUABLE'],
}

const flag = fc.constantFrom(true, false, null)
const measured = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom({ score: 0.9, threshold: 0.5 }, { score: 0.1, threshold: 0.5 }, null) },
  fc.record({ score: fc.double(), threshold: fc.double() }),
)

/** A sample with some of its members changed: mostly good, so that every decision is met. */
function change<Sample extends object>(
  sample: Sample,
  arbitraries: { readonly [Key in keyof Sample]?: fc.Arbitrary<Sample[Key]> },
): fc.Arbitrary<Sample> {
  const others = Object.entries<fc.Arbitrary<unknown> | undefined>(arbitraries)
  const parts = others.flatMap(([key, other]) => {
    const kept = fc.constant<unknown>(Reflect.get(sample, key))
    return other === undefined ? [] : [fc.oneof({ weight: 9, arbitrary: kept }, other).map(value => [key, value])]
  })
  return fc.tuple(...parts).map(changed => ({ ...sample, ...Object.fromEntries(changed) }))
}

const someMrz = change(mrz, {
  valid: fc.boolean(),
  expiry_date: fc.constantFrom('300101', '200101', '261201', '99999', null),
  last_name: fc.constantFrom('DOE', null),
  date_of_birth: fc.constantFrom('640812', '991332', null),
  document_code: fc.constantFrom('P', 'ID', 'V'),
  corrected_characters: fc.nat(3),
})
const someVisual = fc.record({
  lines: fc
    .subarray(['MÜLLER', 'ERIKA MARIA', '12.08.1964', '31.10.2030', 'LINDQVIST', '03.02.1991'])
    .map(lines => lines.map(line => line.split(' '))),
  legibility: fc.constantFrom(
    { score: 12, threshold: 8 },
    { score: 2, threshold: 8 },
    { score: Number.NaN, threshold: 8 },
  ),
})
const someDocument = change(document, {
  visual: fc.option(someVisual),
  reading: fc.constantFrom('READ', 'NOT_READABLE', 'UNSUPPORTED'),
  mrz: fc.option(someMrz),
  portrait_found: fc.boolean(),
  sides_match: flag,
  visual_surname: measured,
  glare: measured,
})
const someLiveness = change(liveness, {
  method: fc.constantFrom('ACTIVE', 'PASSIVE', 'EXTERNAL'),
  challenge: fc.array(fc.record({ action: fc.constantFrom('TURN_LEFT', 'BLINK'), passed: flag }), { maxLength: 3 }),
  planarity: measured,
  continuity: measured,
})
const someFace = change(face, {
  faces_in_selfie: fc.nat(2),
  usable: fc.boolean(),
  reference: fc.constantFrom('DOCUMENT', 'ENROLLED_FACE', null),
  distance: fc.option(fc.double()),
  similarity: measured,
  same_picture: fc.boolean(),
  reference_outdated: fc.boolean(),
})
const someEvidence = change(input.findings, {
  document: fc.option(someDocument),
  liveness: fc.option(someLiveness),
  face: fc.option(someFace),
})
const someSignals = fc.record({
  device: fc.option(
    fc.record(
      { is_emulator: flag, root_detected: flag, developer_mode_enabled: flag, debugger_attached: flag },
      { requiredKeys: [] },
    ),
  ),
  network: fc.option(fc.record({ vpn_detected: flag, proxy_detected: flag, tor_detected: flag }, { requiredKeys: [] })),
  geolocation: fc.option(
    fc.record(
      { latitude: fc.constantFrom(48.85, 40.4, Number.NaN, null), longitude: fc.double(), is_mock_location: flag },
      { requiredKeys: [] },
    ),
  ),
  location_permission: fc.constantFrom('not_requested', 'granted', 'denied', null),
})
const action = fc.constantFrom(...actions)
const somePolicy = change(defaultDevicePolicy, Object.fromEntries(members.map(member => [member, action])))

/** Most parts stay good, so that approval is common enough to be tested. */
const inputs: fc.Arbitrary<JudgeInput> = change(input, {
  transaction_type: fc.constantFrom('DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY'),
  findings: someEvidence,
  signals: fc.oneof(fc.constant(signals), someSignals),
  observed: fc.constantFrom(observed, { ip_address: null, ip_country: null }, { ...observed, ip_country: 'US' }),
  device_policy: somePolicy,
  expected_data: fc.constantFrom(
    null,
    { last_name: 'Mueller' },
    { first_name: 'Olga' },
    { date_of_birth: '1999-01-01' },
  ),
})

function holds(predicate: (given: JudgeInput) => boolean): void {
  fc.assert(fc.property(inputs, predicate), { numRuns: 500, seed: 20261121 })
}

test('a verification that nothing speaks against is approved, without issues, and its face is enrolled', t => {
  const { result_data, decision, template } = judge(input)
  t.is(decision, 'APPROVED')
  t.deepEqual(result_data.issues, [])
  t.deepEqual(Object.keys(result_data), ['decision', 'issues', 'document', 'liveness', 'face_comparison', 'metadata'])
  t.is(template, face.template)
})

test('a step-up compares with the enrolled face, has no document section and enrols nothing', t => {
  const enrolled = { ...input.findings, document: null, face: { ...face, reference: 'ENROLLED_FACE' as const } }
  const { result_data, decision, template } = judge({
    ...input,
    transaction_type: 'BIOMETRIC_ONLY',
    findings: enrolled,
  })
  t.is(decision, 'APPROVED')
  t.deepEqual(Object.keys(result_data), ['decision', 'issues', 'liveness', 'face_comparison', 'metadata'])
  t.is(template, null)
})

test('a step-up of somebody with no enrolled face is undetermined and says so', t => {
  const evidence = { ...input.findings, document: null, face: { ...face, reference: null, distance: null } }
  const { result_data } = judge({ ...input, transaction_type: 'BIOMETRIC_ONLY', findings: evidence })
  t.is(result_data.decision, 'UNDETERMINED')
  t.is(result_data.face_comparison.status, 'NOT_EXECUTED')
  t.deepEqual(
    result_data.issues.map(issue => `${issue.type} ${issue.code}`),
    ['WARN FACE_NOT_ENROLLED'],
  )
})

test('the device policy applies to a step-up too, and its rejection enrols nobody', t => {
  const rooted = { ...signals, device: { ...signals.device, root_detected: true } }
  const { decision, template, result_data } = judge({ ...input, signals: rooted })
  t.is(decision, 'REJECTED')
  t.is(template, null)
  t.is(result_data.document?.status, 'PASSED')
  t.is(judge({ ...input, transaction_type: 'BIOMETRIC_ONLY', signals: rooted }).decision, 'REJECTED')
})

test('a failure is undetermined with its one reason and the metadata', t => {
  const metadata = buildMetadata(signals, observed)
  for (const code of ['ANALYSIS_ERROR', 'ANALYSIS_TIMEOUT', 'CAPTURE_UNREADABLE', 'CANCELLED'] as const) {
    t.deepEqual(failedResult(code, signals, observed), {
      decision: 'UNDETERMINED',
      issues: [{ type: 'WARN', code, message: getIssueEntry(code).message }],
      metadata,
    })
  }
})

test('every result says once why its geolocation is null', t => {
  const reasons = ['GEOLOCATION_NOT_REQUESTED', 'GEOLOCATION_DENIED']
  const saysWhy = ({ issues, metadata }: Pick<ReturnType<typeof failedResult>, 'issues' | 'metadata'>): boolean =>
    issues.filter(({ type, code }) => type === 'INFO' && reasons.includes(code)).length ===
    (metadata.geolocation === null ? 1 : 0)
  holds(given => saysWhy(judge(given).result_data))
  holds(given => saysWhy(failedResult('CANCELLED', given.signals, given.observed)))
  const denied = failedResult('CANCELLED', { ...signals, location_permission: 'denied' }, observed)
  t.deepEqual(
    denied.issues.map(({ type, code }) => [type, code]),
    [
      ['WARN', 'CANCELLED'],
      ['INFO', 'GEOLOCATION_DENIED'],
    ],
  )
})

/** Every object with a score that a value holds. */
function scoresIn(value: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return []
  const within = Object.values(value).flatMap(scoresIn)
  return 'score' in value ? [value as Record<string, unknown>, ...within] : within
}

function passes({ score, threshold, passes_when }: Readonly<Record<string, unknown>>): boolean {
  return passes_when === 'at_least' ? Number(score) >= Number(threshold) : Number(score) <= Number(threshold)
}

test('every score of a result has a threshold, and says which way it counts', t => {
  let passed = 0
  let missed = 0
  holds(given => {
    const { issues, ...sections } = judge(given).result_data
    const scores = scoresIn({ issues, ...sections })
    const isWhole = scores.every(({ score, threshold, passes_when }) =>
      score === null
        ? threshold === null && passes_when === null
        : typeof threshold === 'number' && ['at_least', 'at_most'].includes(String(passes_when)),
    )
    // A measurement that an issue names is why the issue is there.
    const blamed = issues.filter(({ details }) => details?.score !== undefined)
    const compared = scores.filter(({ status, score }) => status !== undefined && score !== null)
    passed += compared.filter(({ status }) => status === 'PASSED').length
    missed += blamed.length
    return (
      isWhole &&
      blamed.every(({ details = {} }) => !passes(details)) &&
      compared.every(check => (check.status === 'PASSED') === passes(check))
    )
  })
  t.true(passed > 100 && missed > 10, `${passed} passed, ${missed} missed`)
})

test('a decision follows from reject issues and required sections alone', t => {
  t.is(decide([createIssue('EXPIRED_DOCUMENT')], ['PASSED']), 'REJECTED')
  t.is(decide([createIssue('DOCUMENT_GLARE'), createIssue('GEOLOCATION_DENIED')], ['PASSED']), 'APPROVED')
  t.is(decide([], ['PASSED', 'NOT_EXECUTED']), 'UNDETERMINED')
  t.is(decide([], []), 'UNDETERMINED', 'nothing looked at approves nobody')
  t.is(sectionStatus(['PASSED', 'UNDETERMINED', 'REJECTED']), 'REJECTED')
  t.is(sectionStatus(['PASSED', 'UNDETERMINED', 'NOT_EXECUTED']), 'UNDETERMINED')
  t.is(sectionStatus([]), 'NOT_EXECUTED')
})

test('issues are ordered by type, section and catalogue, whatever order they came in', t => {
  const all = (Object.keys(issueCatalogue) as IssueCode[]).map(code => createIssue(code))
  const ordered = orderIssues(all)
  fc.assert(
    fc.property(fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }), shuffled => {
      t.deepEqual(orderIssues(shuffled), ordered)
    }),
    { numRuns: 50 },
  )
  const types = ordered.map(issue => issue.type).filter((type, index, list) => type !== list[index - 1])
  t.deepEqual(types, ['REJECT', 'WARN', 'INFO'])
  const warned = ordered.filter(issue => issue.type === 'WARN').map(issue => getIssueEntry(issue.code).section)
  t.deepEqual([...new Set(warned)], ['document', 'liveness', 'face', 'device', 'network', 'location', 'transaction'])
  t.is(new Set(warned.filter((name, index) => name !== warned[index - 1])).size, 7)
})

test('the generated inputs meet every decision, so that the properties below say something', t => {
  const met = fc.sample(inputs, { numRuns: 500, seed: 20261121 }).map(given => judge(given).decision)
  for (const decision of ['APPROVED', 'REJECTED', 'UNDETERMINED'] as const) {
    t.true(met.filter(other => other === decision).length >= 25, decision)
  }
})

test('a WARN policy never changes a decision: it decides as IGNORE does', t => {
  for (const member of members) {
    const under = (given: JudgeInput, chosen: 'WARN' | 'IGNORE') =>
      judge({ ...given, device_policy: { ...given.device_policy, [member]: chosen } }).decision
    t.notThrows(() => holds(given => under(given, 'WARN') === under(given, 'IGNORE')), member)
  }
})

test('an IGNORE policy never emits its codes', t => {
  for (const member of members) {
    const ignoring = (given: JudgeInput) =>
      judge({ ...given, device_policy: { ...given.device_policy, [member]: 'IGNORE' } }).result_data.issues
    t.notThrows(() => holds(given => ignoring(given).every(issue => !codesOf[member].includes(issue.code))), member)
  }
})

test('a reject issue and a rejection imply each other, and a rejected section has its reject issue', t => {
  t.notThrows(() =>
    holds(given => {
      const { result_data: result } = judge(given)
      const rejects = result.issues.some(issue => issue.type === 'REJECT')
      const sections = [result.document, result.liveness, result.face_comparison]
      const rejected = sections.some(section => section?.status === 'REJECTED')
      return rejects === (result.decision === 'REJECTED') && (!rejected || rejects)
    }),
  )
})

test('every decision but an approval has a reason: the first issue of what rejected, or prevented an approval', t => {
  t.notThrows(() =>
    holds(given => {
      const judged = judge(given)
      const { decision, result_data, ruleResults } = judged
      const reason = findReason(judged)
      if (decision === 'APPROVED') return reason === null
      if (decision === 'REJECTED') return reason === result_data.issues[0]?.code
      const raisedBy = ruleResults.filter(({ issues }) => issues.some(({ code }) => code === reason))
      return raisedBy.some(({ effect }) => effect === 'prevents_approval')
    }),
  )
})

test('every issue is of the catalogue, in a type that it allows there, once and in order', t => {
  t.notThrows(() =>
    holds(given => {
      const { issues } = judge(given).result_data
      const known = issues.every(({ code, type, message }) => {
        const entry = getIssueEntry(code)
        return entry.types.includes(type) && entry.message === message
      })
      return (
        known &&
        new Set(issues.map(issue => issue.code)).size === issues.length &&
        sameJson(orderIssues(issues), issues)
      )
    }),
  )
})

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Paths of everything that JSON would lose: undefined, NaN and infinities. */
function lostInJson(value: unknown, path = ''): string[] {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return [path]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, child]) => lostInJson(child, `${path}.${key}`))
}

function keysOf(value: object | null | undefined): string {
  return Object.keys(value ?? {}).join()
}

test('every result survives JSON, has all its keys and is the same for the same input', t => {
  const whole = judge(input).result_data
  t.notThrows(() =>
    holds(given => {
      const { result_data: result } = judge(given)
      const { document: doc, liveness: live, face_comparison: compared, metadata } = result
      return (
        lostInJson(result).length === 0 &&
        (doc === undefined) === (given.transaction_type === 'BIOMETRIC_ONLY') &&
        (doc === undefined || keysOf(doc.data) === keysOf(whole.document?.data)) &&
        keysOf(live.data) === keysOf(whole.liveness.data) &&
        keysOf(compared.data) === keysOf(whole.face_comparison.data) &&
        keysOf(metadata.device) === keysOf(whole.metadata.device) &&
        keysOf(metadata.network) === keysOf(whole.metadata.network) &&
        (metadata.geolocation === null || keysOf(metadata.geolocation) === keysOf(whole.metadata.geolocation)) &&
        sameJson(judge(structuredClone(given)).result_data, result)
      )
    }),
  )
})

test('an approval needs every section passed, and without an enrolled face there is none for a step-up', t => {
  t.notThrows(() =>
    holds(given => {
      const { decision, template, result_data: result } = judge(given)
      const onboarding = given.transaction_type === 'DOCUMENT_AND_BIOMETRIC'
      if (decision !== 'APPROVED') return template === null
      const reference = onboarding ? 'DOCUMENT' : 'ENROLLED_FACE'
      const passed = [result.liveness, result.face_comparison].every(section => section.status === 'PASSED')
      const documented = !onboarding || result.document?.status === 'PASSED'
      return passed && documented && given.findings.face?.reference === reference && (onboarding || template === null)
    }),
  )
})

const complete = {
  ...input.findings,
  liveness: {
    ...liveness,
    presence: { score: 0.9, threshold: 0.5 },
    surroundings: { score: 0.3, threshold: 0.8 },
    nearest: { score: 0.3, threshold: 0.5 },
    seen_before: { score: 0.1, threshold: 0.01 },
  },
}

test('a measurement without a number leads to no approval', t => {
  t.is(judge({ ...input, findings: complete }).decision, 'APPROVED')
  const numbers = (['planarity', 'continuity', 'presence', 'surroundings', 'nearest', 'seen_before'] as const).flatMap(
    rule => (['score', 'threshold'] as const).map(number => [rule, number] as const),
  )
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    for (const [rule, number] of numbers) {
      const broken = { ...complete.liveness, [rule]: { ...complete.liveness[rule], [number]: value } }
      const { decision } = judge({ ...input, findings: { ...complete, liveness: broken } })
      t.is(decision, 'UNDETERMINED', `${rule}.${number} ${value}`)
    }
    for (const number of ['distance', 'accept_below', 'reject_above']) {
      const broken = { ...face, [number]: value }
      t.is(judge({ ...input, findings: { ...complete, face: broken } }).decision, 'UNDETERMINED', number)
    }
  }
})
