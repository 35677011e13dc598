import type { CaptureRegions, DocumentFindings, PrintReading, VisualZone } from '@attestor/rules'
import {
  hasDate,
  listUnconfirmed,
  matchGivenNames,
  matchName,
  nameThreshold,
  toPrintedDate,
} from '@attestor/rules/readings'
import type { CaptureMemory } from '../capture_memory.ts'
import type { SidesReading } from '../document/read_sides.ts'
import { getPoint, type Landmarks } from '../face/landmarks.ts'
import { type PictureSize, toQuad } from '../geometry/regions.ts'
import { decodeDocument } from '../images/document_picture.ts'
import type { RgbImage } from '../images/raster.ts'
import type { CaptureName, EncodedImage } from '../port.ts'
import { hasBack, type Layout, type LayoutSide, takeSide } from './layouts.ts'
import { type Corners, type Page, viewPicture } from './page.ts'
import { placeLines } from './placed_lines.ts'
import {
  type FieldCorners,
  identifyLayout,
  LayoutReading,
  locateFields,
  mergeReadings,
  type SideReadings,
} from './read_layout.ts'
import type { ReadLine } from './read_lines.ts'
import type { PrintedText, ReadingOrder, TextReader } from './text_reader.ts'
import { type Eyes, viewAroundPortrait } from './views.ts'

export interface LocatedPortrait {
  readonly landmarks: Landmarks
  /** Loads the picture that the landmarks belong to. */
  readonly loadPixels: () => Promise<RgbImage>
  readonly size: PictureSize
  /** Number of quarters by which the picture was turned clockwise to make the document upright. */
  readonly quarterTurns: number
}

/** The side of a document that has its portrait, or its page above a zone. */
export interface PrintedSide {
  readonly capture: CaptureName
  readonly scan: Pick<SidesReading, 'locatePage'> & {
    readonly findings: Pick<DocumentFindings, 'reading' | 'mrz' | 'barcode'>
  }
  readonly portrait: LocatedPortrait | null
  readonly image: EncodedImage
  /** The image of the other side. */
  readonly other: EncodedImage | null
}

/** The reader of print, with the layouts of the documents that it knows. */
export interface PrintReader {
  readonly read: TextReader
  readonly layouts: readonly Layout[]
}

/** A place that is searched for text, the name by which it is remembered, and how it is searched. */
interface TextPlace extends Pick<ReadingOrder, 'side' | 'turns'> {
  readonly capture: CaptureName
  readonly name: string
  /** Number of quarters by which its picture was turned clockwise. */
  readonly quarterTurns: number
  readonly locate: () => Promise<Page>
}

/**
 * The longer side of a page in the search for text, in pixels. Tuned: names of 2 mm are then 6 pixels high, and labels,
 * which no rule reads, are mostly lost.
 */
const searchSide = { page: 416, picture: 736 } as const
/** A second search, for the text that the first one lost, has this many times its pixels to a side. */
const finer = 1.6

export function readEyes({ landmarks }: LocatedPortrait): Eyes {
  return [getPoint(landmarks, 'left_eye_outer'), getPoint(landmarks, 'right_eye_outer')]
}

/** Returns all of a picture, whose text may lie in any direction. */
export function placeWhole(capture: CaptureName, name: string, load: () => Promise<RgbImage>): TextPlace {
  const locate = async (): Promise<Page> => viewPicture(await load())
  return { capture, name, side: searchSide.picture, turns: null, quarterTurns: 0, locate }
}

/**
 * Chooses the place by the machine-readable zone, or by the portrait. If a document has neither and was not read, it is
 * the whole picture: its title may show its kind.
 */
function choosePlace({ capture, scan, portrait, image }: PrintedSide): TextPlace | null {
  const { locatePage } = scan
  if (locatePage !== null)
    return { capture, name: 'page', side: searchSide.page, turns: 0, quarterTurns: 0, locate: locatePage }
  if (portrait !== null) {
    const eyes = readEyes(portrait)
    const { quarterTurns } = portrait
    const locate = async (): Promise<Page> => viewAroundPortrait(await portrait.loadPixels(), eyes)
    // A card's front is the same whether its back, with the zone or the barcode, was read by then or not.
    return { capture, name: `card ${JSON.stringify(eyes)}`, side: searchSide.picture, turns: 0, quarterTurns, locate }
  }
  if (scan.findings.reading === 'READ') return null
  return placeWhole(capture, 'picture', async () => (await decodeDocument(image)).pixels)
}

/** Sorts lines in reading order: rows from the top, each from the left. */
function sortLines(lines: readonly ReadLine[]): ReadLine[] {
  const rows: { middle: number; lines: ReadLine[] }[] = []
  for (const { line, middle, height } of placeLines(lines)) {
    const row = rows.at(-1)
    if (row !== undefined && middle - row.middle < height / 2) row.lines.push(line)
    else rows.push({ middle, lines: [line] })
  }
  return rows.flatMap(row => row.lines.sort((one, other) => one.box.x - other.box.x))
}

/** Sorts the lines of which a character was read. */
function sortLegible(lines: readonly ReadLine[]): ReadLine[] {
  return sortLines(lines).filter(({ words }) => words.length > 0)
}

/** Lists the text of lines in reading order. */
export function listLines(lines: readonly ReadLine[]): string[] {
  return sortLegible(lines).map(({ words }) => words.map(({ text }) => text).join(' '))
}

/** The places of print, by image. */
type PrintRegions = Readonly<Record<string, Pick<CaptureRegions, 'fields' | 'lines'>>>

/** Undoes quarter turns of the picture that the corners are in. */
function toRegion(corners: Corners, quarterTurns: number): ReturnType<typeof toQuad> {
  return toQuad(corners, { width: 1, height: 1 }, quarterTurns)
}

/** Returns the places of lines, in the order of `listLines`. */
function toLineRegions(lines: readonly ReadLine[], quarterTurns: number): NonNullable<CaptureRegions['lines']> {
  return sortLegible(lines).map(({ corners }) => toRegion(corners, quarterTurns))
}

function toFieldRegions(found: FieldCorners, quarterTurns: number): NonNullable<CaptureRegions['fields']> {
  return Object.fromEntries(
    Object.entries(found).flatMap(([field, corners]) => {
      const region = toRegion(corners, quarterTurns)
      return region === null ? [] : [[field, region] as const]
    }),
  )
}

/**
 * A word of at least three letters or digits counts as read from this sureness on. A choice, not measured with this
 * network.
 */
const minSure = 0.6
/**
 * The digits of a word count as right from this sureness on. A choice: of 614 signs of drawn numbers all but one of the
 * right ones were above 0.88.
 */
const minDigitSure = 0.9
/** With fewer such words the absence of a word means nothing. Tuned with the reader before this one. */
const minWords = 8
/**
 * Lines that are lower than this, in pixels of the picture, count as often misread. A choice, not measured with this
 * network.
 */
const minLinePixels = 18

function countSureWords(lines: readonly ReadLine[]): number {
  return lines
    .flatMap(({ words }) => words)
    .filter(({ text, sure }) => sure >= minSure && text.replace(/[^\p{L}\p{N}]/gu, '').length >= 3).length
}

/** Converts the lines of one or two readings into findings. */
function toVisualZone(readings: readonly PrintedText[]): VisualZone {
  const [first] = readings
  const lines = readings.flatMap(reading => sortLines(reading.lines))
  const words = Math.max(...readings.map(reading => countSureWords(reading.lines)))
  return {
    lines: lines.map(line => line.words.map(({ text }) => text)),
    sure_lines: lines.map(line => line.words.map(({ text, sure }) => (sure >= minDigitSure ? text : '?'))),
    resolution: { score: first?.linePixels ?? 0, threshold: minLinePixels },
    // A word that was not found may stand in a part that was not read.
    legibility: {
      score: readings.every(({ isWhole }) => isWhole) ? words : Math.min(words, minWords - 1),
      threshold: minWords,
    },
  }
}

/** Returns whether the text has the holder's data of the zone or the barcode: then no more of it need be read. */
function createIsEnough({ scan: { findings } }: PrintedSide): (lines: readonly ReadLine[]) => boolean {
  const { last_name, first_name, date_of_birth: birth } = findings.mrz ?? findings.barcode ?? {}
  if (!last_name || !first_name || !birth) return () => false
  const printed = birth.includes('-') ? toPrintedDate(birth) : birth
  return lines => {
    const text: VisualZone = {
      lines: lines.map(line => line.words.map(word => word.text)),
      legibility: { score: 0, threshold: 0 },
    }
    return (
      hasDate(printed, text) &&
      (matchName(last_name, text) ?? 1) >= nameThreshold &&
      (matchGivenNames(first_name, text) ?? 1) >= nameThreshold
    )
  }
}

/**
 * Cuts the lines to as many as suffice, so that they are the same whether they were read now or when more was wanted.
 */
function cutToEnough(read: PrintedText, isEnough: (lines: readonly ReadLine[]) => boolean, step: number): PrintedText {
  for (let n = step; n < read.lines.length; n += step)
    if (isEnough(read.lines.slice(0, n)))
      return { ...read, lines: read.lines.slice(0, n), isWhole: false, isAll: false }
  return read
}

/** The print around a portrait, or above a zone. */
export interface Print {
  readonly text: VisualZone
  /** The fields of a document whose layout is known, if it has neither zone nor barcode. */
  readonly reading: PrintReading | null
  /** The lines that were read; their boxes are in units of the page. */
  readonly lines: readonly ReadLine[]
  /** The words of two readings of a document of no known kind, if expected data is sought on it. */
  readonly unknown: NonNullable<DocumentFindings['unknown_print']> | null
  /** Whether the layout has fields on the back. */
  readonly needsBack: boolean
  /** The places of the lines and the fields, if it has neither zone nor barcode. */
  readonly regions: PrintRegions
}

/** A side as it was read, and two more ways to read it. */
export interface Looks {
  readonly first: PrintedText
  /** Reads all of the side, finer: it may show lines that were not seen before. */
  readonly finer: () => Promise<PrintedText>
  /** Reads some of its lines, cut closer. */
  readonly closer: (lines: readonly ReadLine[]) => Promise<PrintedText>
}

/** Reads a side as far as is wanted. */
export async function lookAt(
  read: TextReader,
  memory: CaptureMemory,
  { capture, name, side, turns, locate }: TextPlace,
  isEnough: (lines: readonly ReadLine[]) => boolean = () => false,
): Promise<Looks> {
  const found = await memory.recall(
    capture,
    `print of the ${name}`,
    async () => read(await locate(), { side, turns, isEnough }),
    known => known.isAll || isEnough(known.lines),
  )
  const first = cutToEnough(found, isEnough, 3)
  const again = (what: string, more: Partial<ReadingOrder>): Promise<PrintedText> =>
    memory.recall(capture, `${what} print of the ${name}`, async () =>
      read(await locate(), { side, turns: first.turns, ...more }),
    )
  return {
    first,
    finer: () => again('finer', { side: Math.round(side * finer) }),
    closer: lines => again('closer', { again: lines }),
  }
}

/** A side in two readings. After a finer look the closer reading still counts if it contradicts. */
interface ReadSide extends SideReadings {
  readonly texts: readonly PrintedText[]
}

/** Reads one side of a document by the part of its layout that is on it. */
async function readSideTwice(layout: Layout, side: LayoutSide, { first, ...looks }: Looks): Promise<ReadSide> {
  const own = takeSide(layout, side)
  const readBy = ({ lines }: PrintedText): LayoutReading => new LayoutReading(own, placeLines(lines))
  const reading = readBy(first)
  const closer = reading.isComplete ? await looks.closer(reading.lines) : null
  const near = closer && { first: reading, second: readBy(closer) }
  if (closer !== null && near !== null && listUnconfirmed(mergeReadings(own, near)).length === 0)
    return { ...near, texts: [first, closer] }
  const finer = await looks.finer()
  return {
    first: reading,
    second: readBy(finer),
    others: near === null ? [] : [near.second],
    texts: [first, finer],
  }
}

/** A document that was read by its layout. */
interface ReadByLayout extends Pick<Print, 'text' | 'needsBack'> {
  readonly reading: PrintReading
  readonly places: Readonly<Record<LayoutSide, FieldCorners>>
}

/** Reads a document by its layout; the back only if the layout has fields there. */
export async function readByLayout(
  layout: Layout,
  looks: Looks,
  lookBehind: (() => Promise<Looks>) | null,
): Promise<ReadByLayout> {
  const needsBack = hasBack(layout)
  const front = await readSideTwice(layout, 'FRONT', looks)
  const back = needsBack && lookBehind !== null ? await readSideTwice(layout, 'BACK', await lookBehind()) : null
  const text = toVisualZone([...front.texts, ...(back?.texts ?? [])])
  const reading = mergeReadings(layout, front, back)
  const places = {
    FRONT: locateFields(layout, 'FRONT', front, reading),
    BACK: back === null ? {} : locateFields(layout, 'BACK', back, reading),
  }
  return { text, reading, needsBack, places }
}

/** A document that has neither zone nor barcode, and ways to look at it. */
interface Unread {
  readonly looks: Looks
  readonly lookBehind: (() => Promise<Looks>) | null
  readonly quarterTurns: number
  readonly seeksExpected: boolean
}

function otherSide(capture: CaptureName): CaptureName {
  return capture === 'document_front' ? 'document_back' : 'document_front'
}

async function readUnread(
  layouts: readonly Layout[],
  capture: CaptureName,
  { looks, lookBehind, quarterTurns, seeksExpected }: Unread,
): Promise<Print> {
  const { first } = looks
  const { lines } = first
  const layout = identifyLayout(layouts, placeLines(lines))
  const own = { lines: toLineRegions(lines, quarterTurns) }
  if (layout !== null) {
    const { places, ...read } = await readByLayout(layout, looks, lookBehind)
    const regions = {
      [capture]: { ...own, fields: toFieldRegions(places.FRONT, quarterTurns) },
      [otherSide(capture)]: { fields: toFieldRegions(places.BACK, 0) },
    }
    return { ...read, lines, unknown: null, regions }
  }
  const readings = seeksExpected ? [first, await looks.closer(lines)] : null
  const unknown = readings?.map(({ lines }) => sortLines(lines).map(line => line.words.map(word => word.text))) ?? null
  return { text: toVisualZone([first]), reading: null, lines, unknown, needsBack: false, regions: { [capture]: own } }
}

/** Reads the printed text of the portrait's side, and that of the other one if a layout has fields there. */
export async function readPrint(
  { read, layouts }: PrintReader,
  side: PrintedSide,
  memory: CaptureMemory,
  seeksExpected = false,
): Promise<Print | null> {
  const place = choosePlace(side)
  if (place === null) return null
  const { other, scan } = side
  const looks = await lookAt(read, memory, place, createIsEnough(side))
  if (scan.findings.reading !== 'READ') {
    const lookBehind = (image: EncodedImage) => (): Promise<Looks> => {
      const load = async (): Promise<RgbImage> => (await decodeDocument(image)).pixels
      return lookAt(read, memory, placeWhole(otherSide(side.capture), 'other side', load))
    }
    const { quarterTurns } = place
    const unread = { looks, lookBehind: other && lookBehind(other), quarterTurns, seeksExpected }
    return readUnread(layouts, side.capture, unread)
  }
  const { first } = looks
  const text = toVisualZone([first])
  const { last_name: surname = null } = scan.findings.mrz ?? scan.findings.barcode ?? {}
  const isLacking = first.isAll && surname !== null && (matchName(surname, text) ?? 1) < nameThreshold
  const whole = isLacking ? toVisualZone([first, await looks.finer()]) : text
  return { text: whole, reading: null, lines: first.lines, unknown: null, needsBack: false, regions: {} }
}
