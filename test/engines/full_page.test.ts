import { createHash } from 'node:crypto'
import test from 'ava'
import { judgeDocument } from '../../src/decision/document_rules.ts'
import type { VisualZone } from '../../src/decision/findings.ts'
import { openMemory } from '../../src/engines/local/capture_memory.ts'
import type { SidesReading } from '../../src/engines/local/document/read_sides.ts'
import { countCorners } from '../../src/engines/local/printed_text/marks.ts'
import type { PageView } from '../../src/engines/local/printed_text/page_view.ts'
import { readPrintedText } from '../../src/engines/local/printed_text/read_printed_text.ts'
import type { TextReader } from '../../src/engines/local/printed_text/tesseract.ts'
import { document, today } from '../decision/findings_samples.ts'

/** A rectangle, as a letter is, in pixels. */
interface Mark {
  readonly width: number
  readonly height: number
}

/** A page of 120 by 80 mm, ten pixels a millimetre, with so many rows of marks at most: a third of each row is paper. */
function fullOf({ width, height }: Mark, rows: number): PageView {
  const page = { data: new Uint8Array(1200 * 800).fill(220), width: 1200, height: 800 }
  for (let y = 0; y < 800; y++) {
    const isPrinted = y % (2 * height) < height && y < rows * 2 * height
    for (let x = 0; isPrinted && x < 1200; x++) if (x % Math.ceil(width * 1.5) < width) page.data[y * 1200 + x] = 20
  }
  return { picture: page, widthMm: 120, heightMm: 80, locate: places => places.set(places.map(mm => mm * 10 + 0.5)) }
}

const box = { left: 0, top: 0, width: 90, height: 20 }

/** A page of noise, its pixels darker than paper by this share at most. The same at every run. */
function noiseOf(depth: number): PageView {
  const bytes = createHash('shake128', { outputLength: 1200 * 800 }).digest()
  const picture = {
    data: new Uint8Array(bytes.map(byte => 200 * (1 - (depth * byte) / 255))),
    width: 1200,
    height: 800,
  }
  return { picture, widthMm: 120, heightMm: 80, locate: places => places.set(places.map(mm => mm * 10 + 0.5)) }
}

/** How many dark pixels a reader gets to see each time, which finds another surname than the zone's, and what it then says. */
async function look(page: PageView): Promise<{ inked: number[]; corners: number[]; visual: VisualZone | null }> {
  const inked: number[] = []
  const corners: number[] = []
  const reader: TextReader = picture => {
    inked.push(picture.data.filter(level => level < 128).length)
    corners.push(countCorners(picture))
    return [Array.from({ length: 40 }, () => ({ text: 'LINDQVIST', confidence: 96, box }))]
  }
  const scan: SidesReading = {
    quarterTurns: null,
    portraitRegion: null,
    pageRegion: null,
    isBackOnly: false,
    isSwapped: false,
    findings: document,
    locatePage: async () => page,
  }
  const visual = await readPrintedText(
    reader,
    { capture: 'document_front', scan, portrait: null, image: new Uint8Array() },
    openMemory(),
  )
  return { inked, corners, visual }
}

function judge(visual: VisualZone | null): string[] {
  return judgeDocument({ ...document, visual }, {}, today).issues.map(({ code }) => code)
}

test('of a page full of print a bounded part is read, once, and contradicts nobody', async t => {
  for (const mark of [
    { width: 16, height: 20 },
    { width: 60, height: 20 },
    { width: 6, height: 8 },
    { width: 5, height: 5 },
  ]) {
    const { inked, visual } = await look(fullOf(mark, 1000))
    t.is(inked.length, 1, 'the surname is lacking, and may be where nothing was read')
    const marks = (inked[0] ?? 0) / (mark.width * mark.height)
    const print = marks * (mark.width / mark.height + mark.width / 25)
    // Marks across the cut are cut, and belong to neither side.
    t.true(print > 450 && print < 640, `${mark.height}: ${print}`)
    t.deepEqual(judge(visual), ['SURNAME_NOT_EVALUABLE'])
  }
})

test('of noise, pale or dark, hardly anything is read, once, and it contradicts nobody', async t => {
  for (const depth of [0.35, 0.5, 0.7, 1]) {
    const { corners, visual } = await look(noiseOf(depth))
    t.is(corners.length, 1)
    t.true((corners[0] ?? 0) <= 10_000, `${depth}: ${corners}`)
    t.true(countCorners(noiseOf(depth).picture) > 100_000, `${depth}`)
    t.deepEqual(judge(visual), ['SURNAME_NOT_EVALUABLE'])
  }
})

test('a page with as much print as the fullest specimens is read whole, and again while its surname is lacking', async t => {
  const page = fullOf({ width: 16, height: 20 }, 11)
  const { inked, visual } = await look(page)
  t.is(inked.length, 3)
  t.is(inked[0], page.picture.data.filter(level => level === 20).length)
  t.deepEqual(judge(visual), ['SURNAME_MISMATCH'])
})
