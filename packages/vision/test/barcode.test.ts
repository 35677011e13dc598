import type { DocumentFindings, MrzReading } from '@attestor/rules'
import { judgeDocument } from '@attestor/rules/testing'
import test from 'ava'
import fc from 'fast-check'
import sharp from 'sharp'
import { inLongTier, isLong } from '../../../test/tier.ts'
import { document, mrz, today } from '../../rules/test/findings_samples.ts'
import { parseAamva } from '../barcode/aamva.ts'
import { type FoundBarcode, readBarcode } from '../barcode/read_barcode.ts'
import { readSides } from '../document/read_sides.ts'
import { composeAamva, type LicenceFields } from '../synthetic/licence.ts'
import { photograph, renderDocument, renderLicence } from './drawn.ts'
import { inventedFields, inventedLicence, plainPortrait } from './synthetic/invented.ts'

let fetched = 0
const { fetch } = globalThis
test.before(() => {
  globalThis.fetch = async () => {
    fetched++
    throw new Error('there is no network')
  }
})
test.after.always(() => {
  globalThis.fetch = fetch
})

const fields: LicenceFields = {
  country: 'USA',
  jurisdiction: 'NY',
  document_number: 'D1234567',
  last_name: 'MORGENSTERN',
  first_name: 'ANNA',
  middle_name: 'MARIA',
  date_of_birth: '1990-12-11',
  issue_date: '2023-02-28',
  expiry_date: '2031-12-11',
  sex: 'F',
}

/** The expected reading of `fields`, without its standard. */
const readFields = {
  document_number: 'D1234567',
  last_name: 'MORGENSTERN',
  first_name: 'ANNA MARIA',
  date_of_birth: '1990-12-11',
  issue_date: '2023-02-28',
  expiry_date: '2031-12-11',
  sex: 'F',
} as const

test('every version of the standard is read, with the dates in the order of its country', t => {
  for (let version = 1; version <= 12; version++)
    for (const [country, jurisdiction] of [
      ['USA', 'NY'],
      ['CAN', 'ON'],
    ] as const) {
      const text = composeAamva({ ...fields, country, jurisdiction }, { version })
      const reading = parseAamva(text)
      t.like(reading, {
        ...readFields,
        version,
        issuing_country: country,
        jurisdiction,
        document_type: 'DRIVING_LICENSE',
      })
    }
  t.is(parseAamva(composeAamva(fields, { version: 9, subfile: 'ID' }))?.document_type, 'ID_CARD')
})

test('any holder comes back as composed', t => {
  const word = fc.stringMatching(/^[A-Z]{1,30}$/).filter(name => !['NONE', 'UNAVL', 'UNAVAIL'].includes(name))
  const day = fc
    .date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map(date => date.toISOString().slice(0, 10))
  const holder = fc.record({
    last_name: word,
    first_name: word,
    document_number: word,
    date_of_birth: day,
    issue_date: day,
    expiry_date: day,
  })
  fc.assert(
    fc.property(holder, fc.integer({ min: 1, max: 12 }), (one, version) => {
      const reading = parseAamva(composeAamva({ ...fields, ...one, middle_name: null }, { version }))
      for (const [name, value] of Object.entries(one))
        if (reading?.[name as keyof typeof one] !== value) throw new Error(`${name}: ${JSON.stringify(reading)}`)
    }),
  )
  t.pass()
})

test('whatever the text, the answer is a reading of bounded words or none', t => {
  const real = composeAamva(fields, { version: 8 })
  const texts = fc.oneof(
    fc.string({ maxLength: 4000 }),
    fc.string({ maxLength: 300 }).map(text => real.slice(0, 31) + text),
    fc
      .tuple(fc.nat(real.length), fc.string({ maxLength: 20 }))
      .map(([at, noise]) => real.slice(0, at) + noise + real.slice(at + 3)),
  )
  fc.assert(
    fc.property(texts, text => {
      const reading = parseAamva(text)
      for (const value of Object.values(reading ?? {}))
        if (typeof value === 'string' && (value.length > 250 || /\p{Cc}/u.test(value))) throw new Error(value)
    }),
  )
  for (const odd of [
    '',
    '@',
    real.repeat(20),
    `${real.slice(0, 20)}${'DL'.repeat(1000)}`,
    real.replace('ANSI ', 'XXXX '),
  ])
    t.is(parseAamva(odd), null)
  const noDay = parseAamva(composeAamva({ ...fields, expiry_date: '2031-02-30' }, { version: 8 }))
  t.is(noDay?.expiry_date, null)
})

function evidenceOf(more: object): DocumentFindings {
  const barcode = parseAamva(composeAamva(fields, { version: 10 }))
  const licence = { ...document, mrz: null, visual_surname: null, glare: null, sides_match: true }
  return { ...licence, barcode: barcode && { ...barcode, ...more } }
}

test('a licence is judged by its barcode as a passport is by its zone', t => {
  const expected = { first_name: 'Anna', last_name: 'Morgenstern', date_of_birth: '1990-12-11' }
  const { section } = judgeDocument(evidenceOf({}), expected, today)
  t.is(section.status, 'PASSED')
  t.like(section.data, {
    ...readFields,
    document_type: 'DRIVING_LICENSE',
    issuing_country: 'US',
    nationality: null,
    mrz: null,
  })
  const codes = (more: object, wanted = {}): string[] =>
    judgeDocument(evidenceOf(more), wanted, today).issues.map(({ code }) => code)
  t.true(codes({ expiry_date: '2026-11-20' }).includes('EXPIRED_DOCUMENT'))
  t.true(codes({ expiry_date: null }).includes('DOCUMENT_INCOMPLETE'))
  t.true(codes({}, { last_name: 'Other' }).includes('SURNAME_MISMATCH'))
  t.true(codes({}, { date_of_birth: '1990-12-12' }).includes('DATE_OF_BIRTH_MISMATCH'))
  const unborn = judgeDocument(evidenceOf({ date_of_birth: '2030-01-01' }), {}, today)
  t.is(unborn.section.status, 'UNDETERMINED', 'nobody is born tomorrow')
  t.deepEqual(unborn.issues.find(({ code }) => code === 'DOCUMENT_INCOMPLETE')?.details, {
    fields: ['date_of_birth'],
  })
  const cut = { last_name: 'MOR', truncated: ['last_name'] }
  t.false(codes(cut, expected).includes('SURNAME_MISMATCH'), 'the card says that it cut the name off')
  t.true(codes({ last_name: 'MOR' }, expected).includes('SURNAME_MISMATCH'))
})

test('a zone and a barcode on one card speak of one person and one card', t => {
  const zone: MrzReading = {
    ...mrz,
    format: 'TD1',
    document_code: 'ID',
    issuing_state: 'USA',
    document_number: 'D1234567',
    personal_number: null,
    last_name: 'MORGENSTERN',
    first_name: 'ANNA MARIA',
    date_of_birth: '901211',
    expiry_date: '311211',
  }
  const judge = (other: Partial<MrzReading>, more: object = {}) => {
    const { section, issues } = judgeDocument({ ...evidenceOf(more), mrz: { ...zone, ...other } }, {}, today)
    const status = section.data.checks.find(({ name }) => name === 'zone_and_barcode')?.status
    const details = issues.find(({ code }) => code === 'DOCUMENT_SIDES_MISMATCH')?.details
    return details === undefined ? status : [status, section.status, details.fields]
  }
  const agreeing: readonly [Partial<MrzReading>, object?][] = [
    [{}],
    [{ document_number: 'D12345678' }, { document_number: 'D123-4567-8901' }],
    [{ document_number: 'X99', personal_number: 'D1234567' }],
    [{ document_number: null }],
    [{ last_name: 'MORGENSTEM' }],
    [{ first_name: 'ANNA' }],
    [{ first_name: 'ANNA MARIA' }, { first_name: 'A' }],
    [{}, { last_name: 'MORG', truncated: ['last_name'] }],
    [{}, { date_of_birth: null, first_name: null }],
  ]
  for (const [other, more] of agreeing) t.is(judge(other, more), 'PASSED', JSON.stringify([other, more]))
  const others = {
    document_number: 'D7654321',
    date_of_birth: '901212',
    last_name: 'SCHNEIDER',
    first_name: 'JOHANNA',
  } as const
  for (const [field, value] of Object.entries(others))
    t.deepEqual(judge({ [field]: value }), ['REJECTED', 'REJECTED', [field]])
  t.deepEqual(judge(others), ['REJECTED', 'REJECTED', Object.keys(others)])
})

inLongTier(test)('a card with a zone beside the barcode of another, and two barcodes, are distinguished', async t => {
  const photoOf = async (seed: number): Promise<Buffer> => {
    const order = { fields: inventedLicence(seed), standard: { version: 9 }, portrait: plainPortrait, seed }
    return photograph((await renderLicence(order)).back, { seed, width: 1400 })
  }
  const card = await renderDocument({
    format: 'TD2',
    fields: inventedFields('TD2', 7),
    portrait: plainPortrait,
    seed: 7,
  })
  const front = await photograph(card.front, { seed: 7 })
  const one = await photoOf(20)
  const other = await photoOf(21)
  const mixed = await readSides(front, one)
  t.is(mixed.findings.mrz?.format, 'TD2')
  t.is(mixed.findings.barcode?.document_number, inventedLicence(20).document_number)
  const { issues } = judgeDocument({ ...document, ...mixed.findings }, {}, today)
  t.true(issues.some(({ code }) => code === 'DOCUMENT_SIDES_MISMATCH'))
  t.is((await readSides(one, other)).findings.sides_match, false)
  t.is((await readSides(one, one)).findings.sides_match, null)
})

test('a photographed licence is read from whichever photo shows its back', async t => {
  const { front, back, text } = await renderLicence({
    fields: inventedLicence(5),
    standard: { version: 8 },
    portrait: plainPortrait,
    seed: 5,
  })
  const setting = { seed: 5, width: 1400 }
  const photos = [await photograph(front, setting), await photograph(back, setting)] as const
  const barcode = parseAamva(text)
  t.like(await readSides(photos[0], photos[1]), {
    findings: { reading: 'READ', mrz: null, barcode },
    isSwapped: false,
  })
  t.like(await readSides(photos[1], photos[0]), { findings: { barcode }, isSwapped: true })
  t.like(await readSides(photos[1], null), { findings: { barcode }, isBackOnly: true })
  if (isLong) t.is((await readSides(photos[0], null)).findings.barcode ?? null, null)
})

/** Reads the part of a photo around the place at which a barcode was found. */
async function readPlace(photo: Buffer, found: FoundBarcode | null): Promise<FoundBarcode | null> {
  const { width, height } = await sharp(photo).metadata()
  const xs = (found?.place ?? []).map(({ x }) => x * width)
  const ys = (found?.place ?? []).map(({ y }) => y * height)
  const rim = 0.01 * Math.max(width, height)
  const [left, top] = [Math.max(0, Math.round(Math.min(...xs) - rim)), Math.max(0, Math.round(Math.min(...ys) - rim))]
  const size = { width: Math.round(Math.max(...xs) + rim) - left, height: Math.round(Math.max(...ys) + rim) - top }
  const part = await sharp(photo)
    .extract({ left, top, ...size })
    .extend({ top: 300, bottom: 300, background: '#999' })
  return readBarcode(await part.jpeg({ quality: 95 }).toBuffer(), { anywhere: true })
}

inLongTier(test)('a licence is read however the phone was held', async t => {
  for (const [seed, condition, quarter] of [
    [104, 'tilted', 0],
    [108, 'tilted', 90],
    [110, 'small', 270],
    [111, 'low_resolution', 0],
  ] as const) {
    const order = { fields: inventedLicence(seed), standard: { version: 9 }, portrait: plainPortrait, seed }
    const { back, text } = await renderLicence(order)
    const photo = await photograph(back, { seed, condition, width: 1400 })
    const turned = await sharp(photo).rotate(quarter).jpeg().toBuffer()
    const found = await readBarcode(turned, { anywhere: false })
    t.deepEqual((await readPlace(turned, found))?.reading, found?.reading, `${condition}: it is where it is said to be`)
    t.deepEqual(found?.reading, parseAamva(text) ?? undefined, `${condition}, turned by ${quarter}`)
  }
})

test('a close-up of nothing but the barcode is read', async t => {
  const order = { fields: inventedLicence(104), standard: { version: 9 }, portrait: plainPortrait, seed: 104 }
  const { back, text } = await renderLicence(order)
  const part = sharp(back).extract({ left: 91, top: 43, width: 816, height: 372 })
  const photo = await part.resize({ width: 500 }).jpeg().toBuffer()
  const found = await readBarcode(photo, { anywhere: true })
  t.deepEqual(found?.reading, parseAamva(text) ?? undefined)
  const [topLeft, , bottomRight] = found?.place ?? []
  t.true((topLeft?.x ?? 1) < 0.1 && (bottomRight?.x ?? 0) > 0.9, 'it is as wide as the picture')
})

test('a barcode of another kind, or none, is no reading; nothing is fetched from anywhere', async t => {
  const grey = sharp({ create: { width: 900, height: 600, channels: 3, background: '#999' } })
  t.is(await readBarcode(await grey.jpeg().toBuffer(), { anywhere: true }), null)
  t.is(fetched, 0)
})
