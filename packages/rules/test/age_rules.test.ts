import test from 'ava'
import { type AgePolicy, judgeAge } from '../age_rules.ts'
import type { JudgeInput } from '../judge.ts'
import { buildTrace } from '../trace.ts'
import type { WalletCheckName, WalletFindings } from '../wallet_findings.ts'
import { document, face, input, liveness, mrz } from './findings_samples.ts'

const names: readonly WalletCheckName[] = ['answer', 'binding', 'signature', 'issuer', 'validity', 'revocation']

function wallet(ages: WalletFindings['ages'], failed?: WalletCheckName): WalletFindings {
  return {
    format: 'MDOC',
    credential_type: 'eu.europa.ec.av.1',
    document_type: null,
    checks: names.map(name => ({ name, status: name === failed ? 'FAILED' : 'PASSED', reason: null })),
    claims: {
      last_name: null,
      first_name: null,
      date_of_birth: null,
      document_number: null,
      personal_number: null,
      nationality: null,
      issuing_country: null,
      sex: null,
      issue_date: null,
      expiry_date: null,
    },
    has_portrait: false,
    ages,
    disclosed: [],
    withheld: [],
    signer: null,
    root: null,
  }
}

function born(date_of_birth: string): JudgeInput {
  const shown = { ...document, mrz: { ...mrz, date_of_birth } }
  return { ...input, findings: { ...input.findings, document: shown } }
}

function answer(given: JudgeInput, over = 18) {
  const { result_data } = judgeAge(given, { over })
  const { decision, age, issues } = result_data
  return [decision, age.is_over, age.source, ...issues.filter(({ type }) => type !== 'INFO').map(({ code }) => code)]
}

/** Nothing but the wallet is there. */
function shownBy(findings: WalletFindings): JudgeInput {
  return { ...input, findings: { document: null, liveness: null, face: null, stages: {} }, wallet: findings }
}

test('a wallet’s issuer answers for the age, or for another one from which it follows', t => {
  const over = (...ages: readonly (readonly [number, boolean])[]) =>
    answer(shownBy(wallet(ages.map(([years, is]) => ({ over: years, answer: is })))))
  t.deepEqual(over([18, true]), ['APPROVED', true, 'WALLET'])
  t.deepEqual(over([21, true]), ['APPROVED', true, 'WALLET'])
  t.deepEqual(over([18, false]), ['REJECTED', false, 'WALLET', 'AGE_NOT_REACHED'])
  t.deepEqual(over([16, false]), ['REJECTED', false, 'WALLET', 'AGE_NOT_REACHED'])
  t.deepEqual(over([16, true]), ['UNDETERMINED', null, 'WALLET', 'AGE_NOT_EVALUABLE'])
  t.deepEqual(over([21, false]), ['UNDETERMINED', null, 'WALLET', 'AGE_NOT_EVALUABLE'])
  t.deepEqual(over(), ['UNDETERMINED', null, 'WALLET', 'AGE_NOT_EVALUABLE'])
})

test('an answer that is not proven is none', t => {
  const forged = wallet([{ over: 18, answer: true }], 'signature')
  t.deepEqual(answer(shownBy(forged)), ['REJECTED', null, 'WALLET', 'WALLET_SIGNATURE_INVALID'])
  const stranger = { ...face, distance: 0.9, similarity: null }
  const others = { ...born('640812'), findings: { ...input.findings, face: stranger } }
  t.deepEqual(answer(others), ['REJECTED', null, 'ZONE', 'FACE_MISMATCH'])
  const copied = { ...input, findings: { ...input.findings, liveness: null } }
  t.deepEqual(answer(copied), ['UNDETERMINED', null, 'ZONE', 'LIVENESS_NOT_EVALUABLE'])
})

test('a document answers from the day on which its holder reaches the age', t => {
  t.is(input.today, '2026-11-21')
  t.deepEqual(answer(born('081121')), ['APPROVED', true, 'ZONE'])
  t.deepEqual(answer(born('081122')), ['REJECTED', false, 'ZONE', 'AGE_NOT_REACHED'])
  t.deepEqual(answer(born('080229'), 18).slice(0, 2), ['APPROVED', true])
  const leap = { ...born('080229'), today: '2026-02-28' }
  t.is(answer(leap)[1], false, 'born on a leap day')
  t.is(answer({ ...leap, today: '2026-03-01' })[1], true)
  t.deepEqual(answer(born('081122'), 17), ['APPROVED', true, 'ZONE'])
})

test('nothing of the person is in the result and its trace: no names, no dates, no scores', t => {
  const policy: AgePolicy = { over: 18 }
  const shown = { ...document, visual_surname: { score: 0.1234567, threshold: 0.85 } }
  const given = { ...input, findings: { document: shown, face, liveness, stages: {} } }
  const judgement = judgeAge(given, policy)
  t.deepEqual(Object.keys(judgement.result_data), ['decision', 'issues', 'age'])
  t.is(judgement.template, null)
  const findings = { document: null, liveness: null, face: null, stages: {} }
  const trace = buildTrace({ judgement, findings, decided_at: 0, salt: 'salt' })
  t.deepEqual(trace.age, { over: 18, is_over: null, source: 'ZONE' })
  t.true(trace.issues.some(({ code }) => code === 'SURNAME_MISMATCH'))
  const text = JSON.stringify([judgement, trace])
  for (const word of ['MUELLER', 'ERIKA', '1964', '640812', 'C01X00T47', '0.1234567', '192.0.2.1', '48.85', '0.96'])
    t.false(text.includes(word), word)
})
