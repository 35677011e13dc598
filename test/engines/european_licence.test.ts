import test from 'ava'
import { judgeDocumentCapture } from '../../src/decision/capture_feedback.ts'
import { judgeDocument } from '../../src/decision/document_rules.ts'
import type { DocumentFindings, VisualZone } from '../../src/decision/findings.ts'
import { foldName } from '../../src/decision/names.ts'
import { analyse } from '../../src/engines/local/analyse.ts'
import { readSides } from '../../src/engines/local/document/read_sides.ts'
import { loadModels } from '../../src/engines/local/models.ts'
import { findDate, findFields, findFrenchLine } from '../../src/engines/local/printed_text/licence_fields.ts'
import { findIssuer, fitNumber } from '../../src/engines/local/printed_text/licence_issuers.ts'
import type { PageView } from '../../src/engines/local/printed_text/page_view.ts'
import { readLicence } from '../../src/engines/local/printed_text/read_licence.ts'
import { loadTextReader, type ReadWord } from '../../src/engines/local/printed_text/tesseract.ts'
import type { AnalysisTools } from '../../src/engines/local/tools.ts'
import { renderEuropeanLicence } from '../../synthetic/european_licence.ts'
import { photograph } from '../../synthetic/photo.ts'
import { person, personSeeds, renderPortrait } from '../../synthetic/portrait.ts'
import { today } from '../decision/findings_samples.ts'
import { inventedEuropeanLicence } from '../synthetic/invented.ts'
import { inLongTier } from '../tier.ts'

/** Rows of words, 30 pixels apart; a word is 10 pixels a letter wide. */
function page(...rows: readonly string[]): ReadWord[] {
  return rows.flatMap((row, n) => {
    let left = 300
    return row.split(' ').flatMap(text => {
      const box = { left, top: 30 * n, width: text.length * 10, height: 20 }
      left += text.length * 10 + 10
      return text === '' ? [] : [{ text, confidence: 90, box }]
    })
  })
}

const rows = [
  'PERMIS DE CONDUIRE REPUBLIQUE FRANCAISE',
  '1. MORGENSTERN',
  '2. ALEXIS ROBIN',
  '3. 04.03.1991 (NOWHERE)',
  '4a. 01.02.2023 4c. UTOPIA',
  '4b. 31.01.2038',
  '5. 13AA00002',
  '9. AM/B1/B',
]

test('fields are found by their numbers, one or two in a row, however the numbers are read', t => {
  const read = (...changed: readonly string[]) => Object.fromEntries(findFields(page(...changed)))
  const whole = {
    1: 'MORGENSTERN',
    2: 'ALEXIS ROBIN',
    3: '04.03.1991 (NOWHERE)',
    '4a': '01.02.2023',
    '4c': 'UTOPIA',
    '4b': '31.01.2038',
    5: '13AA00002',
    9: 'AM/B1/B',
  }
  t.deepEqual(read(...rows), whole)
  t.deepEqual(
    read(
      ...rows.map(row =>
        row.replace(/^1\. /, 'l. ').replace('4a. ', '4a.').replace('4b. ', '46 ').replace('5. ', '5 '),
      ),
    ),
    whole,
  )
  t.is(read('1. MORGENSTERN', '    SUNDERLAND', '2. ALEXIS')['1'], 'MORGENSTERN SUNDERLAND', 'a name goes on below')
  t.is(read('3. 3.11.1976 4a. 01.02.2023')['3'], '3.11.1976', 'a date is no number of a field')
})

test('dates are days first, with any separator and a letter misread', t => {
  t.deepEqual(findDate('04.03.1991 NOWHERE'), { day: 4, month: 3, year: '1991' })
  t.deepEqual(findDate('O4/03/91'), { day: 4, month: 3, year: '91' })
  t.deepEqual(findDate('04 03 1991'), { day: 4, month: 3, year: '1991' })
  t.is(findDate('12418'), null)
})

test('the line of a French licence counts where both check digits agree, its fillers read as letters', t => {
  const line = { document_number: '13AA00002', expiry: '181231' }
  for (const text of ['D1FRA13AA000026181231MARTIN<<9', 'DIFRA13AA000026181231MARTINKK9'])
    t.deepEqual(findFrenchLine(page(text)), line)
  t.is(findFrenchLine(page('D1FRA13AA000026181231MARTIN<<8')), null)
  t.is(findFrenchLine(page('D1FRA13AA000036181231MARTIN<<9')), null)
})

function textOf(...lines: readonly string[]): VisualZone {
  return { lines: lines.map(line => line.split(' ')), legibility: { score: 12, threshold: 8 } }
}

test('the state is known by title and name, and by neither where several share a title', t => {
  t.is(findIssuer(textOf('FÜHRERSCHEIN BUNDESREPUBLIK DEUTSCHLAND'))?.country, 'DE')
  t.is(findIssuer(textOf('FUHRERSCHEIN', 'REPUBLIK OSTERREICH'))?.country, 'AT')
  t.is(findIssuer(textOf('PRAWO JAZDY'))?.country, 'PL')
  t.is(findIssuer(textOf('DRIVING LICENCE NORTHERN IRELAND'))?.country, 'GB')
  t.is(findIssuer(textOf('CEADUNAS TIOMANA DRIVING LICENCE', 'EIRE IRELAND'))?.country, 'IE')
  t.is(findIssuer(textOf('DRIVING LICENCE', 'UNITED KINGDOM'))?.country, 'GB')
  t.is(findIssuer(textOf('FÜHRERSCHEIN')), null)
  t.is(findIssuer(textOf('DRIVER LICENSE')), null)
})

test('a number takes the form of its state, or is unsure', t => {
  const issuerOf = (...lines: readonly string[]) => findIssuer(textOf(...lines)) ?? {}
  const sure = (number: string) => ({ number, isSure: true })
  const unsure = (number: string) => ({ number, isSure: false })
  const british = issuerOf('DRIVING LICENCE', 'UNITED KINGDOM')
  t.deepEqual(fitNumber('M0RGA7531I6SM9IJ 35', british), sure('MORGA753116SM9IJ'))
  t.deepEqual(fitNumber('MORGA75311', british), unsure('MORGA75311'))
  t.deepEqual(fitNumber('00000/00/OOOO', issuerOf('PRAWO JAZDY')), sure('00000000000'))
  const german = issuerOf('FÜHRERSCHEIN', 'BUNDESREPUBLIK DEUTSCHLAND')
  t.deepEqual(fitNumber('B072RRE2I55', german), sure('B072RRE2I55'))
  t.deepEqual(fitNumber('BO72RRE2I55', german), unsure('BO72RRE2I55'), 'its check digit disagrees')
  const spanish = issuerOf('PERMISO DE CONDUCCIÓN')
  t.deepEqual(fitNumber('99999999-R', spanish), sure('99999999R'))
  t.deepEqual(fitNumber('99999998-R', spanish), unsure('99999998R'))
  t.deepEqual(fitNumber('X0000000T', spanish), sure('X0000000T'))
  t.deepEqual(fitNumber('U1A00J123X', issuerOf('PATENTE DI GUIDA')), unsure('U1A00J123X'), 'a zero may be an O')
  t.deepEqual(fitNumber('12 34 567890 1', issuerOf('FØRERKORT')), sure('12345678901'))
  t.is(fitNumber('12', german), null)
})

const view: PageView = {
  picture: { data: new Uint8Array(400).fill(200), width: 20, height: 20 },
  widthMm: 2,
  heightMm: 2,
  locate: places => places.set(places.map(mm => mm * 10)),
}

/** What is read of a licence that Tesseract reads as each of these pages in turn. */
function readAs(...pages: readonly (readonly string[])[]) {
  let n = 0
  return readLicence(() => [page(...(pages[n++] ?? []))], view, textOf(...rows))
}

test('a field is confirmed where two readings have it alike, and none otherwise', t => {
  const swapped = (from: string, to: string) => rows.map(row => row.replace(from, to))
  const all = ['last_name', 'first_name', 'date_of_birth', 'issue_date', 'expiry_date', 'document_number'] as const
  t.deepEqual(readAs(rows, rows, rows), {
    issuing_country: 'FR',
    last_name: 'MORGENSTERN',
    first_name: 'ALEXIS ROBIN',
    date_of_birth: '1991-03-04',
    issue_date: '2023-02-01',
    expiry_date: '2038-01-31',
    document_number: '13AA00002',
    confirmed: all,
  })
  const without = (field: string) => all.filter(name => name !== field)
  t.deepEqual(readAs(rows, rows, swapped('5. 13AA00002', ''))?.confirmed, all, 'one may not see it')
  t.deepEqual(readAs(rows, rows, swapped('13AA00002', '13AA00003'))?.confirmed, without('document_number'))
  t.deepEqual(
    readAs(rows, swapped('MORGENSTERN', 'MORGENSTEM'), swapped('1. MORGENSTERN', ''))?.confirmed,
    without('last_name'),
  )
  const early = swapped('31.01.2038', '31.01.2023')
  t.deepEqual(
    readAs(early, early, early)?.confirmed,
    ['last_name', 'first_name', 'document_number'],
    'expired when issued',
  )
  t.is(readAs(rows.slice(0, 3), rows, rows), null, 'two numbers may be on any page')
})

test('two digits of a year are read by what is known of drivers', t => {
  const short = rows.map(row => row.replace(/(\d\d\.\d\d\.)(?:19|20)(\d\d)/, '$1$2'))
  t.like(readAs(short, short, short), {
    date_of_birth: '1991-03-04',
    issue_date: '2023-02-01',
    expiry_date: '2038-01-31',
  })
  const young = short.map(row => row.replace('04.03.91', '04.03.05'))
  t.like(readAs(young, young, young), { date_of_birth: '2005-03-04' })
  const old = short.map(row => row.replace('04.03.91', '04.03.11'))
  t.like(readAs(old, old, old), { date_of_birth: '1911-03-04' })
})

let opening: Promise<AnalysisTools> | null = null

async function open(): Promise<AnalysisTools> {
  return { models: await loadModels(), falseMatchRate: '0.001', readSides, readText: await loadTextReader() }
}

async function seen(front: Buffer): Promise<DocumentFindings> {
  opening ??= open()
  const { document } = await analyse(await opening, {
    transaction_id: 'test',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: front,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: null,
  })
  if (document === null) throw new Error('a document was sent and none was looked at')
  return document
}

/** Of Poland, France, the United Kingdom, and Germany with two digits of a year. */
for (const seed of [705, 708, 709, 714])
  inLongTier(test.serial)(`a photographed European licence is read by its numbered fields, seed ${seed}`, async t => {
    const portrait = await renderPortrait(
      person(personSeeds[seed % personSeeds.length] ?? 1),
      { distance: 8, headWidth: 0.6 },
      { width: 350, height: 450 },
    )
    const { fields, truth } = inventedEuropeanLicence(seed)
    const findings = await seen(await photograph(await renderEuropeanLicence({ fields, portrait, seed }), { seed }))
    const { section, issues } = judgeDocument(findings, {}, today)
    const { last_name, first_name, ...exact } = truth
    t.is(section.status, 'PASSED')
    t.deepEqual(issues, [])
    t.like(section.data, exact)
    t.is(foldName(section.data.last_name ?? ''), foldName(last_name ?? ''))
    t.is(foldName(section.data.first_name ?? ''), foldName(first_name ?? ''))
    t.deepEqual(judgeDocumentCapture(findings, { awaitsBack: false, today }).warnings, [])
  })
