import { word } from '@attestor/console-page/testing'
import { buildTrace, defaultDevicePolicy, type JudgeInput, judge } from '@attestor/rules'
import test from 'ava'
import { document, face, input, liveness } from '../../packages/rules/test/findings_samples.ts'
import { explain } from '../../src/console/explain.ts'
import { createScene, type ScriptedCode, scriptedCodes } from '../../src/verification/transactions/scenes.ts'

function explained(changed: Partial<JudgeInput>) {
  const judged = { ...input, ...changed }
  const judgement = judge(judged)
  const trace = buildTrace({ judgement, findings: judged.findings, decided_at: 0, salt: 'salt' })
  const common = { status: 'FINISHED', is_erased: false, awaiting_review: false, failure: null, review: null } as const
  return { ...explain({ ...common, trace: { trace, pinned: true } }), decision: judgement.decision }
}

type Explained = ReturnType<typeof explained>

/** Returns the decision that follows from the shown effects of the rules. */
function addUp({ rules }: Explained): string {
  const effects = new Set(rules.map(({ effect }) => effect))
  return effects.has('rejects') ? 'REJECTED' : effects.has('prevents_approval') ? 'UNDETERMINED' : 'APPROVED'
}

/** Lists the findings of an analysis, alone and beside a missing section, in both types of transaction. */
function listCases(): Partial<JudgeInput>[] {
  const expected_data = { first_name: 'Zoë', last_name: 'Ångström', date_of_birth: '1990-05-17' }
  const { today } = input
  const sceneOf = (code: ScriptedCode, transaction_type: JudgeInput['transaction_type']) => {
    const picture = new Uint8Array()
    const images = { document_front: picture, document_back: null, selfie: picture, enrolled_face: null }
    const request = { transaction_id: 'one', transaction_type, challenge: null, ...images }
    const scene = createScene([code], { request, expected_data, today })
    return { ...scene, transaction_type, expected_data, device_policy: defaultDevicePolicy }
  }
  return (['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY'] as const).flatMap(type =>
    scriptedCodes
      .map(code => sceneOf(code, type))
      .flatMap(scene => [
        scene,
        ...(['document', 'liveness', 'face'] as const).map(section => ({
          ...scene,
          findings: { ...scene.findings, [section]: null },
        })),
      ]),
  )
}

test('the effects of all rules add up to the decision, for any findings', t => {
  const cases = listCases()
  const decisions = new Set<string>()
  for (const one of cases) {
    const found = explained(one)
    decisions.add(found.decision)
    t.is(addUp(found), found.decision, found.sentence)
  }
  t.true(cases.length > 200)
  t.deepEqual([...decisions].sort(), ['APPROVED', 'REJECTED', 'UNDETERMINED'])
})

test('a score beside a limit that says the opposite names the measurement that decided', t => {
  for (const one of listCases()) {
    for (const rule of explained(one).rules) {
      const { score, threshold, passes_when, status } = rule
      if (score === null || threshold === null) continue
      const passes = passes_when === 'at_least' ? score >= threshold : score <= threshold
      // A rule that only reports always passes.
      if (rule.effect === 'warns') continue
      t.is(rule.score_decides, passes === (status === 'PASSED'), `${rule.section} ${rule.rule}`)
    }
  }
})

test('a required section that did not run prevents an approval, and says so', t => {
  const found = explained({ findings: { ...input.findings, liveness: null } })
  t.is(found.sentence, 'Undetermined: liveness could not be evaluated.')
  t.like(
    found.rules.find(({ section }) => section === 'liveness'),
    {
      status: 'NOT_EXECUTED',
      effect: 'prevents_approval',
    },
  )
  const faceless = explained({ findings: { ...input.findings, face: { ...face, faces_in_selfie: 0 } } })
  t.like(
    faceless.rules.find(({ rule }) => rule === 'selfie'),
    { effect: 'prevents_approval' },
  )
})

test('a rule that only reports never counts', t => {
  const copied = { same_picture: true, picture_distance: { score: 0.1, threshold: 0.2 } }
  const found = explained({
    findings: {
      ...input.findings,
      document: { ...document, glare: { score: 0.5, threshold: 0.02 } },
      liveness: { ...liveness, sizes_differ: false },
      face: { ...face, ...copied },
    },
  })
  const effectOf = (name: string) => found.rules.find(({ rule }) => rule === name)?.effect
  t.deepEqual(['glare', 'same_picture', 'frame_size'].map(effectOf), ['warns', 'warns', 'none'])
  t.is(found.decision, 'APPROVED')
  const near = { same_picture: false, picture_residual: { score: 0.04, threshold: 0.01 } }
  const other = explained({ findings: { ...input.findings, face: { ...face, ...copied, ...near } } })
  t.like(
    other.rules.find(({ rule }) => rule === 'same_picture'),
    { score: 0.04, threshold: 0.01, score_decides: true, effect: 'none' },
  )
})

test('every rule has a name in the console, and stands under what it is about', t => {
  const rules = listCases().flatMap(one => explained(one).rules)
  const toWords = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
  const unnamed = new Set(rules.map(({ rule }) => rule).filter(rule => word('rule', rule) === toWords(rule)))
  t.deepEqual([...unnamed], [])
  const sections = new Map(rules.map(({ rule, section }) => [rule, section]))
  t.is(sections.get('on_vpn_or_proxy'), 'network')
  t.is(sections.get('on_gps_mock_location'), 'location')
})
