import test from 'ava'
import { judgeDocumentCapture } from '../capture_feedback.ts'
import { identifyDocument } from '../document_identity.ts'
import { defaultDocumentPolicy } from '../document_policy.ts'
import { judgeDocument } from '../document_rules.ts'
import type { DocumentSource } from '../document_source.ts'
import { type DocumentFindings, type PrintField, type PrintReading, printFields } from '../findings.ts'
import { document, today } from './findings_samples.ts'

const licence: PrintReading = {
  layout: 'fr_driving_licence',
  document_type: 'DRIVING_LICENSE',
  not_printed: [],
  issuing_country: 'FR',
  last_name: 'MORGENSTERN',
  first_name: 'ALEXIS ROBIN',
  date_of_birth: '1991-03-04',
  issue_date: '2023-02-01',
  expiry_date: '2038-01-31',
  document_number: '13AA00002',
  confirmed: printFields,
}

function without(...fields: readonly PrintField[]): Partial<PrintReading> {
  return { confirmed: printFields.filter(field => !fields.includes(field)) }
}

function findings(changed: Partial<PrintReading> = {}): DocumentFindings {
  const none = {
    mrz: null,
    barcode: null,
    visual: null,
    visual_surname: null,
    sides_match: null,
    colour: null,
  } as const
  return { ...document, ...none, portrait_apart: false, print: { ...licence, ...changed } }
}

function judge(changed: Partial<PrintReading> = {}, expected = {}) {
  const { section, issues } = judgeDocument(findings(changed), expected, today)
  const statusOf = (name: string) => section.data.checks.find(check => check.name === name)?.status
  return { status: section.status, data: section.data, issues, codes: issues.map(({ code }) => code), statusOf }
}

test('a licence whose fields were read alike twice passes, with what it says', t => {
  const { status, data, codes } = judge()
  t.is(status, 'PASSED')
  t.deepEqual(codes, [])
  t.like(data, {
    document_type: 'DRIVING_LICENSE',
    issuing_country: 'FR',
    document_number: '13AA00002',
    last_name: 'MORGENSTERN',
    date_of_birth: '1991-03-04',
    issue_date: '2023-02-01',
    expiry_date: '2038-01-31',
    mrz: null,
  })
  const expected = { first_name: 'Alexis', last_name: 'Morgenstern', date_of_birth: '1991-03-04' }
  t.is(judge({}, expected).status, 'PASSED')
})

test('a field that was not read twice, or not at all, leaves the section open with what was read', t => {
  for (const field of ['last_name', 'first_name', 'date_of_birth', 'expiry_date', 'document_number'] as const) {
    const { status, issues, data, statusOf } = judge(without(field))
    t.is(status, 'UNDETERMINED', field)
    t.deepEqual(issues, [{ ...issues[0], code: 'DOCUMENT_NOT_READABLE', details: { fields: [field] } } as never])
    t.is(statusOf('repeated_reading'), 'UNDETERMINED')
    t.is(data[field], licence[field])
  }
  t.is(judge(without('issue_date')).status, 'PASSED')
  const unread = judge({ document_number: null, ...without('document_number') })
  t.deepEqual(
    unread.issues.map(({ details }) => details),
    [{ fields: ['document_number'] }],
  )
})

test('expected data rejects only fields that were surely read and clearly differ', t => {
  const stranger = judge({}, { last_name: 'Lindqvist' })
  t.deepEqual([stranger.status, ...stranger.codes], ['REJECTED', 'SURNAME_MISMATCH'])
  const born = judge({}, { date_of_birth: '1964-08-12' })
  t.deepEqual([born.status, ...born.codes], ['REJECTED', 'DATE_OF_BIRTH_MISMATCH'])
  const open: readonly (readonly [Partial<PrintReading>, object])[] = [
    [without('last_name'), { last_name: 'Lindqvist' }],
    [{}, { last_name: 'Morales' }],
    [{}, { date_of_birth: '1991-03-05' }],
    [without('date_of_birth'), { date_of_birth: '1964-08-12' }],
  ]
  for (const [changed, expected] of open) {
    const { status, codes } = judge(changed, expected)
    t.deepEqual([status, ...codes], ['UNDETERMINED', 'DOCUMENT_NOT_READABLE'], JSON.stringify(expected))
  }
})

test('an expiry in the past rejects where it was read twice', t => {
  const past = { expiry_date: '2024-01-31' }
  t.deepEqual(judge(past).codes, ['EXPIRED_DOCUMENT'])
  const { status, codes } = judge({ ...past, ...without('expiry_date') })
  t.deepEqual([status, ...codes], ['UNDETERMINED', 'DOCUMENT_NOT_READABLE'])
  const { warnings } = judgeDocumentCapture(findings(past), { awaitsBack: false, declared: null, today })
  t.deepEqual(warnings, ['EXPIRED_DOCUMENT'])
})

test('a licence can be distinguished from another only by a number that was read twice', t => {
  t.deepEqual(identifyDocument(findings()), ['FR', 'DRIVING_LICENSE', '13AA00002'])
  t.is(identifyDocument(findings(without('document_number'))), null)
  t.is(identifyDocument(findings({ issuing_country: null })), null)
})

test('a zone or a barcode goes before the print of a licence', t => {
  const { section } = judgeDocument({ ...document, print: { ...licence, confirmed: [] } }, {}, today)
  t.is(section.data.document_type, 'PASSPORT')
  t.is(section.data.checks.find(({ name }) => name === 'repeated_reading')?.status, 'NOT_EXECUTED')
})

const expected = {
  last_name: 'Okafor',
  first_name: 'Kiran Jane',
  date_of_birth: '1987-03-24',
  document_number: 'AB 12345',
}
const printed = [['Utopia', 'Library', 'Card'], ['OKAFOR'], ['KIRAN', 'JANE'], ['24.03.1987'], ['AB12345']]
const matching = {
  policy: { ...defaultDocumentPolicy, unknown_document: 'MATCH_EXPECTED' },
  isChipProven: false,
} as const

function unknown(second: readonly (readonly string[])[] = printed): DocumentFindings {
  const { print: _, ...others } = findings()
  return { ...others, reading: 'NOT_READABLE', unknown_print: [printed, second] }
}

test('a document that nobody described passes by expected data alone where the policy says so', t => {
  const { section, issues } = judgeDocument(unknown(), expected, today, matching)
  t.is(section.status, 'PASSED')
  t.like(section.data, { source: 'EXPECTED_DATA', last_name: 'Okafor', document_type: null, expiry_date: null })
  t.deepEqual(
    issues.map(({ code }) => code),
    ['DOCUMENT_KIND_UNKNOWN'],
  )
  t.is(judgeDocument(unknown(), expected, today).section.status, 'UNDETERMINED', 'by default it is left open')
})

test('expected values are found in one piece with what names them, and not within others', t => {
  const isFound = (lines: readonly (readonly string[])[], data = {}): boolean => {
    const { print: _, ...others } = findings()
    const document: DocumentFindings = { ...others, reading: 'NOT_READABLE', unknown_print: [lines, lines] }
    return judgeDocument(document, { ...expected, ...data }, today, matching).section.status === 'PASSED'
  }
  t.true(isFound([['1.OKAFOR'], ['2.KIRANJANE'], ['3.24.03.87'], ['No.AB', '12345']]), 'with two digits of a year')
  t.true(isFound([['OKAFOR'], ['KIRAN'], ['MARCH24,1987'], ['5.AB-12345']]), 'the first given name alone')
  const page = (...lines: readonly string[]) => lines.map(line => line.split(' '))
  t.false(isFound(page('OKAFOR', 'KIRAN', '24.03.88', 'AB12345')))
  t.false(isFound(page('OKAFOR', 'KIRAN', '24.03.1987', 'AB123456')), 'a longer number')
  t.false(isFound(page('SLEEVES', 'KIRAN', '24.03.1987', 'AB12345'), { last_name: 'Lee' }), 'a short name is a word')
  t.false(isFound(page('OLIVER', 'KIRAN', '24.03.1987', 'AB12345'), { last_name: 'Oliveira' }), 'every letter counts')
  t.true(isFound(page('1.LEE', 'KIRAN', '24.03.1987', 'AB12345'), { last_name: 'Lee' }))
})

test('an expected name is not found in a label, a title, a date, an address or the other name', t => {
  const isFound = (lines: readonly string[], data: typeof expected): boolean => {
    const { print: _, ...others } = findings()
    const printed = lines.map(line => line.split(' '))
    const document: DocumentFindings = { ...others, reading: 'NOT_READABLE', unknown_print: [printed, printed] }
    return judgeDocument(document, data, today, matching).section.status === 'PASSED'
  }
  const page = [
    'Citizen Identity Card',
    'AB12345',
    'Full name',
    'OKAFOR, KIRAN VAN DIJK',
    '24 JUN 1987',
    'Sex',
    'F',
    'MAIN ROAD',
    'LISBON',
  ]
  const born = { ...expected, date_of_birth: '1987-06-24' }
  t.true(isFound(page, born))
  t.false(isFound(page, { ...born, last_name: 'Citizen' }), 'a title')
  t.false(isFound(page, { ...born, first_name: 'Jun' }), 'a month')
  t.false(isFound(page, { ...born, first_name: 'Lisbon' }), 'far from the surname')
  t.false(isFound(page, { ...born, last_name: 'Van Dijk', first_name: 'Van' }), 'a part of the surname')
  t.true(isFound(['DO, VAN AN', ...page], { ...born, last_name: 'Do', first_name: 'Van An' }), 'short ones in a row')
  t.false(isFound(['DO, VAN ANH', ...page], { ...born, last_name: 'Do', first_name: 'Van An' }), 'whole words')
  t.true(isFound(['DO, THI AN', ...page], { ...born, last_name: 'Do', first_name: 'Thi An' }))
  t.true(isFound(['DO, TH! AN', ...page], { ...born, last_name: 'Do', first_name: 'Thi An' }), 'a misread stroke')
  t.true(isFound(['Kiran lyer', ...page], { ...born, last_name: 'Iyer' }), 'another one')
  const inside = ['KIRAN OKAFOR', '870624-14-4838']
  t.true(isFound(inside, { ...born, document_number: '870624-14-4838' }), 'the birth is a part of the number')
  t.false(isFound(inside, { ...born, document_number: '870624-14-4839' }))
  t.true(
    isFound(['KIRAN OKAFOR', '08 0ct 1987', 'AB12345'], { ...born, date_of_birth: '1987-10-08' }),
    'a zero for an O',
  )
})

test('each expected value must be in both readings, both names and the birth among them', t => {
  const open = (document: DocumentFindings, data = {}) =>
    judgeDocument(document, { ...expected, ...data }, today, matching).section.status
  for (const other of [
    { last_name: 'Okoye' },
    { first_name: 'Karen' },
    { date_of_birth: '1987-03-25' },
    { document_number: 'AB12346' },
    { first_name: null },
    { date_of_birth: null },
  ])
    t.is(open(unknown(), other), 'UNDETERMINED', JSON.stringify(other))
  t.is(open(unknown(printed.slice(0, 3))), 'UNDETERMINED', 'one reading lacks the birth')
  t.is(open(findings(), { last_name: 'Lindqvist' }), 'REJECTED', 'a document that was read is compared')
})

test('a source that the policy refuses rejects, unless a chip is proven', t => {
  const judge = (refused_sources: readonly DocumentSource[], isChipProven = false) =>
    judgeDocument(findings(), {}, today, { policy: { ...defaultDocumentPolicy, refused_sources }, isChipProven })
  t.is(judge([]).section.data.source, 'PRINT')
  t.is(judge(['PRINT']).section.status, 'REJECTED')
  t.deepEqual(judge(['PRINT']).issues[0]?.details, { source: 'PRINT' })
  t.is(judge(['ZONE', 'EXPECTED_DATA']).section.status, 'PASSED')
  t.is(judge(['PRINT'], true).section.status, 'PASSED')
})

test('an expected number is compared by its letters and digits', t => {
  t.is(judgeDocument(findings(), { document_number: '13 AA 00002' }, today).section.status, 'PASSED')
  const { section, issues } = judgeDocument(findings(), { document_number: '99BB99999' }, today)
  t.is(section.status, 'REJECTED')
  t.is(issues[0]?.code, 'DOCUMENT_NUMBER_MISMATCH')
})

test('all lines of print are given to a reviewer, and only of a document without zone and barcode', t => {
  const printed_lines = ['PERMIS DE CONDUIRE', '1. MORGENSTERN']
  t.deepEqual(judgeDocument({ ...findings(), printed_lines }, {}, today).section.data.printed_lines, printed_lines)
  t.false('printed_lines' in judgeDocument({ ...document, printed_lines: null }, {}, today).section.data)
})
