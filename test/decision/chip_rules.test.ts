import test from 'ava'
import fc from 'fast-check'
import { type ChipInput, chipPolicies, judgeChip } from '../../src/decision/chip_rules.ts'
import type { ChipCheck, ChipCheckName, ChipReason, VisualZone } from '../../src/decision/findings.ts'
import { judge } from '../../src/decision/judge.ts'
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
  return { findings: { checks, mrz: zone, details, signed_at: null, signer: null, root: null } }
}

const proven = chipOf(names.map(name => ({ name, status: 'PASSED', reason: null })))

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
  const passed = names.map(name => ({ name, status: 'PASSED', reason: null }) as const)
  for (const other of [
    { document_number: 'C01X00T48' },
    { date_of_birth: '640813' },
    { expiry_date: '301101' },
    { last_name: 'SCHMIDT', first_name: 'PAUL' },
  ])
    t.deepEqual(decide('PREFER', chipOf(passed, { ...mrz, ...other })).codes, ['CHIP_DATA_MISMATCH'])
  // Names are not protected by check digits: one letter may be misread.
  t.deepEqual(decide('PREFER', chipOf(passed, { ...mrz, last_name: 'MUELLEN' })).codes, [])
})

test('a zone that was not read is compared with nothing', t => {
  const findings = { ...input.findings, document: { ...document, reading: 'NOT_READABLE' as const, mrz: null } }
  const { decision, document: section } = decide('REQUIRE', proven, findings)
  t.is(decision, 'UNDETERMINED')
  t.is(section?.data.chip?.checks.find(({ name }) => name === 'chip_zone')?.status, 'NOT_EXECUTED')
})

test('a proven chip makes what is not readable in print information, and no other chip does', t => {
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
