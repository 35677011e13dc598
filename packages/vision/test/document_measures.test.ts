import { aspects } from '@attestor/capture-page/testing'
import type { MrzFormat } from '@attestor/rules'
import type { DocumentFormat } from '@attestor/rules/synthetic'
import { zoneLayouts } from '@attestor/rules/zone'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier, rounds } from '../../../test/tier.ts'
import { printDocument, sheets, zoneBelow } from '../bench/truth/documents.ts'
import { zoneOutlines, zonePitch, zoneSpacings } from '../bench/truth/zone_print.ts'
import {
  capitalMm,
  cornerMm,
  eyesMm,
  type Measure,
  measurePageAround,
  type PageFormat,
  pageMeasures,
  pitchMm,
  portraitArea,
  portraitMm,
  printedCapitalMm,
  zoneHeightMm,
} from '../document_measures.ts'
import { aboveMm, aroundMm, besideMm, gapMm } from '../print/views.ts'
import { layouts } from '../synthetic/document.ts'
import { card as licenceCard } from '../synthetic/licence.ts'
import { halfCapital } from '../training/glyphs.ts'
import { stray } from '../training/samples.ts'
import { readDocumentZone } from '../zone/document_zone.ts'
import { lineLengths } from '../zone/find_zones.ts'
import { cellShape } from '../zone/network.ts'
import { readSideZone } from '../zone/side_zone.ts'
import { rowSpacings } from '../zone/zone_rows.ts'
import { betweenSpacings } from '../zone/zone_views.ts'
import { renderDocument } from './drawn.ts'
import { inventedFields, plainPortrait } from './synthetic/invented.ts'

const formats = Object.keys(pageMeasures) as PageFormat[]

function within({ from, to }: Measure, [low, high]: readonly [number, number], stray = 0): boolean {
  return low >= from - stray && high <= to + stray
}

test('the norm lies within what specimens were found to be', t => {
  for (const format of formats) {
    const { lineSpacing, left, below, width, columns } = pageMeasures[format]
    for (const { norm, from, to } of [lineSpacing, left, below]) t.true(from <= norm && norm <= to, format)
    t.true(left.norm + columns * pitchMm < width, format)
  }
})

test('the bench draws sheets, zones and portraits as the table has them', t => {
  t.is(zonePitch, pitchMm)
  for (const format of formats) {
    const { width, height } = sheets[format]
    t.like(pageMeasures[format], { width, height }, format)
    t.true(within(pageMeasures[format].lineSpacing, zoneSpacings[format]), format)
    const [low, high] = zoneBelow[format]
    t.true(within(pageMeasures[format].below, [low + capitalMm / 2, high + capitalMm / 2], 0.2), format)
    for (let seed = 0; seed < rounds(4, 20); seed++) {
      const { front, back } = printDocument({ seed, format, portrait: null })
      const { left = 0 } = (back ?? front).zone ?? {}
      // The bench centres its zones, issuers don't.
      t.true(within(pageMeasures[format].left, [left, left], 1.3), `${format} ${left}`)
    }
  }
})

test('all cards are ID-1, with the corners of its norm', t => {
  const { width, height } = pageMeasures.TD1
  for (const card of [licenceCard, sheets.TD1]) t.like(card, { width, height })
  const corners = [licenceCard, sheets.TD1, sheets.TD2, sheets.FRENCH_ID, layouts.TD1, layouts.TD2]
  for (const { corner } of corners) t.true(within(cornerMm, [corner, corner]), `${corner}`)
})

test('the reader distinguishes cards from booklets, and lines by their length, as the table does', t => {
  const between = betweenSpacings * pitchMm
  t.true(between > pageMeasures.TD1.lineSpacing.to)
  for (const format of formats.filter(format => format !== 'TD1'))
    t.true(between < pageMeasures[format].lineSpacing.from, format)
  t.deepEqual(new Set(formats.map(format => pageMeasures[format].columns)), new Set(lineLengths))
})

test('synthetic portraits are no larger than zone V, and lie where the reader looks for them', t => {
  for (const format of ['TD1', 'TD2', 'TD3'] as const) {
    const { portrait, width, height } = layouts[format]
    const [x, y, wide, high] = portrait
    t.true(wide <= portraitMm.width && high <= portraitMm.height, format)
    t.true(x + wide < width && y + high < height, format)
    if (format === 'TD1') continue
    const { left, below, rows, lineSpacing } = pageMeasures[format]
    const firstX = left.norm + pitchMm / 2
    const firstY = height - below.norm - (rows - 1) * lineSpacing.norm
    t.true(x >= firstX + portraitArea.left * pitchMm && x + wide <= firstX + portraitArea.right * pitchMm, format)
    // A face is sought there, so that the portrait's lower edge may reach beyond it.
    t.true(y >= firstY + portraitArea.top * pitchMm && y + high * 0.9 <= firstY + portraitArea.bottom * pitchMm, format)
  }
})

test('the trainer centres capitals as high as the table has them', t => {
  const half = capitalMm / 2 / pitchMm
  t.true(halfCapital >= half && halfCapital <= half * 1.1, 'without or with some of the ink’s spread')
})

/** Returns the middles of a page's dark rows of print, in millimetres from its upper edge: `pixels` a millimetre. */
async function darkRows(png: Buffer, pixels: number, fromMm: number): Promise<number[]> {
  const { data, info } = await sharp(png).flatten().toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  const middles: number[] = []
  let began = -1
  for (let y = Math.round(fromMm * pixels); y < info.height; y++) {
    let dark = 0
    for (let x = 0; x < info.width; x++) if ((data[y * info.width + x] ?? 0) < 90) dark++
    if (dark > info.width * 0.02 && began < 0) began = y
    if (dark <= info.width * 0.02 && began >= 0) {
      if (y - began > pixels) middles.push((y + began) / 2 / pixels)
      began = -1
    }
  }
  return middles
}

inLongTier(test)('the synthetic documents have their lines where the table has them', async t => {
  for (const format of ['TD1', 'TD2', 'TD3'] as const satisfies readonly DocumentFormat[]) {
    for (const seed of [1, 2, 3]) {
      const order = { format, fields: inventedFields(format, seed), portrait: plainPortrait, seed }
      const { front, back } = await renderDocument(order)
      const { width, height, rows, lineSpacing, below } = pageMeasures[format]
      const { width: wide, height: high } = await sharp(back ?? front).metadata()
      t.deepEqual([wide, high], [width * 10, height * 10].map(Math.round))
      const middles = (await darkRows(back ?? front, 10, height - below.to - (rows - 1) * lineSpacing.to - 2)).slice(
        -rows,
      )
      t.is(middles.length, rows, `${format} ${seed}: ${middles}`)
      const last = middles.at(-1) ?? 0
      t.true(within(below, [height - last, height - last], 0.6), `${format} ${height - last}`)
      const spacing = (last - (middles[0] ?? 0)) / (rows - 1)
      t.true(within(lineSpacing, [spacing, spacing], 0.2), `${format} ${spacing}`)
    }
  }
})

test('the reader looks where the table has lines and pages, and the trainer’s cells hold one line', t => {
  for (const format of formats) {
    const { from, to } = pageMeasures[format].lineSpacing
    t.true(rowSpacings.least < (from / pitchMm) * 0.95 && rowSpacings.most > (to / pitchMm) * 1.05, format)
    // The next line's ink, strayed as far as the trainer lets characters stray, is no part of a cell.
    t.true(cellShape.high / 2 + 2 * stray.y < (from - capitalMm / 2) / pitchMm, format)
  }
  for (const format of ['TD2', 'TD3'] as const) {
    const { top, left } = measurePageAround(format)
    const above = format === 'TD3' ? aboveMm.wide : aboveMm.narrow
    t.true(Math.abs(-top * pitchMm - above) < 3, format)
    t.true(Math.abs(-left * pitchMm - pitchMm / 2 - besideMm) < 1.5, format)
    const firstLineMm = pageMeasures[format].below.norm + pageMeasures[format].lineSpacing.norm
    t.true(gapMm < zoneHeightMm - firstLineMm && gapMm > printedCapitalMm.to, format)
  }
})

test('the reader’s formats have the table’s lines, and characters as high', t => {
  for (const format of formats) t.like(zoneLayouts[format], { rows: pageMeasures[format].rows })
  for (const format of formats) t.like(zoneLayouts[format], { columns: pageMeasures[format].columns })
  t.true(printedCapitalMm.to < cellShape.high * pitchMm, 'a cell holds a character with its ink’s spread')
  const farthest = pageMeasures.TD3.lineSpacing.to
  const nearest = 2 * pageMeasures.TD1.lineSpacing.from
  t.true(farthest < nearest, 'a card’s lines with one left out are no booklet’s')
})

test('the portrait is sought on the page and above its zone, and a card within reach of its portrait', t => {
  for (const format of ['TD2', 'TD3'] as const) {
    const page = measurePageAround(format)
    const { lineSpacing, below, rows } = pageMeasures[format]
    const firstLineMm = below.norm + (rows - 1) * lineSpacing.norm
    t.true(Math.abs(portraitArea.left - page.left) < 1 && portraitArea.right < page.right, format)
    t.true(portraitArea.top < page.top + portraitMm.height / pitchMm, format)
    t.true(Math.abs(-portraitArea.bottom * pitchMm - (zoneHeightMm - firstLineMm)) < 1.5, format)
    t.true((portraitArea.right - portraitArea.left) * pitchMm > portraitMm.width, format)
    t.true((portraitArea.bottom - portraitArea.top) * pitchMm > portraitMm.height, format)
  }
  for (const reach of [aroundMm.left, aroundMm.right]) t.true(reach > pageMeasures.TD1.width)
  t.true(aroundMm.above + aroundMm.below > pageMeasures.TD1.height)
  t.true(eyesMm.from <= eyesMm.norm && eyesMm.norm <= eyesMm.to)
})

test('the capture page takes every sheet, and a passport that lies open, for a document', t => {
  const shapes = formats.map(format => pageMeasures[format].width / pageMeasures[format].height)
  for (const shape of [...shapes, (2 * pageMeasures.TD3.height) / pageMeasures.TD3.width])
    t.true(shape > aspects.min && shape < aspects.max, `${shape}`)
})

async function drawn(
  format: MrzFormat,
  lines: readonly string[],
  lineSpacing: number,
  { pixels = 9, under = '' }: { readonly pixels?: number; readonly under?: string } = {},
): Promise<Buffer> {
  const { width, height, left, below } = pageMeasures[format]
  const print = { weight: 0.02, stray: 0.02, pitch: zonePitch, lineSpacing, dropout: 0 }
  const zone = zoneOutlines(lines, { left: left.norm, base: height - below.norm + capitalMm / 2, seed: 5 }, print)
  const size = `width="${width * pixels}" height="${height * pixels}" viewBox="0 0 ${width} ${height}"`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="100%" height="100%" fill="#e8ecf4"/>${under}<g color="#222">${zone}</g></svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer()
}

const card = ['IDD<<T220001293<<<<<<<<<<<<<<<', '6408125<2010315D<<<<<<<<<<<<<4', 'MUSTERMANN<<ERIKA<<<<<<<<<<<<<']
const passport = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10']

inLongTier(test)('a zone is read however far apart its lines are', async t => {
  for (const spacing of [3.9, 4.23, 4.8, 5.4, 6.35]) {
    const { mrz } = await readDocumentZone(await drawn('TD1', card, spacing), null)
    t.deepEqual(mrz?.lines, card, `TD1 ${spacing}`)
  }
  for (const spacing of [4.6, 5.3, 5.9, 6.35, 7.2, 7.7]) {
    const { mrz } = await readDocumentZone(await drawn('TD3', passport, spacing), null)
    t.deepEqual(mrz?.lines, passport, `TD3 ${spacing}`)
  }
})

test('a reflection counts wherever it lies on the page, and beside the page it does not', async t => {
  const page = async (format: 'TD1' | 'TD3', from: number, to: number): Promise<boolean> => {
    const under = `<rect y="${from}" width="100%" height="${to - from}" fill="#fff"/>`
    const lines = format === 'TD1' ? card : passport
    const photo = await drawn(format, lines, pageMeasures[format].lineSpacing.norm, { under })
    const { glare } = (await readSideZone(photo)).side
    if (glare === null) throw new Error('no zone was read')
    return glare.score > glare.threshold
  }
  for (const format of (['TD1', 'TD3'] as const).slice(0, rounds(1, 2))) {
    t.true(await page(format, 9, 13), 'near its upper edge')
    t.true(await page(format, 20, 24), 'in its middle')
    t.false(await page(format, 0, 4), 'the edge itself may be the table’s')
    t.false(await page(format, 0, 0))
  }
})

test('a picture too small for its characters to stand apart is read enlarged', async t => {
  const { mrz } = await readDocumentZone(await drawn('TD3', passport, 6.35, { pixels: 2.1 }), null)
  t.deepEqual(mrz?.lines, passport)
})

test('a zone with digits for letters, or with letters for digits, is not read', async t => {
  const forgeries = [
    ['UTO7', '1327'],
    // Each of them is repaired to digits that its check digit agrees with.
    ['7408122', '74K8122'],
    ['1204159', '12H4159'],
    ['7408122', '7408X22'],
    ['UTOERIKSSON', 'UTOERI3SSON'],
  ] as const
  for (const [from, to] of forgeries.slice(0, rounds(2, forgeries.length))) {
    const forged = passport.map(line => line.replace(from, to))
    const { reading, mrz } = await readDocumentZone(await drawn('TD3', forged, 6.35), null)
    t.is(reading, 'NOT_READABLE', mrz?.lines.join('\n'))
  }
})
