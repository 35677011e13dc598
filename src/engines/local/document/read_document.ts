import type { DocumentReading, Measured, MrzReading } from '../../../decision/findings.ts'
import { measurePageAround } from '../../document_measures.ts'
import { type PageView, viewPageAboveZone } from '../visual/page.ts'
import { measureColour } from './colour.ts'
import { locate } from './grid.ts'
import { loadDocumentPicture } from './picture.ts'
import { maxDoubt, type ZoneText } from './read_zone.ts'
import { toMrzReading } from './reading.ts'
import { type Rotation, type SideScan, scanSide } from './side.ts'

/** The machine-readable zone of a document, and what follows from it for the rest of its page. */
export interface ZoneScan {
  readonly reading: DocumentReading
  readonly mrz: MrzReading | null
  readonly mrzSide: 'FRONT' | 'BACK' | null
  /** The rotation that makes the EXIF-upright front upright; null where its zone does not say (a TD1 card). */
  readonly frontRotation: Rotation | null
  /** The expected portrait, in shares of the upright front; null where the front has no zone. */
  readonly portraitRegion: Region | null
  /** The page in the same shares: no portrait is beside it. */
  readonly pageRegion: Region | null
  /** The front's page above its zone, for its printed text; null for a TD1 card, and where the front has no zone. */
  readonly page: PageView | null
  readonly sidesMatch: boolean | null
  readonly glare: Measured | null
  /** How much the colours of the zone's page differ; null where no zone was read, or its page is outside the picture. */
  readonly colour: Measured | null
  /** Expected number of misread characters that no check digit notices, and how many are accepted; null: no zone. */
  readonly doubt: Measured | null
  /** `doubt` by field. */
  readonly doubts: Readonly<Record<string, number>>
}

/** A box in shares of a picture's width and height, 0 to 1. */
export interface Region {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The portrait above a zone of 44 or 36 columns, in pitches from the zone's first character. */
const portraitBox = { left: -2.4, right: 17, top: -24, bottom: -3.5 } as const

const clip = (share: number): number => Math.min(1, Math.max(0, share))

const toRegion = (
  { grey }: SideScan,
  text: ZoneText,
  { left, right, top, bottom }: Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>,
): Region => {
  const [column, row] = text.origin
  const points = [left, right].flatMap(x =>
    [top, bottom].map(y => locate(text.grid, column + x, row * text.spacing + y)),
  )
  // The picture is upright or, flipped, upside down: shares then count from the other end.
  const share = (value: number, size: number): number => clip(text.flipped ? 1 - value / size : value / size)
  const xs = points.map(([x]) => share(x, grey.width))
  const ys = points.map(([, y]) => share(y, grey.height))
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

/** Above this share of the document a reflection may hide something. */
const glareThreshold = 0.02
const burntOut = 250

/** The share of burnt-out pixels around the zone and as far above it as a document reaches. */
const measureGlare = ({ grey }: SideScan, text: ZoneText): Measured => {
  const [column, row] = text.origin
  const columns = text.lines[0]?.length ?? 0
  const top = text.format === 'TD1' ? -10 : -24
  let [burnt, count] = [0, 0]
  for (let y = top; y < text.lines.length * text.spacing; y += 0.5) {
    for (let x = -1; x < columns; x += 0.5) {
      const [px, py] = locate(text.grid, column + x, row * text.spacing + y)
      if (px < 0 || py < 0 || px >= grey.width || py >= grey.height) continue
      count++
      if ((grey.data[Math.floor(py) * grey.width + Math.floor(px)] ?? 0) >= burntOut) burnt++
    }
  }
  return { score: count === 0 ? 0 : burnt / count, threshold: glareThreshold }
}

/** The inside of the page, as wide as its zone: beside the page is the table, whose colour does not count. */
const pageInterior = ({ format, lines }: ZoneText) => {
  const { top, bottom } = measurePageAround(format)
  return { left: -0.5, right: (lines[0]?.length ?? 0) - 0.5, top: top + 3, bottom: bottom - 2 }
}

/** The colour of the page in the original picture; the scan's may be rotated or scaled. */
const measurePageColour = async (
  image: Uint8Array,
  { grey, isTurned: turned }: SideScan,
  text: ZoneText,
): Promise<Measured | null> => {
  const { pixels } = await loadDocumentPicture(image)
  const { left, right, top, bottom } = pageInterior(text)
  const [column, row] = text.origin
  const scale = pixels.width / (turned ? grey.height : grey.width)
  const pixelAt = (x: number, y: number): readonly [number, number] => {
    const [px, py] = locate(
      text.grid,
      column + left + x * (right - left),
      row * text.spacing + top + y * (bottom - top),
    )
    return turned ? [py * scale, (grey.width - px) * scale] : [px * scale, py * scale]
  }
  const [ax, ay] = pixelAt(0, 0.5)
  const [bx, by] = pixelAt(1, 0.5)
  return measureColour(pixels, pixelAt, Math.hypot(bx - ax, by - ay) / (right - left))
}

const isSameHolder = (one: MrzReading, other: MrzReading): boolean =>
  one.document_number === other.document_number &&
  one.date_of_birth === other.date_of_birth &&
  one.expiry_date === other.expiry_date

/** A TD1 card has its zone on one side: two equal zones are the same side twice, and the other one is unknown. */
const compareSides = (first: MrzReading, second: MrzReading): boolean | null => {
  if (!isSameHolder(first, second)) return false
  return first.format === 'TD1' ? null : true
}

const toDoubt = (text: ZoneText | null): Pick<ZoneScan, 'doubt' | 'doubts'> => ({
  doubt: text === null ? null : { score: text.doubt, threshold: maxDoubt },
  doubts: text === null ? {} : text.doubts,
})

const noRegions = { portraitRegion: null, pageRegion: null, page: null } as const

/** Without a zone, or with one that is too doubtful. */
const createUnreadScan = (bestText: ZoneText | null): ZoneScan => ({
  reading: 'NOT_READABLE',
  mrz: null,
  mrzSide: null,
  frontRotation: null,
  ...noRegions,
  sidesMatch: null,
  glare: null,
  colour: null,
  ...toDoubt(bestText),
})

const locateRegions = (scan: SideScan, text: ZoneText): Pick<ZoneScan, keyof typeof noRegions> => {
  const [column, row] = text.origin
  const columns = text.lines[0]?.length ?? 0
  return {
    portraitRegion: toRegion(scan, text, portraitBox),
    pageRegion: toRegion(scan, text, measurePageAround(text.format)),
    page: viewPageAboveZone(scan.grey, { grid: text.grid, column, row: row * text.spacing, columns }),
  }
}

interface Side {
  readonly name: 'FRONT' | 'BACK'
  readonly image: Uint8Array
  readonly scan: SideScan
}

/**
 * Reads a document from photos of its sides. Two sides are compared only where both carry a zone. Rejects with
 * `UnreadableImageError` where a photo cannot be decoded; a photo that shows no legible zone is `NOT_READABLE`.
 */
export const scanZones = async (front: Uint8Array, back: Uint8Array | null): Promise<ZoneScan> => {
  const all: Side[] = [{ name: 'FRONT', image: front, scan: await scanSide(front) }]
  if (back !== null) all.push({ name: 'BACK', image: back, scan: await scanSide(back) })
  const [first, second] = all.flatMap(side =>
    side.scan.text === null ? [] : [{ ...side, text: side.scan.text, mrz: toMrzReading(side.scan.text) }],
  )
  if (first === undefined)
    return createUnreadScan(all.find(({ scan }) => scan.bestText !== null)?.scan.bestText ?? null)
  const onFront = first.name === 'FRONT'
  return {
    reading: 'READ',
    mrz: first.mrz,
    mrzSide: first.name,
    frontRotation: onFront ? first.scan.rotation : null,
    ...(onFront && first.text.format !== 'TD1' ? locateRegions(first.scan, first.text) : noRegions),
    sidesMatch: second === undefined ? null : compareSides(first.mrz, second.mrz),
    glare: measureGlare(first.scan, first.text),
    colour: await measurePageColour(first.image, first.scan, first.text),
    ...toDoubt(first.text),
  }
}
