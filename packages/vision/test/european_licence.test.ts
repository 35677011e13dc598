import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DocumentFindings, judgeDocumentCapture } from '@attestor/rules'
import { foldName } from '@attestor/rules/readings'
import { judgeDocument } from '@attestor/rules/testing'
import test from 'ava'
import { inLongTier } from '../../../test/tier.ts'
import { today } from '../../rules/test/findings_samples.ts'
import { analyse } from '../analyse.ts'
import { readSides } from '../document/read_sides.ts'
import { loadModels } from '../models.ts'
import { fitNumber } from '../print/field_values.ts'
import { type Layout, ownLayouts, readLayouts } from '../print/layouts.ts'
import { loadPrintReader } from '../print/load.ts'
import type { Corners } from '../print/page.ts'
import { type PlacedLine, placeLines } from '../print/placed_lines.ts'
import { type Looks, readByLayout } from '../print/printed_side.ts'
import { identifyLayout, LayoutReading, mergeReadings } from '../print/read_layout.ts'
import { person, personSeeds } from '../synthetic/portrait.ts'
import type { AnalysisTools } from '../tools.ts'
import { photograph, renderEuropeanLicence, renderPortrait } from './drawn.ts'
import { placeLine, placeWords } from './drawn_lines.ts'
import { inventedEuropeanLicence } from './synthetic/invented.ts'

const layouts = readLayouts([ownLayouts])

/** Pixels around the lines. */
const margin = 20

/** Places lines 30 pixels apart; a letter is 10 pixels wide, and `|` parts two lines of one row. */
function page(...rows: readonly string[]): PlacedLine[] {
  return placeLines(
    rows.flatMap((row, n) => {
      let left = margin
      return row.split('|').flatMap(text => {
        const width = 10 * text.length
        left += width + 20
        const words = placeWords(text)
        const box = { x: left - 20 - width / 2, y: margin + 30 * n, width, height: 20 }
        return text === '' ? [] : [placeLine(words, box)]
      })
    }),
  )
}

const rows = [
  'PERMIS DE CONDUIRE|REPUBLIQUE FRANCAISE',
  '1. MORGENSTERN',
  '2. ALEXIS ROBIN',
  '3. 04.03.1991 (NOWHERE)',
  '4a. 01.02.2023|4c. UTOPIA',
  '4b. 31.01.2038',
  '5. 13AA00002',
  '9. AM/B1/B',
]

function layoutOf(...titles: readonly string[]): Layout {
  const found = identifyLayout(layouts, page(...titles))
  if (found === null) throw new Error(`no layout has ${titles}`)
  return found
}

function readAs(first: readonly string[], second: readonly string[] = first) {
  const layout = layoutOf(...rows)
  const read = (card: readonly string[]) => new LayoutReading(layout, page(...card))
  return mergeReadings(layout, { first: read(first), second: read(second) })
}

/** Reads a document whose two readings are the same. */
function readOnce(layout: Layout, lines: readonly PlacedLine[]) {
  const reading = new LayoutReading(layout, lines)
  return mergeReadings(layout, { first: reading, second: reading })
}

const whole = {
  last_name: 'MORGENSTERN',
  first_name: 'ALEXIS ROBIN',
  date_of_birth: '1991-03-04',
  issue_date: '2023-02-01',
  expiry_date: '2038-01-31',
  document_number: '13AA00002',
}

test('fields are found by their numbers, one or two in a row, however the numbers are read', t => {
  const layout = layoutOf(...rows)
  const read = (...changed: readonly string[]) => readOnce(layout, page(...changed))
  t.like(read(...rows), whole)
  const misread = rows.map(row =>
    row.replace(/^1\. /, 'l.').replace('4a. ', '4a').replace('4b. ', '46 ').replace('5. ', '5 ').replace('|', ' '),
  )
  t.like(read(...misread), whole)
  t.is(read('1. MORGENSTERN', '   SUNDERLAND', '2. ALEXIS').last_name, 'MORGENSTERN SUNDERLAND', 'a name goes on below')
  t.is(read('513AA00002').document_number, '13AA00002', 'the dot is lost')
  t.is(read('2. ALEXIS|REPUBLIQUE', '').first_name, 'ALEXIS REPUBLIQUE')
  t.is(read('2. ALEXIS||     |REPUBLIQUE').first_name, 'ALEXIS', 'what stands apart is the paper’s')
  t.is(read('1. MORGENSTERN', '2.|ALEXIS').last_name, 'MORGENSTERN', 'and not in the row of another')
})

test('the state is known by title and name, and by neither where several share a title', t => {
  t.is(layoutOf('FÜHRERSCHEIN BUNDESREPUBLIK DEUTSCHLAND').country, 'DE')
  t.is(layoutOf('FUHRERSCHEIN', 'REPUBLIKOSTERREICH').country, 'AT')
  t.is(layoutOf('PRAWO JAZDY').country, 'PL')
  t.is(layoutOf('DRIVING LICENCE NORTHERN IRELAND').country, 'GB')
  t.is(layoutOf('CEADUNAS TIOMANA DRIVING LICENCE', 'EIRE IRELAND').country, 'IE')
  t.is(layoutOf('DRIVING LICENCE', 'UNITED KINGDOM').country, 'GB')
  t.is(identifyLayout(layouts, page('FÜHRERSCHEIN')), null)
  t.is(identifyLayout(layouts, page('DRIVER LICENSE')), null)
})

test('a number takes the form of its document, or is unsure', t => {
  const fitted = (number: string, ...titles: readonly string[]) => {
    const { fields, isChecked } = layoutOf(...titles)
    return fields.document_number === undefined ? null : fitNumber(number, fields.document_number, isChecked)
  }
  const sure = (number: string) => ({ number, isSure: true })
  const unsure = (number: string) => ({ number, isSure: false })
  const british = ['DRIVING LICENCE', 'UNITED KINGDOM']
  t.deepEqual(fitted('M0RGA7531I6SM9IJ 35', ...british), sure('MORGA753116SM9IJ'))
  t.deepEqual(fitted('VU999 7O9284 AB9CD', ...british), sure('VU999709284AB9CD'), 'short names are filled')
  t.deepEqual(fitted('MORGA75311', ...british), unsure('MORGA75311'))
  t.deepEqual(fitted('00000/00/OOOO', 'PRAWO JAZDY'), sure('00000000000'))
  const german = ['FÜHRERSCHEIN', 'BUNDESREPUBLIK DEUTSCHLAND']
  t.deepEqual(fitted('B072RRE2I55', ...german), sure('B072RRE2I55'))
  t.deepEqual(fitted('BO72RRE2I55', ...german), unsure('BO72RRE2I55'), 'its check digit disagrees')
  t.deepEqual(fitted('99999999-R', 'PERMISO DE CONDUCCIÓN'), sure('99999999R'))
  t.deepEqual(fitted('99999998-R', 'PERMISO DE CONDUCCIÓN'), unsure('99999998R'))
  t.deepEqual(fitted('X0000000T', 'PERMISO DE CONDUCCIÓN'), sure('X0000000T'))
  t.deepEqual(fitted('U1A00J123X', 'PATENTE DI GUIDA'), unsure('U1A00J123X'), 'a zero may be an O')
  const singaporean = ['REPUBLIC OF SINGAPORE', 'IDENTITY CARD NO.']
  t.deepEqual(fitted('SO000001I', ...singaporean), sure('S0000001I'))
  t.deepEqual(fitted('S0000001A', ...singaporean), unsure('S0000001A'))
  t.deepEqual(fitted('12 34 567890 1', 'FØRERKORT'), sure('12345678901'))
})

test('a field is confirmed only if two readings agree on it', t => {
  const swapped = (from: string, to: string) => rows.map(row => row.replace(from, to))
  const all = ['last_name', 'first_name', 'date_of_birth', 'issue_date', 'expiry_date', 'document_number'] as const
  t.deepEqual(readAs(rows), {
    layout: 'fr_driving_licence',
    document_type: 'DRIVING_LICENSE',
    issuing_country: 'FR',
    ...whole,
    not_printed: [],
    confirmed: all,
  })
  const without = (field: string) => all.filter(name => name !== field)
  t.deepEqual(readAs(rows, swapped('5. 13AA00002', '|  13AA00002'))?.confirmed, all, 'one may not see the label')
  t.deepEqual(readAs(rows, swapped('5. 13AA00002', ''))?.confirmed, without('document_number'))
  t.deepEqual(readAs(rows, swapped('13AA00002', '13AA00003'))?.confirmed, without('document_number'))
  t.deepEqual(readAs(rows, swapped('MORGENSTERN', 'MORGENSTEM'))?.confirmed, without('last_name'))
  const early = swapped('31.01.2038', '31.01.2023')
  t.deepEqual(readAs(early).confirmed, ['last_name', 'first_name', 'document_number'], 'expired when issued')
})

test('a character that the form of a number settles need not be sure', t => {
  const seenAs = (number: string, sures: Readonly<Record<number, number>>) => {
    const lines = page(...rows.map(row => row.replace('13AA00002', number))).map(line => ({
      ...line,
      sures: line.text.startsWith('5.') ? line.sures.map((sure, at) => sures[at - 3] ?? sure) : line.sures,
    }))
    return readOnce(layoutOf(...rows), lines)
  }
  const isConfirmed = (number: string, sures: Readonly<Record<number, number>>) =>
    seenAs(number, sures).confirmed.includes('document_number')
  t.true(isConfirmed('13AO00002', { 3: 0.5 }), 'an O or a zero')
  t.false(isConfirmed('13AO00002', { 3: 0.3 }))
  t.false(isConfirmed('13AV00002', { 3: 0.7 }), 'a V or a Y')
})

test('a letter of a name that is like another must be surer', t => {
  const layout = layoutOf(...rows)
  const isSure = (name: string, last: number): boolean => {
    const lines = page(...rows.map(row => row.replace('MORGENSTERN', name))).map(line => ({
      ...line,
      sures: line.text.startsWith('1. ') ? line.sures.with(-1, last) : line.sures,
    }))
    return readOnce(layout, lines).confirmed.includes('last_name')
  }
  t.deepEqual([isSure('RAVI', 0.49), isSure('RAVI', 0.52)], [false, true])
  t.deepEqual([isSure('RAVL', 0.52), isSure('RAVL', 0.81)], [false, true])
  t.deepEqual([isSure('Hag', 0.73), isSure('Haq', 0.79), isSure('Haq', 0.81)], [false, false, true])
})

test('a line that the edge of the picture may cut off is not sure', t => {
  const layout = layoutOf(...rows)
  const confirmedAt = (right: number): readonly string[] => {
    const lines = page(...rows).map(line => {
      const [a, b, c, d] = line.line.corners
      const corners: Corners = [a, [right, b[1]], [right, c[1]], d]
      return line.text.startsWith('1. ') ? { ...line, line: { ...line.line, corners } } : line
    })
    return readOnce(layout, lines).confirmed
  }
  t.true(confirmedAt(0.99).includes('last_name'))
  t.false(confirmedAt(0.996).includes('last_name'))
  t.false(confirmedAt(1.01).includes('last_name'))
  t.true(confirmedAt(1.01).includes('first_name'))
})

test('a name with a digit that may be several letters is not read', t => {
  t.is(readAs(rows.map(row => row.replace('MORGENSTERN', 'M0RGEN5TERN'))).last_name, 'MORGENSTERN')
  t.is(readAs(rows.map(row => row.replace('MORGENSTERN', 'MORGENSTE1N'))).last_name, null)
})

test('Chinese cards are read, both sides, and their names are compared as they are', async t => {
  const look = (...rows: readonly string[]): Looks => {
    const lines = page(...rows).map(({ line }) => line)
    const text = { lines, turns: 0, linePixels: 30, isAll: true, isWhole: true }
    return { first: text, finer: async () => text, closer: async again => ({ ...text, lines: again }) }
  }
  const front = ['姓名|张伟', '性别|男', '出生|1990年1月1日', '住址|北京市', '公民身份号码|110101199001011237']
  const layout = layoutOf(...front)
  const back = async () => look('居民身份证', '有效期限|2019.03.05-2039.03.05')
  const { reading, places } = await readByLayout(layout, look(...front), back)
  const boxOf = (corners: Corners | undefined): readonly number[] | undefined =>
    corners && [...corners[0], ...corners[2]].map(share => Math.round(share * 1000))
  t.deepEqual(boxOf(places.FRONT.last_name), [60, 10, 80, 30], 'its value alone, and not its label')
  t.deepEqual(boxOf(places.BACK.expiry_date), [190, 40, 290, 60], 'the second of two dates')
  t.deepEqual(Object.keys(places.BACK), ['expiry_date'])
  t.like(reading, {
    last_name: '张伟',
    date_of_birth: '1990-01-01',
    expiry_date: '2039-03-05',
  })
  t.deepEqual(reading.not_printed, ['first_name'])
  t.deepEqual(reading.confirmed, ['last_name', 'date_of_birth', 'expiry_date', 'document_number'])
  const first = new LayoutReading(layout, page(...front))
  const other = new LayoutReading(layout, page(...front.map(row => row.replace('张伟', '张韦'))))
  t.false(mergeReadings(layout, { first, second: other }).confirmed.includes('last_name'))
  const endless = await readByLayout(layout, look(...front), async () => look('有效期限|2019.03.05-长期'))
  t.deepEqual(endless.reading.not_printed, ['first_name', 'expiry_date'])
})

test('a Chinese name is open where a character may be another, or be left out', t => {
  const card = ['姓名|张伟', '出生|1990年1月1日', '公民身份号码|110101199001011237']
  const layout = layoutOf(...card)
  const isSure = (change: (line: PlacedLine) => PlacedLine): boolean => {
    const lines = page(...card).map(line => (line.text === '张伟' ? change(line) : line))
    return readOnce(layout, lines).confirmed.includes('last_name')
  }
  t.true(isSure(line => line))
  t.false(
    isSure(line => ({ ...line, sures: [1, 0.95] })),
    'a character that the network lacks comes as one like it',
  )
  t.false(
    isSure(line => ({ ...line, right: line.left + 3 * line.height })),
    'the line is wide enough for a third one',
  )
})

test('two columns that were read as one line are parted where the labels stand', t => {
  const card = [
    'CARTEIRA NACIONAL DE HABILITACAO',
    'NOME E SOBRENOME',
    'LUCAS OLIVEIRA',
    'DATA, LOCAL E UF DE NASCIMENTO',
    '16/12/1955',
    'DATA EMISSAO|VALIDADE',
    '14/06/2022|13/06/2032',
    'CPF         |N REGISTRO',
    '123.456.789-0916423493417',
  ]
  const layout = layoutOf(...card)
  const { confirmed, ...read } = readOnce(layout, page(...card))
  t.like(read, { last_name: 'OLIVEIRA', expiry_date: '2032-06-13', document_number: '16423493417' })
  t.true(confirmed.includes('document_number'))
  const torn = card.map(row => (row.startsWith('123') ? row.slice(2) : row))
  t.not(readOnce(layout, page(...torn)).document_number, '16423493417', 'no sign may be missing')
})

test('a name is whole where it begins left of its label, and ends before another script', t => {
  const brazil = ['CARTEIRA NACIONAL DE HABILITACAO', '2 e 1|NOME E SOBRENOME', 'LETICIA MARIA OLIVEIRA']
  t.like(readOnce(layoutOf(...brazil), page(...brazil)), { last_name: 'LETICIA MARIA OLIVEIRA' })
  const singapore = ['REPUBLIC OF SINGAPORE', 'IDENTITY CARD NO. S5564016P', 'Name', 'LING WEI KOH', '(陈伟)', 'Race']
  t.is(readOnce(layoutOf(...singapore), page(...singapore)).last_name, 'LING WEI KOH')
})

test('the label of another field is no name', t => {
  const sydney = ['Driver Licence|New South Wales, Australia', 'Emma SMITH-JONES    |Card Number', '|2 018 123 456']
  t.like(readOnce(layoutOf(...sydney), page(...sydney)), { last_name: 'SMITH-JONES', first_name: 'EMMA' })
})

test('a name that cannot be read is left open: the next text is not taken for it', t => {
  const readNames = (...card: readonly string[]): (string | null)[] => {
    const { last_name, first_name } = readOnce(layoutOf(...card), page(...card))
    return [last_name, first_name]
  }
  const sydney = (...names: readonly string[]) =>
    readNames('Driver Licence|New South Wales, Australia', ...names, '7 UTOPIA STREET', 'NOWHERE NSW 2000')
  t.deepEqual(sydney('Matlda Olivr SMIH3 456'), [null, null])
  t.deepEqual(sydney(), [null, null], 'an address is no name')
  t.deepEqual(sydney('Matilda Isla MURPHY 2 018 123 456'), ['MURPHY', 'MATILDA ISLA'], 'a number of another column')
  t.deepEqual(sydney("Jane Matilda O' BRIEN"), ['O’BRIEN', 'JANE MATILDA'])
  t.deepEqual(sydney('Jane D"ANGELO'), ['D’ANGELO', 'JANE'])
  t.deepEqual(sydney('Jane Isla O BRIEN'), [null, null], 'an apostrophe was lost, or O is a name')
  t.deepEqual(sydney('Emma DE SILVA'), ['DE SILVA', 'EMMA'])
  t.deepEqual(sydney('EMMA ISLA DE SILVA'), ['EMMA ISLA DE SILVA', null], 'nothing says where the surname begins')
  t.deepEqual(sydney('EMMA DESILVA'), ['DESILVA', 'EMMA'])
  t.deepEqual(sydney('Emma OIiver lYER'), ['IYER', 'EMMA OLIVER'], 'I and l are one stroke')
  t.deepEqual(sydney('ALI UI-Haq'), ['UL-HAQ', 'ALI'])
  t.deepEqual(sydney('Anna MacIean'), [null, null], 'I and l are both possible')
  t.deepEqual(sydney('Bila l Ayesha MALIK'), [null, null], 'a stroke alone is no name')
  t.deepEqual(sydney('AGUS PUTR I PRATAMA'), [null, null], 'nor is it an initial')
  const father = ['INCOME TAX DEPARTMENT', 'Name', 'R4VI SHARMA', "Father's Name", 'KARAN MEHRA']
  t.deepEqual(readNames(...father), [null, null], 'the father is not the holder')
  const hanoi = ['CAN CUOC CONG DAN', 'Ho va ten / Full name', 'DO NGOC TH!']
  t.deepEqual(readNames(...hanoi), ['DO', 'NGOC THI'])
  const delhi = ['Government of India|DOB', 'Kavita Arjun lyer', 'DOB: 16/121955', '7977 4389 9301']
  t.like(readOnce(layoutOf(...delhi), page(...delhi)), {
    last_name: 'KAVITA ARJUN IYER',
    date_of_birth: '1955-12-16',
  })
})

test('a name in another script beside the Latin one is no part of it', t => {
  const titles = ['Pakistan|National Identity Card', 'Name']
  const layout = layoutOf(...titles)
  const read = (sureness: (word: string) => number, name = 'Sana Ayesha Malik  jlas Jul') => {
    const lines = page(...titles, name).map(line => ({
      ...line,
      sures: line.text.split(/(?<= )/).flatMap(word => [...word].map(() => sureness(word.trim()))),
    }))
    const { last_name, confirmed } = readOnce(layout, lines)
    return { name: last_name, isSure: confirmed.includes('last_name') }
  }
  t.deepEqual(
    read(word => (/^[jJ]/.test(word) ? 0.6 : 1)),
    { name: 'SANA AYESHA MALIK', isSure: true },
  )
  t.false(read(word => (/^[jJM]/.test(word) ? 0.6 : 1)).isSure, 'a surname may be cut off')
  t.deepEqual(
    read(word => (/^J/.test(word) ? 0.6 : 1), 'Sana Ayesha Malik  l Jul'),
    { name: 'SANA AYESHA MALIK', isSure: true },
    'an alef is a stroke that is read surely',
  )
})

test('columns of labels that were read as one line keep their values apart', t => {
  const accra = [
    'REPUBLIC OF GHANA|ECOWAS IDENTITY CARD',
    'Date of Issuance/Date de delivranceDate of Expiry/Date d expiration',
    '14/06/2022|13/06/2032',
  ]
  // The right value is a little higher, and its box begins below the left label.
  const lines = page(...accra).map(line => {
    if (line.text !== '13/06/2032') return line
    return { ...line, middle: line.middle - 1, left: 339, right: 447, places: line.places.map((_, n) => 356 + 10 * n) }
  })
  lines.sort((one, other) => one.middle - other.middle)
  const layout = layoutOf(...accra)
  t.like(readOnce(layout, lines), { issue_date: '2022-06-14', expiry_date: '2032-06-13' })
})

test('the back is asked for, and its fields are read there', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'layouts-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const fields = {
    document_number: { labels: ['Member No.'], value: 'RIGHT', forms: ['AANNNNNN'] },
    last_name: { labels: ['Family name'], value: 'BELOW' },
    expiry_date: { side: 'BACK', labels: ['Valid until'], value: 'RIGHT' },
  }
  const content = { country: 'UT', document_type: 'ID_CARD', source: 'none', titles: [['Utopia library card']], fields }
  writeFileSync(join(folder, 'ut_library_card.json'), JSON.stringify(content))
  const [layout] = readLayouts([folder])
  if (layout === undefined) throw new Error('the layout was not read')
  const lookAt = (...rows: readonly string[]): Looks => {
    const lines = page(...rows).map(({ line }) => line)
    const text = { lines, turns: 0, linePixels: 30, isAll: true, isWhole: true }
    return { first: text, finer: async () => text, closer: async again => ({ ...text, lines: again }) }
  }
  const front = lookAt('UTOPIA LIBRARY CARD', 'Member No. UL204881', 'Family name', 'OKAFOR')
  const back = async () => lookAt('VaIid unti1 31.01.2038')
  const both = await readByLayout(layout, front, back)
  t.like(both.reading, { document_number: 'UL204881', last_name: 'OKAFOR', expiry_date: '2038-01-31' })
  t.deepEqual(both.reading.confirmed, ['last_name', 'expiry_date', 'document_number'])
  const alone = await readByLayout(layout, front, null)
  t.true(alone.needsBack)
  t.like(alone.reading, { last_name: 'OKAFOR', expiry_date: null })
})

test('two digits of a year are read by what is known of drivers', t => {
  const short = rows.map(row => row.replace(/(\d\d\.\d\d\.)(?:19|20)(\d\d)/, '$1$2'))
  t.like(readAs(short), { date_of_birth: '1991-03-04', issue_date: '2023-02-01', expiry_date: '2038-01-31' })
  t.like(readAs(short.map(row => row.replace('04.03.91', '04.03.05'))), { date_of_birth: '2005-03-04' })
  t.like(readAs(short.map(row => row.replace('04.03.91', '04.03.11'))), { date_of_birth: '1911-03-04' })
})

let opening: Promise<AnalysisTools> | null = null

async function open(): Promise<AnalysisTools> {
  return { models: await loadModels(), falseMatchRate: '0.001', readSides, print: await loadPrintReader() }
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

/** The seeds draw licences of Poland, France, the United Kingdom, and Germany with two digits of a year. */
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
    t.true(section.data.printed_lines?.join('\n').includes(fields.document_number))
    t.is(foldName(section.data.last_name ?? ''), foldName(last_name ?? ''))
    t.is(foldName(section.data.first_name ?? ''), foldName(first_name ?? ''))
    t.deepEqual(judgeDocumentCapture(findings, { awaitsBack: false, declared: null, today }).warnings, [])
  })
