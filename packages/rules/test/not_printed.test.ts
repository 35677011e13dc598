import { composeCheckDigit } from '@attestor/rules/synthetic'
import { checkZone, toMrzReading } from '@attestor/rules/zone'
import { decodeZone } from '@attestor/vision/testing'
import test from 'ava'
import { sureChances } from '../../vision/test/zone_chances.ts'
import { judgeDocumentCapture } from '../capture_feedback.ts'
import type { ExpectedData } from '../document_checks.ts'
import { judgeDocument } from '../document_rules.ts'
import type { DocumentFindings, MrzFormat, MrzReading, VisualZone } from '../findings.ts'
import { document, today } from './findings_samples.ts'

function read(format: MrzFormat, lines: readonly string[]): MrzReading {
  const decoded = decodeZone(format, sureChances(lines))
  return toMrzReading({ ...decoded, checks: checkZone(format, decoded.lines) })
}

function judge(findings: DocumentFindings, expected: ExpectedData = {}) {
  const { section, issues } = judgeDocument(findings, expected, today)
  const { status, data } = section
  return {
    status,
    data,
    statusOf: (name: string) => data.checks.find(check => check.name === name)?.status,
    issues: issues.map(({ code, details }) => [code, details?.fields ?? []].flat().join(' ')),
    warnings: judgeDocumentCapture(findings, { awaitsBack: false, declared: null, today }).warnings,
  }
}

function judgeZone(lines: readonly string[], expected: ExpectedData = {}, visual: VisualZone | null = null) {
  const format = lines.length === 3 ? 'TD1' : lines[0]?.length === 36 ? 'TD2' : 'TD3'
  const mrz = read(format, lines)
  const sides_match = format === 'TD1' ? true : null
  return { mrz, ...judge({ ...document, mrz, sides_match, ...(visual === null ? {} : { visual }) }, expected) }
}

const given = 'P<UTOMORGENSTERN<<ALEXIS<ROBIN'

/** A zone with these dates, its check digits in the way of ICAO unless one is given. */
function zone(
  format: 'TD1' | 'TD2' | 'TD3' | 'MRVA' | 'MRVB',
  { birth = '910304', expiry = '330218', digit = composeCheckDigit(expiry), names = 'MORGENSTERN<<ALEXIS<ROBIN' },
): string[] {
  const number = `AT4711008${composeCheckDigit('AT4711008')}`
  const born = birth + composeCheckDigit(birth)
  const until = expiry + digit
  if (format === 'TD1') {
    const first = `IDUTO${number}`.padEnd(30, '<')
    const composite = composeCheckDigit(first.slice(5) + born + until + '<'.repeat(11))
    return [first, `${born}F${until}UTO${'<'.repeat(11)}${composite}`, names.padEnd(30, '<')]
  }
  const columns = format === 'TD3' || format === 'MRVA' ? 44 : 36
  const code = format === 'TD3' ? 'P<' : format === 'TD2' ? 'I<' : 'V<'
  const first = `${code}UTO${names}`.padEnd(columns, '<')
  const second = `${number}UTO${born}F${until}`
  if (code === 'V<') return [first, second.padEnd(columns, '<')]
  const rest = format === 'TD3' ? `${'<'.repeat(14)}0` : '<'.repeat(7)
  return [first, `${second}${rest}${composeCheckDigit(number + born + until + rest)}`]
}

test('a card without an expiry is read, says so, and is no reason for another photo', t => {
  for (const digit of ['0', '<']) {
    const lines = [
      'IDMDAAT47110082<<<<<<<<<<<<<<<',
      `9103041F<<<<<<${digit}MDA<<<<<<<<<<<4`,
      'MORGENSTERN<<ALEXIS<ROBIN<<<<<',
    ]
    const card = judgeZone(lines)
    t.deepEqual(card.mrz.lines, lines)
    t.true(card.mrz.valid)
    t.is(card.status, 'PASSED')
    t.is(card.data.expiry_date, null)
    t.is(card.statusOf('expiry'), 'NOT_PRINTED')
    t.is(card.statusOf('completeness'), 'PASSED')
    t.deepEqual(card.issues, [])
    t.deepEqual(card.warnings, [])
  }
})

test('an expiry may be absent in every format, with a digit or a filler to check it', t => {
  for (const format of ['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB'] as const)
    for (const digit of ['0', '<']) {
      const lines = zone(format, { expiry: '<<<<<<', digit })
      const mrz = read(format, lines)
      t.deepEqual([mrz.lines, mrz.valid, mrz.expiry_date], [lines, true, '<<<<<<'], `${format} ${digit}`)
    }
  const broken = read('TD2', zone('TD2', { expiry: '330218', digit: '<' }))
  t.false(broken.valid, 'a date that is there needs its digit')
})

test('permanent documents write the year 9999, nines or zeros; a date that is printed in full decides', t => {
  for (const expiry of ['990101', '991231', '999999', '000000']) {
    const { status, data, statusOf } = judgeZone(zone('TD3', { expiry }))
    t.deepEqual([status, data.expiry_date, statusOf('expiry')], ['PASSED', null, 'NOT_PRINTED'], expiry)
  }
  t.deepEqual(judgeZone(zone('TD3', { expiry: '990615' })).issues, ['EXPIRED_DOCUMENT'])
  const print = { lines: [['31', '12', '1999']], legibility: { score: 1, threshold: 8 } }
  t.true(judgeZone(zone('TD3', { expiry: '991231' }), {}, print).issues.includes('EXPIRED_DOCUMENT'))
})

test('an expiry whose day is not printed ends within its month', t => {
  for (const expiry of ['3302<<', '330200']) {
    const { status, data, statusOf } = judgeZone(zone('TD3', { expiry }))
    t.deepEqual([status, data.expiry_date, statusOf('derived_expiry')], ['PASSED', '2033-02-01', 'PASSED'])
  }
  t.deepEqual(judgeZone(zone('TD3', { expiry: '2611<<' })).issues, ['DOCUMENT_INCOMPLETE expiry_date'])
  t.deepEqual(judgeZone(zone('TD3', { expiry: '2610<<' })).issues, ['EXPIRED_DOCUMENT'])
  t.is(judgeZone(zone('TD3', { expiry: '33<<<<' })).data.expiry_date, '2033-01-01')
})

const partial = {
  '9103<<': 'AT47110071UTO9103<<7F3302185<<<<<<<<<<<<<<08',
  '91<<<<': 'AT47110071UTO91<<<<6F3302185<<<<<<<<<<<<<<06',
  '<<<<<<': 'AT47110071UTO<<<<<<0F3302185<<<<<<<<<<<<<<00',
  '910000': 'AT47110071UTO9100006F3302185<<<<<<<<<<<<<<06',
}

test('a birth that is known in part is null, is no reason for another photo, and passes with an expected day that agrees', t => {
  for (const [birth, second] of Object.entries(partial)) {
    const lines = [given.padEnd(44, '<'), second]
    const alone = judgeZone(lines)
    t.deepEqual([alone.mrz.valid, alone.mrz.date_of_birth], [true, birth])
    t.is(alone.data.date_of_birth, null)
    t.is(alone.statusOf('date_of_birth'), 'NOT_PRINTED')
    t.is(alone.status, 'UNDETERMINED')
    t.deepEqual(alone.issues, ['DOCUMENT_INCOMPLETE date_of_birth'])
    t.deepEqual(alone.warnings, [])
    const known = birth !== '<<<<<<'
    t.is(judgeZone(lines, { date_of_birth: '1991-03-04' }).status, known ? 'PASSED' : 'UNDETERMINED', birth)
    const other = judgeZone(lines, { date_of_birth: '1992-03-04' })
    t.deepEqual(other.issues, [known ? 'DATE_OF_BIRTH_MISMATCH' : 'DOCUMENT_INCOMPLETE date_of_birth'], birth)
  }
  const month = judgeZone([given.padEnd(44, '<'), partial['9103<<']], { date_of_birth: '1991-04-04' })
  t.deepEqual(month.issues, ['DATE_OF_BIRTH_MISMATCH'])
  for (const birth of ['911304', '910332', '91<304']) {
    const misread = judge({ ...document, mrz: { ...document.mrz, date_of_birth: birth } as MrzReading })
    // A day that no calendar has is printed so where all check digits agree: no other photo would have another.
    const code = birth.includes('<') ? 'DOCUMENT_NOT_READABLE' : 'DOCUMENT_INCOMPLETE'
    t.deepEqual(misread.issues, [`${code} date_of_birth`], birth)
  }
})

test('the century follows from the day that is printed in full, then from the expected one, else it is the later', t => {
  const lines = zone('TD3', { birth: '210304' })
  const bornIn = (expected: ExpectedData, words: string[] | null): string | null => {
    const text = words && { lines: [words], legibility: { score: 1, threshold: 8 } }
    return judgeZone(lines, expected, text).data.date_of_birth
  }
  t.is(bornIn({}, null), '2021-03-04')
  t.is(bornIn({ date_of_birth: '1921-03-04' }, null), '1921-03-04')
  t.is(bornIn({}, ['04.03.1921', '04.03.2021']), '1921-03-04')
  t.is(bornIn({ date_of_birth: '1921-03-04' }, ['04.03.2021']), '2021-03-04')
  t.is(judgeZone(lines, { date_of_birth: '1921-03-04' }).status, 'PASSED')
  t.true(judgeZone(lines, { date_of_birth: '1922-03-04' }).issues.includes('DATE_OF_BIRTH_MISMATCH'))
})

test('a person may have one name, in either part of the field, and is expected by it', t => {
  for (const [names, field, other] of [
    ['ALEXIS', 'last_name', 'first_name'],
    ['<<ALEXIS', 'first_name', 'last_name'],
  ] as const) {
    const lines = zone('TD3', { names })
    const one = judgeZone(lines)
    t.deepEqual(one.mrz.lines, lines)
    t.is(one.status, 'PASSED')
    t.deepEqual([one.data[field], one.data[other]], ['ALEXIS', null])
    t.deepEqual([one.statusOf(field), one.statusOf(other)], ['PASSED', 'NOT_PRINTED'])
    t.deepEqual(
      one.issues.filter(issue => issue !== 'SURNAME_NOT_EVALUABLE'),
      [],
    )
    t.deepEqual(one.warnings, [])
    for (const expected of [
      { first_name: 'Alexis' },
      { last_name: 'Alexis' },
      { first_name: 'Alexis', last_name: 'Alexis' },
    ])
      t.is(judgeZone(lines, expected).status, 'PASSED', JSON.stringify(expected))
    const more = judgeZone(lines, { [field]: 'Alexis', [other]: 'Robin' })
    t.deepEqual([more.status, more.issues], ['UNDETERMINED', [`DOCUMENT_INCOMPLETE ${other}`]])
    t.is(judgeZone(lines, { [field]: 'Robin' }).status, 'REJECTED')
  }
})

test('more or fewer fillers than the rule are read', t => {
  for (const [names, last, first] of [
    ['MORGENSTERN<<<ALEXIS<ROBIN', 'MORGENSTERN', 'ALEXIS ROBIN'],
    ['MORGENSTERN<<<<<ALEXIS<<ROBIN', 'MORGENSTERN', 'ALEXIS ROBIN'],
    ['<<ALEXIS<ROBIN', null, 'ALEXIS ROBIN'],
    ['<<<<ALEXIS<ROBIN', null, 'ALEXIS ROBIN'],
    ['MORGENSTERN<ALEXIS', 'MORGENSTERN ALEXIS', null],
  ] as const) {
    for (const format of ['TD1', 'TD2', 'TD3'] as const) {
      const { lines, last_name, first_name } = read(format, zone(format, { names }))
      t.deepEqual([lines, last_name, first_name], [zone(format, { names }), last, first])
    }
  }
  const joined = judgeZone(zone('TD3', { names: 'MORGENSTERN<ALEXIS' }), {
    last_name: 'Morgenstern',
    first_name: 'Alexis',
  })
  t.is(joined.status, 'PASSED')
})

test('Mexico’s voter card says H and M for men and women', t => {
  const sexOf = (sign: string) => {
    const second = `9103041${sign}3312315MEX<02<<12345<1`
    const lines = ['IDMEX2047110089<<1234067890123', second, 'MORGENSTERN<RIOS<<ALEXIS<<<<<<']
    const { status, data, issues } = judgeZone(lines)
    return [status, data.mrz?.corrected_characters, issues, data.issuing_country, data.sex]
  }
  t.deepEqual(sexOf('H'), ['PASSED', 0, [], 'MX', 'M'])
  t.deepEqual(sexOf('M'), ['PASSED', 0, [], 'MX', 'F'])
  t.deepEqual(sexOf('X'), ['PASSED', 0, [], 'MX', 'X'])
  const other = zone('TD1', {}).map(line => line.replaceAll('UTO', 'MEX').replace(/^ID/, 'IR'))
  t.is(judgeZone(other).data.sex, 'F', 'a residence permit of Mexico is as ICAO has it')
})

test('Russia’s internal passport has digits for Cyrillic letters, and its number in two parts', t => {
  const lines = ['PNRUSOBRAZ3OV<<EVGENI9<ALEKSANDROVI3<<<<<<<<', '3990000018RUS9103041F<<<<<<08220811770056<14']
  const passport = judgeZone(lines)
  t.deepEqual(passport.mrz.lines, lines)
  t.true(passport.mrz.valid)
  t.is(passport.status, 'PASSED')
  t.like(passport.data, {
    document_type: 'PASSPORT',
    issuing_country: 'RU',
    last_name: 'OBRAZCHOV',
    first_name: 'EVGENI ALEKSANDROVICH',
    document_number: '3998000001',
    expiry_date: null,
  })
  t.is(passport.statusOf('expiry'), 'NOT_PRINTED')
  t.deepEqual(passport.warnings, [])
  const all = 'PNRUSABVGDE2JZIQKLMN<<OPRSTUFHC34WXY9678'.padEnd(44, '<')
  t.like(judgeZone([all, lines[1] ?? '']).data, {
    last_name: 'ABVGDEEZHZIIKLMN',
    first_name: 'OPRSTUFKHTSCHSHSHCHIEYEIUIA',
  })
  t.is(judgeZone(lines, { last_name: 'Образчов', first_name: 'Евгень' }).status, 'PASSED')
  const print = {
    lines: ['OBPA34OB', 'EBFEHNB', 'AJIEKCAHLLPOBN4', 'MOCKBA', 'KEM', 'BBLIJAH', 'MYK', 'IIACIIOPT'].map(word => [
      word,
    ]),
  }
  const read = judgeZone(lines, {}, { ...print, legibility: { score: 20, threshold: 8 } })
  t.is(read.status, 'PASSED', 'Cyrillic print that is read as Latin says nothing')
  const other = judgeZone(['P<RUSOBRAZQOV<<EVGENI'.padEnd(44, '<'), lines[1] ?? ''])
  t.is(other.data.last_name, 'OBRAZQOV', 'a passport for journeys is in Latin letters')
})
