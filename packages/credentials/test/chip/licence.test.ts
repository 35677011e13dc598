import type { PrintReading } from '@attestor/rules'
import { judgeChip } from '@attestor/rules/testing'
import test from 'ava'
import { findPortraitFile, verifyChip } from '../../chip/verify_chip.ts'
import { type LicenceContent, personaliseLicence, specimenLicence } from '../../synthetic/chip.ts'
import { createState } from '../../synthetic/state.ts'
import { challenge, filesOf, listDoubts, makeFiles, now, trust, usual } from './invented_chip.ts'

const state = createState()
const anchors = trust([state.root])
const authentication = { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' } as const

function chipOf(change: Partial<LicenceContent> = {}) {
  return personaliseLicence(state, { ...specimenLicence, ...change }, usual)
}

function verify(change: Partial<LicenceContent> = {}) {
  return verifyChip(filesOf(chipOf(change)), anchors, now)
}

const page: PrintReading = {
  layout: 'LICENCE',
  document_type: 'DRIVING_LICENSE',
  issuing_country: null,
  not_printed: [],
  last_name: 'QUIST-ZAMMIT',
  first_name: 'ZOE BJORK',
  date_of_birth: '1984-07-09',
  issue_date: '2023-02-28',
  expiry_date: '2033-02-28',
  document_number: '4711007815',
  confirmed: ['last_name', 'first_name', 'date_of_birth', 'issue_date', 'expiry_date', 'document_number'],
}

test('the chip of a driving licence is proven by DG1, DG6 and the key in DG13, in either encoding of names', t => {
  for (const encoding of ['utf8', 'latin1'] as const) {
    const findings = verify({ encoding, authentication })
    t.deepEqual(listDoubts(findings), [])
    t.is(findings.mrz, null)
    const { portrait: _, ...expected } = specimenLicence
    t.deepEqual(findings.licence, expected)
    t.like(findings.details, { last_name: 'Quist-Zammit', place_of_birth: 'Zenith', issue_date: '2023-02-28' })
  }
})

test('a forged, copied, foreign or incomplete chip is not believed', t => {
  const files = filesOf(chipOf({ authentication }))
  const doubts = (change: Partial<typeof files>, trusted = anchors): string[] =>
    listDoubts(verifyChip({ ...files, ...change }, trusted, now))
  const other = filesOf(chipOf({ authentication, document_number: '4711007816' }))
  const { dg1 = Buffer.alloc(0) } = other.data_groups
  t.deepEqual(doubts({ data_groups: { ...files.data_groups, dg1 } }), ['data_groups FAILED DIGEST_DIFFERS'])
  t.deepEqual(doubts({ answer: null }), ['active_authentication UNDETERMINED NO_RESPONSE'])
  const response = chipOf({ authentication }).answer?.(challenge) ?? Buffer.alloc(0)
  t.deepEqual(doubts({ answer: { challenge, response } }), ['active_authentication FAILED NOT_SIGNED'])
  const { dg6: _, ...withoutPortrait } = files.data_groups
  t.deepEqual(doubts({ data_groups: withoutPortrait }), ['files UNDETERMINED UNREADABLE'])
  t.deepEqual(doubts({}, trust([createState().root])), ['issuer UNDETERMINED NO_TRUST_ANCHOR'])
  t.deepEqual(listDoubts(verify({ issuing_state: 'NLD' })), ['issuer UNDETERMINED ANOTHER_STATE'])
  t.deepEqual(listDoubts(verify({ issuing_state: 'UT' })), [])
})

test('the portrait is that of DG6 in a licence, and of DG2 in a passport, whatever else is sent', t => {
  const licence = filesOf(chipOf()).data_groups
  const passport = makeFiles(state).data_groups
  t.is(findPortraitFile({ ...licence, dg2: Buffer.from([1]) }), licence.dg6 ?? null)
  t.is(findPortraitFile({ ...passport, dg6: Buffer.from([1]) }), passport.dg2 ?? null)
})

test('a licence’s chip belongs to the page whose number and birth it has; misread print accuses nobody', t => {
  const judge = (change: Partial<PrintReading> | null, content: Partial<LicenceContent> = {}) => {
    const print = change === null ? null : { ...page, ...change }
    const judged = judgeChip({ findings: verify(content) }, null, 'REQUIRE', print)
    const zone = judged?.results.find(({ check }) => check.name === 'chip_zone')
    return [judged?.data.status, ...(zone?.issues.flatMap(({ details }) => details?.fields ?? []) ?? [])]
  }
  t.deepEqual(judge({}), ['PASSED'])
  t.deepEqual(judge({ document_number: '4711007815 02' }), ['PASSED'])
  t.deepEqual(judge({ first_name: null }), ['PASSED'])
  t.deepEqual(judge(null), ['UNDETERMINED'])
  t.deepEqual(judge({ document_number: null }), ['UNDETERMINED'])
  t.deepEqual(judge({ document_number: '4711007816' }), ['REJECTED', 'document_number'])
  t.deepEqual(judge({ document_number: '4711007816', confirmed: [] }), ['UNDETERMINED'])
  t.deepEqual(judge({}, { date_of_birth: '1984-07-08' }), ['REJECTED', 'date_of_birth'])
  t.deepEqual(judge({ last_name: 'BRANDT' }), ['REJECTED', 'last_name'])
  t.deepEqual(judge({ last_name: 'ZAMMIT QUIST' }), ['PASSED'])
})
