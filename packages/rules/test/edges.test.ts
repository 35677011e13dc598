import test from 'ava'
import { judgeDocumentCapture } from '../capture_feedback.ts'
import { findEarliestDay } from '../dates.ts'
import { applyDevicePolicy, defaultDevicePolicy } from '../device_policy.ts'
import { judgeDocument } from '../document_rules.ts'
import { adviseAtEnd } from '../end_advice.ts'
import { judgeFace } from '../face_rules.ts'
import type { BarcodeReading, FaceFindings, LivenessFindings, ReportedCode } from '../findings.ts'
import { readBarcodeHolder, toDocumentType } from '../holder.ts'
import { createIssue } from '../issues.ts'
import { findReason, judge } from '../judge.ts'
import { judgeLiveness } from '../liveness_rules.ts'
import { areCoordinates, buildMetadata, findPermission, type ReportedSignals } from '../metadata.ts'
import { isEndless } from '../printed_dates.ts'
import { findResubmittedParts } from '../resubmission.ts'
import { matchesExpected } from '../unknown_document.ts'
import { computeCheckDigit, splitNumber } from '../zone/check_digits.ts'
import { toMrzReading } from '../zone/mrz_reading.ts'
import { checkZoneAndBarcode } from '../zone_and_barcode.ts'
import { document, face, input, liveness, mrz, observed, signals, today } from './findings_samples.ts'

const barcode: BarcodeReading = {
  format: 'AAMVA',
  version: 8,
  document_type: 'DRIVING_LICENSE',
  issuing_country: 'USA',
  jurisdiction: 'CA',
  document_number: 'C01X00T47',
  last_name: 'MUELLER',
  first_name: 'ERIKA MARIA',
  date_of_birth: '1964-08-12',
  sex: 'F',
  issue_date: null,
  expiry_date: '2030-10-31',
  truncated: [],
}

test('a check digit is that of ICAO 9303-3, and a long number runs on from two signs on', t => {
  for (const [text, digit] of [
    ['L898902C3', 6],
    ['740812', 2],
    ['120415', 9],
    ['D23145890734', 9],
    ['ZE184226B<<<<<', 1],
  ] as const)
    t.is(computeCheckDigit(text), digit, text)
  const lines = (optional: string) => [`I<UTOD23145890<${optional.padEnd(15, '<')}`, '', '']
  t.deepEqual(splitNumber('TD1', lines('7349')), { number: 'D23145890734', digit: '9', taken: 5 })
  t.deepEqual(splitNumber('TD1', lines('7')), { number: 'D23145890', digit: '<', taken: 0 })
})

test('the sex on a Mexican card is that of its own words', t => {
  const read = (sex: string) =>
    toMrzReading({
      format: 'TD1',
      lines: [
        'IDMEX1234567890<<<<<<<<<<<<<<<',
        `6408125${sex}3010315MEX<<<<<<<<<<<0`,
        'MUELLER<<ERIKA<<<<<<<<<<<<<<<<',
      ],
      corrected: 0,
      checks: [],
    }).sex
  t.deepEqual(['H', 'M', 'X', '<'].map(read), ['M', 'F', 'X', 'X'])
})

test('each type of document has its codes', t => {
  const types = {
    P: 'PASSPORT',
    PD: 'PASSPORT',
    I: 'ID_CARD',
    ID: 'ID_CARD',
    IR: 'RESIDENCE_PERMIT',
    AR: 'RESIDENCE_PERMIT',
  }
  for (const [code, type] of Object.entries(types))
    t.is(toDocumentType(code), type as ReturnType<typeof toDocumentType>)
  t.is(toDocumentType('AC'), null)
})

test('a birth in the future is of no barcode, and centuries of a zone need not agree with it', t => {
  const on = (date_of_birth: string) => readBarcodeHolder({ ...barcode, date_of_birth }, { today }).date_of_birth
  t.deepEqual([on('2026-11-21'), on('2026-11-22')], ['2026-11-21', null])
  const agree = (zone: string, coded: string) =>
    checkZoneAndBarcode(
      { ...document, mrz: { ...mrz, date_of_birth: zone }, barcode: { ...barcode, date_of_birth: coded } },
      today,
    ).check.status
  t.deepEqual([agree('200101', '1920-01-01'), agree('200101', '1920-01-02')], ['PASSED', 'REJECTED'])
})

test('the years 9999 of a zone are its endless days', t => {
  t.deepEqual(
    ['990101', '991231', '990102', '<<<<<<', '000000', '999999'].map(printed => isEndless(printed, today, [])),
    [true, true, false, true, true, true],
  )
})

test('expected data is compared as it is meant', t => {
  const status = (expected: object, findings = document) => judgeDocument(findings, expected, today).section.status
  t.is(status({ document_number: 'c01x-00t47' }), 'PASSED')
  t.is(status({ document_number: 'c01x00t48' }), 'REJECTED')
  const cut = (truncated: BarcodeReading['truncated']) => ({
    ...document,
    mrz: null,
    barcode: { ...barcode, first_name: 'BARTHOLOM', truncated },
  })
  const long = { first_name: 'Bartholomew', last_name: 'Mueller' }
  const checkOf = (findings: ReturnType<typeof cut>) =>
    judgeDocument(findings, long, today).section.data.checks.find(({ name }) => name === 'expected_first_name')
  t.is(checkOf(cut(['first_name']))?.score, 1)
  t.not(checkOf(cut([]))?.score, 1)
  const named = (last_name: string) => status({ last_name }, { ...document, mrz: { ...mrz, last_name: 'HANSEN' } })
  t.deepEqual(['Hansen', 'Jansen', 'Hammer'].map(named), ['PASSED', 'PASSED', 'REJECTED'])
  const kemper = { ...document, mrz: { ...mrz, last_name: 'KEMPER' } }
  t.is(status({ last_name: 'Keller' }, kemper), 'REJECTED', 'of a similarity of 0.82')
})

test('a document of an unknown kind has the expected number alone, and in all its signs', t => {
  const expected = {
    last_name: 'Smithson',
    first_name: 'Albert',
    date_of_birth: '1964-08-12',
    document_number: 'AB12345',
  }
  const shows = (number: string) =>
    matchesExpected(
      {
        ...document,
        reading: 'NOT_READABLE',
        mrz: null,
        unknown_print: [[['SMITHSON'], ['ALBERT'], ['12.08.1964'], number.split(' ')]],
      },
      expected,
    )
  t.deepEqual(['AB12345', 'AB 123-45', 'AB123456', 'XAB12345', 'AB1234'].map(shows), [true, true, false, false, false])
})

test('two sides are of one document by its number, or by two of surname, given names and birth', t => {
  const sidesOf = (...lines: readonly string[][]) => {
    const visual = { lines, legibility: { score: 0.9, threshold: 0.5 } }
    const card = {
      ...document,
      mrz: { ...mrz, format: 'TD1', document_code: 'I' },
      visual_surname: null,
      visual,
    } as const
    const { checks } = judgeDocument(card, {}, today).section.data
    return checks.find(({ name }) => name === 'sides')?.status
  }
  t.is(sidesOf(['C01X00T47']), 'PASSED')
  t.is(sidesOf(['MUELLER'], ['ERIKA', 'MARIA']), 'PASSED')
  t.is(sidesOf(['MUELLER'], ['12.08.1964']), 'PASSED')
  for (const line of [['MUELLER'], ['ERIKA', 'MARIA'], ['12.08.1964']]) t.is(sidesOf(line), 'UNDETERMINED', line[0])
})

function outcome({ section, issues }: ReturnType<typeof judgeLiveness> | ReturnType<typeof judgeFace>): string[] {
  return [section.status, ...issues.map(({ code }) => code)]
}

test('a measurement of liveness passes at its threshold, and a head that looks up must be solid', t => {
  const of = (change: Partial<LivenessFindings>) => outcome(judgeLiveness({ ...liveness, ...change }, 1))
  t.deepEqual(of({ planarity: { score: 0.05, threshold: 0.05 } }), ['PASSED'])
  t.deepEqual(of({ continuity: { score: 0.62, threshold: 0.62 } }), ['PASSED'])
  for (const action of ['TURN_LEFT', 'TURN_RIGHT', 'LOOK_UP'] as const)
    t.deepEqual(of({ challenge: [{ action, passed: true }], planarity: null }), [
      'UNDETERMINED',
      'LIVENESS_NOT_EVALUABLE',
    ])
  t.deepEqual(of({ challenge: [{ action: 'OPEN_MOUTH', passed: true }], planarity: null }), ['PASSED'])
})

test('a face counts as it measures, at both of its limits', t => {
  const of = (change: Partial<FaceFindings>) => outcome(judgeFace({ ...face, ...change }, 'DOCUMENT_AND_BIOMETRIC'))
  t.deepEqual(of({ distance: 0.5, similarity: null }), ['PASSED'])
  t.deepEqual(of({ distance: 0.6, similarity: null }), ['UNDETERMINED', 'FACE_MATCH_INCONCLUSIVE'])
  t.deepEqual(of({ distance: 0.61, similarity: null }), ['REJECTED', 'FACE_MISMATCH'])
  t.deepEqual(of({ similarity: { score: 0.81, threshold: 0.81 } }), ['PASSED'])
  t.deepEqual(of({ faces_in_selfie: 2 }), ['REJECTED', 'MULTIPLE_FACES_DETECTED'])
  t.deepEqual(of({ faces_in_selfie: 2, reference: null }), [
    'REJECTED',
    'MULTIPLE_FACES_DETECTED',
    'DOCUMENT_PORTRAIT_MISSING',
  ])
})

function judgeDevice(reported: ReportedSignals, policy: object = {}, ip_country = observed.ip_country): string[] {
  const metadata = buildMetadata(reported, { ...observed, ip_country })
  const subject = { metadata, reported: reported.device ?? {}, permission: findPermission(reported) }
  const results = applyDevicePolicy(subject, { ...defaultDevicePolicy, ...policy })
  return results.flatMap(({ issues }) => issues.map(({ code }) => code))
}

test('countries are alike in any letters, and one GPS policy needs the permission as two do', t => {
  t.deepEqual(judgeDevice(signals, {}, 'fr'), [])
  t.deepEqual(judgeDevice(signals, {}, 'de'), ['GEO_IP_MISMATCH'])
  const unasked = { ...signals, geolocation: null, location_permission: 'not_requested' } as const
  for (const name of ['on_gps_mock_location', 'on_gps_ip_location_mismatch'])
    t.true(judgeDevice(unasked, { [name]: 'IGNORE' }).includes('CONFIG_GPS_POLICY_WITHOUT_PERMISSION'), name)
  t.deepEqual(
    [areCoordinates(90, 180), areCoordinates(-90, -180), areCoordinates(90.1, 0), areCoordinates(0, 180.1)],
    [true, true, false, false],
  )
  t.is(findEarliestDay(Date.parse('2026-11-22T11:59:59Z')), '2026-11-21')
})

test('an address on a list counts against the device’s word, and one on no list proves only that it is not Tor’s', t => {
  const network = (reported: boolean | null, listed: boolean | null) => {
    const { vpn_detected, tor_detected } = buildMetadata(
      { network: { vpn_detected: reported, tor_detected: reported } },
      { ...observed, vpn_listed: listed, tor_listed: listed },
    ).network
    return [vpn_detected, tor_detected]
  }
  t.deepEqual(network(false, true), [true, true])
  t.deepEqual(network(true, false), [true, true])
  t.deepEqual(network(null, false), [null, false])
  t.deepEqual(network(null, null), [null, null])
})

test('a card in place of the passport that was chosen is named as one', t => {
  const shown = (declared: 'PASSPORT' | null, missing_side: 'BACK' | null) =>
    judgeDocumentCapture({ ...document, missing_side }, { awaitsBack: false, declared, today })
  t.like(shown('PASSPORT', 'BACK'), { warnings: ['DOCUMENT_SIDE_MISSING'], reasons: ['CARD'] })
  t.like(shown(null, 'BACK'), { warnings: ['DOCUMENT_SIDE_MISSING'], reasons: [] })
  t.like(shown('PASSPORT', null), { warnings: [], reasons: [] })
})

test('the person takes again the parts that could not be judged, if nothing else was decided', t => {
  const unread = [createIssue('DOCUMENT_NOT_READABLE'), createIssue('SELFIE_LOW_QUALITY')]
  const again = (issues: typeof unread, hasBack: boolean, decision: 'REJECTED' | 'UNDETERMINED' | 'APPROVED') =>
    findResubmittedParts({ decision, issues }, hasBack)
  t.deepEqual(again(unread, true, 'UNDETERMINED'), ['front', 'back', 'selfie'])
  t.deepEqual(again(unread, false, 'UNDETERMINED'), ['front', 'selfie'])
  t.deepEqual(again([createIssue('LIVENESS_CHALLENGE_FAILED')], true, 'REJECTED'), ['challenge'])
  t.deepEqual(again([...unread, createIssue('EXPIRED_DOCUMENT')], true, 'REJECTED'), [])
  t.deepEqual(again(unread, true, 'APPROVED'), [])
})

test('a code that an engine reported can only make its section worse, and one that nobody knows leaves it open', t => {
  const unknown: ReportedCode = { code: '7', issue: null, status: 'PASSED' }
  const rejected: ReportedCode = { code: '8', issue: 'PRESENTATION_ATTACK_SUSPECTED', status: 'REJECTED' }
  const passed: ReportedCode = { code: '9', issue: 'MIRRORED', status: 'PASSED' }
  const of = (reported: readonly ReportedCode[], change: Partial<LivenessFindings> = {}) => {
    const findings = { ...input.findings, liveness: { ...liveness, ...change, reported } }
    const judged = judge({ ...input, findings })
    return [judged.result_data.liveness.status, judged.decision, findReason(judged)]
  }
  t.deepEqual(of([passed]), ['PASSED', 'APPROVED', null])
  t.deepEqual(of([unknown]), ['UNDETERMINED', 'UNDETERMINED', 'ENGINE_CODE_UNKNOWN'])
  t.deepEqual(of([unknown, rejected]), ['REJECTED', 'REJECTED', 'PRESENTATION_ATTACK_SUSPECTED'])
  const flat = { planarity: { score: 0.04, threshold: 0.05 } }
  for (const reported of [passed, unknown])
    t.deepEqual(of([reported], flat), ['REJECTED', 'REJECTED', 'FLAT_FACE_SUSPECTED'])
  for (const section of ['document', 'liveness', 'face'] as const) {
    const findings = { ...input.findings, [section]: { ...input.findings[section], reported: [unknown] } }
    t.is(judge({ ...input, findings }).decision, 'UNDETERMINED', section)
  }
})

test('advice at the end is given only where every reason may be known', t => {
  const known = createIssue('EXPIRED_DOCUMENT')
  t.deepEqual(adviseAtEnd('REJECTED', [known]), ['EXPIRED_DOCUMENT'])
  t.deepEqual(adviseAtEnd('REJECTED', [known, createIssue('FACE_MISMATCH')]), [])
  t.deepEqual(adviseAtEnd('APPROVED', [known]), [])
})
