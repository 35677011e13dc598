import type { BarcodeReading, ExpectedData } from '@attestor/rules'
import { judgeDocument } from '@attestor/rules/testing'
import test from 'ava'
import { document, today } from '../../rules/test/findings_samples.ts'
import { parseAamva } from '../barcode/aamva.ts'

const usual: Readonly<Record<string, string>> = {
  DAQ: 'D1234567',
  DCS: 'MORGENSTERN',
  DAC: 'ALEXIS',
  DAD: 'ROBIN',
  DBD: '02282023',
  DBB: '03041991',
  DBA: '02182033',
  DBC: '2',
  DAJ: 'NY',
  DCG: 'USA',
}

interface Shape {
  readonly elements?: Readonly<Record<string, string | null>>
  readonly end?: string
  readonly head?: string
  readonly version?: string
}

/** Composes a barcode's text in which some elements differ, or are absent. */
function compose({ elements = {}, end = '\n', head = '@\n\x1e\rANSI ', version = '10' }: Shape): string {
  const all = Object.entries({ ...usual, ...elements }).flatMap(([id, value]) => (value === null ? [] : [id + value]))
  const start = `${head}636001${version}0002DL00410278ZN03190008`
  return `${start}DL${all.join(end)}${end}\rZNZNAMORGENSTERN@ROBIN${end}ZNB1\r`
}

function read(shape: Shape): BarcodeReading {
  const reading = parseAamva(compose(shape))
  if (reading === null) throw new Error(JSON.stringify(compose(shape)))
  return reading
}

function judge(barcode: BarcodeReading, expected: ExpectedData = {}) {
  const findings = { ...document, mrz: null, visual_surname: null, sides_match: true, barcode }
  const { section, issues } = judgeDocument(findings, expected, today)
  return {
    status: section.status,
    statusOf: (name: string) => section.data.checks.find(check => check.name === name)?.status,
    last_name: section.data.last_name,
    codes: issues.map(({ code }) => code).filter(code => code !== 'SURNAME_NOT_EVALUABLE'),
  }
}

const person = {
  document_number: 'D1234567',
  last_name: 'MORGENSTERN',
  first_name: 'ALEXIS ROBIN',
  date_of_birth: '1991-03-04',
  issue_date: '2023-02-28',
  expiry_date: '2033-02-18',
  sex: 'F',
  issuing_country: 'USA',
  jurisdiction: 'NY',
} as const

test('elements may end in a line feed, a carriage return or both, and be followed by another subfile', t => {
  for (const end of ['\n', '\r', '\r\n', '\n\r', '\x1e']) t.like(read({ end }), person, JSON.stringify(end))
})

test('a header may have other separators, which it declares, more of them or fewer', t => {
  const heads = [
    '@\n\x1c\rANSI ',
    '@\r\n\x1e\r\nANSI ',
    '@\nANSI ',
    '@\n\x1e\rANSI',
    '@ANSI ',
    '\n@\n\x1e\rANSI ',
    '@\n\x1e\rAAMVA',
  ]
  for (const head of heads) t.like(read({ head }), person, JSON.stringify(head))
  t.like(read({ head: '@|~\rANSI ', end: '|' }), person, 'an element ends in what the header says')
  t.is(parseAamva(compose({ head: 'HELLO ANSI ' })), null)
})

test('a date that says none is null and not printed; one that is absent or impossible leaves the document open', t => {
  const nones = [
    '99999999',
    '00000000',
    'INDEF',
    'INDEFINITE',
    'NONE',
    'none',
    'UNAVL',
    'N/A',
    '',
    '12319999',
    '99991231',
  ]
  for (const DBA of [...nones, 'NON-EXPIRING', 'PERMANENT']) {
    const reading = read({ elements: { DBA } })
    t.deepEqual([reading.expiry_date, reading.not_printed], [null, ['expiry_date']], DBA)
    const { status, statusOf, codes } = judge(reading)
    t.deepEqual([status, statusOf('expiry'), codes], ['PASSED', 'NOT_PRINTED', []], DBA)
  }
  for (const DBA of [null, '02302033', 'ALWAYS'])
    t.deepEqual(judge(read({ elements: { DBA } })).codes, ['DOCUMENT_INCOMPLETE'], String(DBA))
  const unborn = judge(read({ elements: { DBB: '00000000' } }), { date_of_birth: '1991-03-04' })
  t.deepEqual(
    [unborn.status, unborn.statusOf('date_of_birth'), unborn.codes],
    ['UNDETERMINED', 'NOT_PRINTED', ['DOCUMENT_INCOMPLETE']],
  )
})

test('a person may have one name, and a family may be called None', t => {
  for (const DCS of ['UNAVL', 'NONE', '', null]) {
    const one = read({ elements: { DCS, DAD: 'NONE' } })
    t.deepEqual([one.last_name, one.first_name, one.not_printed], [null, 'ALEXIS', ['last_name']])
    t.deepEqual([judge(one).status, judge(one).codes], ['PASSED', []])
    for (const expected of [{ first_name: 'Alexis' }, { last_name: 'Alexis' }])
      t.is(judge(one, expected).status, 'PASSED')
    t.is(judge(one, { last_name: 'Morgenstern', first_name: 'Alexis' }).status, 'UNDETERMINED')
  }
  const none = judge(read({ elements: { DCS: 'NONE' } }), { last_name: 'None', first_name: 'Alexis Robin' })
  t.deepEqual([none.status, none.last_name, none.statusOf('last_name')], ['PASSED', 'NONE', 'PASSED'])
  const unavailable = judge(read({ elements: { DCS: 'UNAVL' } }), { last_name: 'None', first_name: 'Alexis' })
  t.is(unavailable.status, 'UNDETERMINED')
  const given = read({ elements: { DAC: 'NONE', DAD: null } })
  t.deepEqual([given.last_name, given.first_name, given.not_printed], ['MORGENSTERN', null, ['first_name']])
})

test('names of version 1 are one element or three, with their suffix', t => {
  for (const [DAA, last_name, first_name] of [
    ['MORGENSTERN,ALEXIS,ROBIN', 'MORGENSTERN', 'ALEXIS ROBIN'],
    ['MORGENSTERN, ALEXIS ROBIN', 'MORGENSTERN', 'ALEXIS ROBIN'],
    ['MORGENSTERN,ALEXIS,ROBIN,JR', 'MORGENSTERN', 'ALEXIS ROBIN'],
    ['MORGENSTERN,ALEXIS,,III', 'MORGENSTERN', 'ALEXIS'],
    ['MORGENSTERN,ALEXIS,JR', 'MORGENSTERN', 'ALEXIS'],
    ['MORGENSTERN@ALEXIS@ROBIN@SR', 'MORGENSTERN', 'ALEXIS ROBIN'],
    ['MORGENSTERN$ALEXIS$V', 'MORGENSTERN', 'ALEXIS V'],
    ['VON DER AU,ALEXIS', 'VON DER AU', 'ALEXIS'],
    ['ALEXIS', 'ALEXIS', null],
  ] as const) {
    const reading = read({ version: '01', elements: { DCS: null, DAC: null, DAD: null, DAA } })
    t.like(reading, { last_name, first_name }, DAA)
  }
  const apart = { DCS: null, DAB: 'MORGENSTERN', DAC: 'ALEXIS', DAD: 'ROBIN', DAE: 'JR' }
  t.like(read({ version: '01', elements: apart }), { last_name: 'MORGENSTERN', first_name: 'ALEXIS ROBIN' })
  const bare = read({ version: '01', elements: { DCS: null, DAC: null, DAD: null, DAA: 'MORGENSTERN ALEXIS ROBIN' } })
  t.is(judge(bare, { last_name: 'Morgenstern', first_name: 'Alexis' }).status, 'PASSED', 'nothing says which is which')
})

function stripe(first: string, second = '6360284711007=330219910304='): string {
  const third = "_%0AV8V1V1                     F165 55BROBLU9999999999               E$'C(R2S6L?"
  return `%BC${first}^1 TEST ST$VICTORIA BC  V8V 1V1^?;${second}?${third}`
}

test('British Columbia’s barcode is a magnetic stripe', t => {
  const reading = parseAamva(stripe('VICTORIA^MORGENSTERN,$ALEXIS ROBIN'))
  t.like(reading, {
    document_type: 'DRIVING_LICENSE',
    issuing_country: 'CAN',
    jurisdiction: 'BC',
    document_number: '4711007',
    last_name: 'MORGENSTERN',
    first_name: 'ALEXIS ROBIN',
    date_of_birth: '1991-03-04',
    issue_date: null,
    expiry_date: '2033-02-28',
    sex: 'F',
    not_printed: [],
  })
  t.like(parseAamva(stripe('NEW WESTMINSTMORGENSTERN,$ALEXIS')), { last_name: 'MORGENSTERN', first_name: 'ALEXIS' })
  t.like(parseAamva(stripe('VICTORIA^ALEXIS')), { last_name: 'ALEXIS', first_name: null, not_printed: ['first_name'] })
  const expiries = { '3377': null, '3388': '2033-03-31', '3399': '2033-03-04', '3313': null }
  for (const [expiry, day] of Object.entries(expiries))
    t.is(parseAamva(stripe('VICTORIA^A,$B', `6360284711007=${expiry}19910304=`))?.expiry_date, day, expiry)
  t.deepEqual(parseAamva(stripe('VICTORIA^A,$B', '6360284711007=337719910304='))?.not_printed, ['expiry_date'])
  t.is(parseAamva(stripe('VICTORIA^A,$B', '5555554711007=330219910304=')), null)
  t.is(parseAamva('%BCVICTORIA^A,$B^X^?'), null)
})

test('a country that is neither is not taken for one by its state’s letters', t => {
  const countryOf = (DCG: string | null, DAJ: string): string | null => read({ elements: { DCG, DAJ } }).issuing_country
  // Chihuahua or Coahuila, Nuevo León and Baja California have letters of Canada’s and of nobody.
  for (const state of ['CU', 'NL', 'BC', 'CA']) t.is(countryOf('MEX', state), 'MEX')
  for (const state of ['NL', 'CA', 'TX']) t.is(countryOf('GTM', state), null)
  t.deepEqual(
    ['NL', 'TX', 'PR', 'CU', 'XX'].map(state => countryOf(null, state)),
    ['CAN', 'USA', 'USA', null, null],
  )
  t.deepEqual(
    ['US', 'CAN', 'CDN'].map(country => countryOf(country, 'XX')),
    ['USA', 'CAN', 'CAN'],
  )
  const judged = judge(read({ elements: { DCG: 'GTM' } }))
  t.deepEqual([judged.status, judged.codes], ['PASSED', []])
})

test('a subfile of an unknown name is a licence where it has a class of vehicles, else a card', t => {
  const rename = (elements: Shape['elements'] = {}) => parseAamva(compose({ elements }).replace('8DLDAQ', '8QADAQ'))
  t.is(rename()?.document_type, 'ID_CARD')
  t.is(rename({ DCA: 'C' })?.document_type, 'DRIVING_LICENSE')
  t.is(rename()?.document_number, 'D1234567')
})
