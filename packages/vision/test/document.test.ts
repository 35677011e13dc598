import type { DocumentFormat } from '@attestor/rules/synthetic'
import test from 'ava'
import sharp from 'sharp'
import { noise } from '../../../test/noise.ts'
import { inLongTier, isLong, rounds } from '../../../test/tier.ts'
import { eachMark } from '../images/connected_pixels.ts'
import { UnreadableImageError } from '../images/decode_image.ts'
import { type CountedMark, createRowMarks } from '../images/row_marks.ts'
import { type PhotoCondition, photoConditions } from '../synthetic/photo_taking.ts'
import { seeded } from '../synthetic/random.ts'
import { readDocumentZone } from '../zone/document_zone.ts'
import type { Zone } from '../zone/find_zones.ts'
import { readZoneText } from '../zone/zone_text.ts'
import { photograph, renderDocument } from './drawn.ts'
import { inventedFields, plainPortrait } from './synthetic/invented.ts'

const formats: readonly DocumentFormat[] = ['TD1', 'TD2', 'TD3']

/** Takes a photo of the side with the zone, smaller than a phone's to save time. */
async function taken(
  format: DocumentFormat,
  seed: number,
  how: { condition?: PhotoCondition; mrz?: readonly string[] } = {},
): Promise<{ photo: Buffer; mrz: string[]; front: Buffer }> {
  const printed = { ...(how.mrz === undefined ? {} : { mrz: how.mrz }) }
  const order = { format, fields: inventedFields(format, seed), portrait: plainPortrait, seed, ...printed }
  const { front, back, mrz } = await renderDocument(order)
  const photo = await photograph(back ?? front, { seed, width: 1200, condition: how.condition ?? 'typical' })
  return { photo, mrz, front }
}

for (const format of formats) {
  test(`a ${format} photographed in typical conditions is read exactly, with every check digit`, async t => {
    for (const seed of [31, 32].slice(0, rounds(1, 2))) {
      const { photo, mrz } = await taken(format, seed)
      const sight = await readDocumentZone(photo, null)
      t.is(sight.reading, 'READ')
      t.deepEqual(sight.mrz?.lines, mrz)
      t.true(sight.mrz?.valid)
      t.is(sight.mrz?.format, format)
      t.is(sight.mrz?.document_number, inventedFields(format, seed).document_number)
      t.is(sight.frontRotation, 0)
    }
  })

  inLongTier(test)(`a ${format} is read whichever way up, by its pixels or by its EXIF orientation`, async t => {
    const { photo, mrz } = await taken(format, 41)
    for (const turn of [90, 180, 270] as const) {
      const turned = await sharp(photo).rotate(turn).jpeg({ quality: 90 }).toBuffer()
      const sight = await readDocumentZone(turned, null)
      t.deepEqual(sight.mrz?.lines, mrz, `turned by ${turn}`)
      t.is(sight.frontRotation, (360 - turn) as 90 | 180 | 270)
    }
    const tagged = await sharp(photo).rotate(90).withMetadata({ orientation: 8 }).jpeg({ quality: 90 }).toBuffer()
    const sight = await readDocumentZone(tagged, null)
    t.deepEqual(sight.mrz?.lines, mrz)
    t.is(sight.frontRotation, 0, 'the EXIF orientation had set it upright')
  })
}

inLongTier(test)(
  'blur, motion, tilt, shadow, grain, distance, few pixels, a loud table and a bowed page leave the zone legible',
  async t => {
    for (const [at, condition] of photoConditions.entries()) {
      if (['clean', 'typical', 'upside_down', 'unusable'].includes(condition)) continue
      const { photo, mrz } = await taken(formats[at % 3] ?? 'TD3', 52, { condition })
      const sight = await readDocumentZone(photo, null)
      t.deepEqual(sight.mrz?.lines, mrz, condition)
      t.true(sight.mrz?.valid, condition)
    }
  },
)

inLongTier(test)('a photo that no one could use is refused or read rightly, never misread', async t => {
  for (const seed of [3, 4, 5]) {
    const { photo, mrz } = await taken('TD1', seed, { condition: 'unusable' })
    const { reading, mrz: read } = await readDocumentZone(photo, null)
    t.deepEqual(read?.lines ?? mrz, mrz, `${seed}: ${reading}`)
  }
})

inLongTier(test)('a mesh and grain without end are not readable', async t => {
  const mesh = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><rect width="24" height="24" fill="#ddd"/>' +
      '<rect width="14" height="14" fill="#222"/></svg>',
  )
  const paper = { width: 1600, height: 1200, channels: 3, background: '#fff' } as const
  const hostile = [sharp({ create: paper }).composite([{ input: mesh, tile: true }]), noise(1600, 1200, 240)]
  for (const picture of hostile) {
    const image = await picture.jpeg().toBuffer()
    t.is((await readDocumentZone(image, null)).reading, 'NOT_READABLE')
  }
})

test('marks that are found by their runs are those that are found pixel by pixel', t => {
  const random = seeded(48)
  for (const density of [5, 20, 40, 55, 90]) {
    const [width, height] = [61 + density, 47]
    const ink = Uint8Array.from({ length: width * height }, () => Number(random.below(100) < density))
    const found: CountedMark[] = []
    const marks = createRowMarks(width, mark => found.push(mark))
    for (let y = 0; y < height; y++) marks.addRow(ink.subarray(y * width, (y + 1) * width))
    marks.end()
    const expected: CountedMark[] = []
    eachMark(ink, width, 'corner', (mark, [first = 0, ...others]) =>
      expected.push({ ...mark, pixels: others.length + 1, first }),
    )
    t.deepEqual(
      found.sort((one, other) => one.first - other.first),
      expected,
      `${density} of 100 pixels`,
    )
  }
})

/** A zone of two rows of 44 places, a pitch of 24 pixels, anywhere in a picture. */
const anyZone: Zone = {
  grid: { plane: [24, 0, 40, 0, 24, 80, 0, 0], along: [], across: [], middle: 0, half: 1, sign: 1 },
  spacing: 1,
  rows: [0, 1],
  columns: [0, 43],
  spotCount: 88,
}

test('a few cells show that coarse grain is no zone, and what is looked at is counted', t => {
  const width = 1200
  const height = 300
  const data = new Uint8Array(width * height)
  for (let at = 0; at < data.length; at++) {
    const x = (at % width) >> 4
    const y = Math.floor(at / width) >> 4
    data[at] = (x * 7919 + y * 104_729 + x * y * 31) & 255
  }
  const budget = { cells: 1250 }
  t.is(readZoneText({ data, width, height }, anyZone, budget), null)
  const looked = 1250 - budget.cells
  const glances = 2 * 2 * 15
  t.true(looked > 0 && looked < 0.7 * glances, `${looked} cells`)
})

test('a wrong check digit in print is reported, and not repaired', async t => {
  const { mrz } = await taken('TD3', 61)
  const second = mrz[1] ?? ''
  const wrong = String((Number(second[19]) + 4) % 10)
  const lie = [mrz[0] ?? '', second.slice(0, 19) + wrong + second.slice(20)]
  const { photo } = await taken('TD3', 61, { mrz: lie })
  const { reading, mrz: read } = await readDocumentZone(photo, null)
  t.is(reading, 'READ')
  t.false(read?.valid)
  t.deepEqual(read?.lines, lie)
  t.deepEqual(
    read?.check_digits.filter(check => !check.passed).map(check => check.name),
    ['date_of_birth', 'composite'],
  )
})

test("zones that leave something out, or differ from ICAO's print, are read from photos as they are printed", async t => {
  const zones: readonly (readonly [DocumentFormat, readonly string[]])[] = [
    ['TD1', ['IDMDAAT47110082<<<<<<<<<<<<<<<', '9103041F<<<<<<<MDA<<<<<<<<<<<4', '<<ALEXIS<ROBIN<<<<<<<<<<<<<<<<']],
    ['TD1', ['IDMEX2047110089<<1234067890123', '9103041H3312315MEX<02<<12345<1', 'MORGENSTERN<RIOS<<ALEXIS<<<<<<']],
    ['TD1', ['TRGEOAT47110082<<<<<<<<<<<<<<<', '9103041F3302185IND<<<<<<<<<<<6', 'MORGENSTERN<<ALEXIS<ROBIN<<<<<']],
    ['TD1', ['MED<<AT47110082<<<<<<<<<<<<<<<', '9103041F3302185SYR<<<<<<<<<<<6', 'MORGENSTERN<<ALEXIS<ROBIN<<<<<']],
    ['TD3', ['P<UTOMORGENSTERN<<<ALEXIS<ROBIN'.padEnd(44, '<'), 'AT47110071UTO9103<<7F3302185<<<<<<<<<<<<<<08']],
    ['TD3', ['PNRUSOBRAZ3OV<<EVGENI9<ALEKSANDROVI3<<<<<<<<', '3990000018RUS9103041F<<<<<<08220811770056<14']],
  ]
  for (const [at, [format, mrz]] of zones.entries()) {
    if (!isLong && ![0, 4, 5].includes(at)) continue
    const { photo } = await taken(format, 80 + at, { mrz })
    const { mrz: read } = await readDocumentZone(photo, null)
    t.deepEqual([read?.lines, read?.valid, read?.corrected_characters], [mrz, true, 0])
  }
})

inLongTier(test)('a photo without a document, and a front without a zone, are not readable', async t => {
  const { front } = await taken('TD1', 71)
  const table = await photograph(
    await sharp({ create: { width: 90, height: 60, channels: 3, background: '#987' } })
      .png()
      .toBuffer(),
    { seed: 7, width: 1200 },
  )
  for (const photo of [table, await photograph(front, { seed: 8, width: 1200 })]) {
    const sight = await readDocumentZone(photo, null)
    t.is(sight.reading, 'NOT_READABLE')
    t.is(sight.mrz, null)
  }
})

inLongTier(test)('lines of an unknown length may be a zone found in part and are not readable', async t => {
  const odd = ['P<UTOERIKSSON<<ANNA<MARIA', 'L898902C36UTO7408122F1204']
  t.is((await readDocumentZone((await taken('TD3', 81, { mrz: odd })).photo, null)).reading, 'NOT_READABLE')
})

inLongTier(test)('visas and the old French card are not taken for passports and cards of their size', async t => {
  const others = {
    MRVA: ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L8988901C4XXX4009078F96121096ZE184226B<<<<<<'],
    MRVB: ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'],
    FRENCH_ID: ['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '8806923102858CORINNE<<<<<<<6512068F6'],
  }
  for (const [at, [format, mrz]] of Object.entries(others).entries()) {
    const { photo } = await taken(format === 'MRVA' ? 'TD3' : 'TD2', 84 + at, { mrz })
    const sight = await readDocumentZone(photo, null)
    t.is(sight.mrz?.format, format as keyof typeof others)
    t.deepEqual(sight.mrz?.lines, mrz)
    t.true(sight.mrz?.valid)
    t.true((sight.doubt?.score ?? 1) <= (sight.doubt?.threshold ?? 0))
  }
})

inLongTier(test)('a card is read from its back; two sides with zones are compared', async t => {
  const card = await taken('TD1', 91)
  const front = await photograph(card.front, { seed: 91, width: 1200 })
  const sight = await readDocumentZone(front, card.photo)
  t.is(sight.mrzSide, 'BACK')
  t.deepEqual(sight.mrz?.lines, card.mrz)
  t.is(sight.sidesMatch, null)
  t.is(sight.frontRotation, null)
  const other = await taken('TD2', 92)
  t.false((await readDocumentZone(other.photo, card.photo)).sidesMatch)
  t.true((await readDocumentZone(other.photo, other.photo)).sidesMatch)
})

test("the passport's portrait lies inside the region that the zone points at, also upside down", async t => {
  for (const condition of ['clean', 'upside_down'] as const) {
    const { photo } = await taken('TD3', 95, { condition })
    const { portraitRegion: region, frontRotation } = await readDocumentZone(photo, null)
    t.is(frontRotation, condition === 'clean' ? 0 : 180)
    const upright = sharp(
      await sharp(photo)
        .rotate(frontRotation ?? 0)
        .toBuffer(),
    )
    const { width, height } = await upright.metadata()
    const cut = await upright
      .extract({
        left: Math.round((region?.x ?? 0) * width),
        top: Math.round((region?.y ?? 0) * height),
        width: Math.floor((region?.width ?? 0) * width),
        height: Math.floor((region?.height ?? 0) * height),
      })
      .resize(3, 3, { fit: 'fill' })
      .raw()
      .toBuffer()
    // The stand-in's face is reddish, its background bluish: the middle of the cut is the face.
    const [red = 0, , blue = 0] = cut.subarray(12, 15)
    t.true(red > blue + 15, `${condition}: ${[...cut]}`)
  }
})

test('a truncated, mislabelled or hostile image is refused', async t => {
  const { photo } = await taken('TD2', 97)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const huge = await sharp({ create: { width: 9000, height: 8000, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  for (const image of [
    photo.subarray(0, photo.length / 2),
    svg,
    Buffer.alloc(0),
    Buffer.from('\xff\xd8\xff nothing', 'latin1'),
    huge,
  ]) {
    await t.throwsAsync(readDocumentZone(image, null), { instanceOf: UnreadableImageError })
  }
})

inLongTier(test)(
  'a black and white copy shows no colour, on a coloured table under a warm lamp, and its original does',
  async t => {
    for (const [n, format] of (['TD3', 'TD2', 'TD1'] as const).entries()) {
      const seed = 41 + n
      const order = { format, fields: inventedFields(format, seed), portrait: plainPortrait, seed }
      const { front, back } = await renderDocument(order)
      const page = back ?? front
      const grey = await sharp(page).flatten().greyscale().toColourspace('srgb').png().toBuffer()
      const table = { extend: 260, background: { r: 30, g: 90, b: 160 } } as const
      const lit = async (image: Buffer): Promise<Buffer> => {
        const [top, bottom, left, right] = Array.from({ length: 4 }, () => table.extend)
        const laid = await sharp(image)
          .flatten()
          .extend({ top, bottom, left, right, background: table.background })
          .png()
          .toBuffer()
        return sharp(await photograph(laid, { seed }))
          .linear([1.04, 0.96, 0.8], [4, 2, 0])
          .jpeg()
          .toBuffer()
      }
      const copy = await readDocumentZone(await lit(grey), null)
      const original = await readDocumentZone(await lit(page), null)
      t.is(copy.reading, 'READ')
      t.is(original.reading, 'READ')
      t.true((copy.colour?.score ?? 1) < (copy.colour?.threshold ?? 0), `${format} copy ${copy.colour?.score}`)
      t.true((original.colour?.score ?? 0) >= (original.colour?.threshold ?? 1), `${format} ${original.colour?.score}`)
    }
  },
)
