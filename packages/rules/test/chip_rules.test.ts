import test from 'ava'
import fc from 'fast-check'
import { type ChipInput, chipPolicies, judgeChip } from '../chip_rules.ts'
import type { ChipCheck, ChipCheckName, ChipReason, VisualZone } from '../findings.ts'
import { judge } from '../judge.ts'
import { document, input, mrz } from './findings_samples.ts'

const names: readonly ChipCheckName[] = [
  'files',
  'data_groups',
  'signature',
  'issuer',
  'revocation',
  'active_authentication',
]
const reasons: readonly ChipReason[] = ['UNREADABLE', 'NOT_SIGNED', 'NO_TRUST_ANCHOR', 'OUT_OF_TIME', 'NO_RESPONSE']
const details = { last_name: null, first_name: null, place_of_birth: null, issue_date: null }

function chipOf(checks: readonly ChipCheck[], zone = mrz): ChipInput {
  return { findings: { checks, mrz: zone, licence: null, details, signed_at: null, signer: null, root: null } }
}

const provenChecks = names.map(name => ({ name, status: 'PASSED', reason: null }) as const)
const proven = chipOf(provenChecks)

function decide(policy: (typeof chipPolicies)[number], chip: ChipInput, findings = input.findings) {
  const { result_data, ruleResults } = judge({ ...input, findings, chip: { policy, input: chip } })
  const codes = result_data.issues.map(({ code }) => code)
  return { decision: result_data.decision, codes, document: result_data.document, ruleResults }
}

test('a chip of which any check fails never passes, and one that is false rejects under every policy', t => {
  const anyCheck = fc.record({
    name: fc.constantFrom(...names),
    status: fc.constantFrom('UNDETERMINED' as const, 'FAILED' as const),
    reason: fc.constantFrom(...reasons),
  })
  fc.assert(
    fc.property(
      fc.array(anyCheck, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(...chipPolicies),
      (checks, policy) => {
        const judged = judgeChip(chipOf(checks), mrz, policy)
        const { decision } = decide(policy, chipOf(checks))
        if (policy === 'IGNORE') return judged === null && decision === 'APPROVED'
        const isFalse = checks.some(({ status, name }) => status === 'FAILED' && name !== 'files')
        if (isFalse) return judged?.data.status === 'REJECTED' && decision === 'REJECTED'
        return judged?.data.status !== 'PASSED' && (decision === 'APPROVED') === (policy === 'PREFER')
      },
    ),
  )
  t.is(decide('REQUIRE', proven).decision, 'APPROVED')
})

test('a chip of another number, date or name is of another document', t => {
  for (const other of [
    { document_number: 'C01X00T48' },
    { date_of_birth: '640813' },
    { expiry_date: '301101' },
    { last_name: 'SCHMIDT', first_name: 'PAUL' },
  ])
    t.deepEqual(decide('PREFER', chipOf(provenChecks, { ...mrz, ...other })).codes, ['CHIP_DATA_MISMATCH'])
  // Names are not protected by check digits: one letter may be misread.
  t.deepEqual(decide('PREFER', chipOf(provenChecks, { ...mrz, last_name: 'MUELLEN' })).codes, [])
})

test('an issuer is unknown where no certificate of its own state is imported', t => {
  const codeOf = (reason: ChipReason) =>
    decide('REQUIRE', chipOf([{ name: 'issuer', status: 'UNDETERMINED', reason }])).codes
  for (const reason of ['NO_TRUST_ANCHOR', 'ANOTHER_STATE', 'SIGNER_UNKNOWN'] as const)
    t.deepEqual(codeOf(reason), ['CHIP_ISSUER_UNKNOWN'], reason)
  t.deepEqual(codeOf('OUT_OF_TIME'), ['CHIP_NOT_EVALUABLE'])
})

test('a chip proves nothing about a page without a readable zone', t => {
  const findings = { ...input.findings, document: { ...document, reading: 'NOT_READABLE' as const, mrz: null } }
  const { decision, codes, document: section } = decide('REQUIRE', proven, findings)
  t.is(decision, 'UNDETERMINED')
  t.true(codes.includes('CHIP_NOT_EVALUABLE'))
  t.is(section?.data.chip?.checks.find(({ name }) => name === 'chip_zone')?.status, 'UNDETERMINED')
  const misread = { ...input.findings, document: { ...document, mrz: { ...mrz, valid: false } } }
  t.not(decide('REQUIRE', proven, misread).document?.data.chip?.status, 'PASSED')
})

test('the portrait of a proven chip replaces the printed one, and no other does', t => {
  const { face } = input.findings
  if (face === null) return t.fail()
  const far = { distance: face.reject_above + 1, similarity: null, same_picture: false }
  const near = { distance: 0, similarity: null, same_picture: false }
  const compare = (printed: typeof far, chip: typeof far | null, read: ChipInput = proven) => {
    const findings = { ...input.findings, face: { ...face, ...printed, chip } }
    const { result_data } = judge({ ...input, findings, chip: { policy: 'PREFER', input: read } })
    return [result_data.face_comparison.data.reference, result_data.face_comparison.status]
  }
  const unproven = chipOf([{ name: 'issuer', status: 'UNDETERMINED', reason: 'NO_TRUST_ANCHOR' }])
  t.deepEqual(compare(near, far), ['DOCUMENT_CHIP', 'REJECTED'])
  t.deepEqual(compare(far, near), ['DOCUMENT_CHIP', 'PASSED'])
  t.deepEqual(compare(near, null), ['DOCUMENT', 'PASSED'])
  t.deepEqual(compare(near, far, unproven), ['DOCUMENT', 'PASSED'])
  t.deepEqual(compare(far, near, unproven), ['DOCUMENT', 'REJECTED'])
  // Somebody's genuine chip beside a page whose zone nobody could read.
  const findings = {
    ...input.findings,
    document: { ...document, mrz: null },
    face: { ...face, ...far, chip: near },
  }
  t.is(decide('PREFER', proven, findings).decision, 'REJECTED')
  const copied = { ...input.findings, face: { ...face, ...near, chip: { ...near, same_picture: true } } }
  t.true(decide('PREFER', proven, copied).codes.includes('SELFIE_MATCHES_DOCUMENT_IMAGE'))
  const printed = { ...input.findings, face: { ...face, ...near, same_picture: true, chip: near } }
  t.true(decide('PREFER', proven, printed).codes.includes('SELFIE_MATCHES_DOCUMENT_IMAGE'))
})

test('a proven chip completes a name that the zone cuts off, and the day of issue', t => {
  const complete = (names: object, checks: readonly ChipCheck[] = provenChecks) => {
    const full = { ...details, place_of_birth: 'BERLIN', issue_date: '2020-11-01', ...names }
    const read = { findings: { checks, mrz, licence: null, details: full, signed_at: null, signer: null, root: null } }
    const { chip, last_name, first_name, issue_date } = decide('PREFER', read).document?.data ?? {}
    return [last_name, first_name, issue_date, chip?.place_of_birth]
  }
  const { last_name, first_name } = decide('PREFER', null).document?.data ?? {}
  const long = { last_name: `${last_name}-SCHMIDT`, first_name: `${first_name}LENA SOPHIE` }
  t.deepEqual(complete(long), [long.last_name, long.first_name, '2020-11-01', 'BERLIN'])
  // Another spelling, another name or another script is no completion.
  for (const names of [{ last_name: 'Müller' }, { last_name: 'SCHMIDT' }, { first_name: 'ЭРИКА' }])
    t.deepEqual(complete(names), [last_name, first_name, '2020-11-01', 'BERLIN'])
  const unproven = [{ name: 'signature', status: 'UNDETERMINED', reason: 'SIGNER_UNKNOWN' }] as const
  t.deepEqual(complete(long, unproven), [last_name, first_name, null, null])
})

test('a proven chip turns unreadable print into information, and no other chip does', t => {
  // A date that is surely printed otherwise than in the zone.
  const lines = [['MUELLER'], ['ERIKA', 'MARIA'], ['13.08.1964'], ['31.10.2030'], ['C01X00T47']]
  const visual: VisualZone = { lines, sure_lines: lines, legibility: { score: 0.9, threshold: 0.5 } }
  const findings = { ...input.findings, document: { ...document, visual_surname: null, visual } }
  const judged = (chip: ChipInput) => judge({ ...input, findings, chip: { policy: 'PREFER', input: chip } })
  const doubts = judged(null).ruleResults.filter(
    ({ check }) => /^visual_.*/.test(check.name) && check.status === 'UNDETERMINED',
  )
  t.true(doubts.length > 0)
  t.is(judged(null).decision, 'UNDETERMINED')
  t.is(judged(proven).decision, 'APPROVED')
  t.is(judged(chipOf([{ name: 'signature', status: 'FAILED', reason: 'NOT_SIGNED' }])).decision, 'REJECTED')
})
