import type { DocumentReading, Measured, MrzReading } from '../../../decision/findings.ts'
import { pageAround } from '../../document_measures.ts'
import { type PageView, pageAboveZone } from '../visual/page.ts'
import { colourOf } from './colour.ts'
import { locate } from './grid.ts'
import { documentPicture } from './picture.ts'
import { most_doubt, type ZoneText } from './read_zone.ts'
import { readingOf } from './reading.ts'
import { readSide, type SideSight, type Turn } from './side.ts'

/** What the reader says of a document; `judge.ts` decides what it means. */
export interface DocumentSight {
  readonly reading: DocumentReading
  readonly mrz: MrzReading | null
  /** Which side the zone was read from. */
  readonly mrz_side: 'FRONT' | 'BACK' | null
  /** Degrees clockwise that bring the EXIF-upright front upright; null where its zone does not tell (a TD1 card). */
  readonly front_rotation: Turn | null
  /** Where the portrait must be, in shares of the front turned upright; null where the front carries no zone. */
  readonly portrait_region: Region | null
  /** Where the page is in shares of the upright front: no portrait is beside it. */
  readonly page_region: Region | null
  /** The front's page above its zone, for its printed text; null where the front carries no zone, and for a TD1 card. */
  readonly page: PageView | null
  readonly sides_match: boolean | null
  readonly glare: Measured | null
  /** How far the colours of the page differ that carries the zone; null where it was not read, or lies outside. */
  readonly colour: Measured | null
  /** Characters of the zone expected to be misread unnoticed, and how many are accepted; null where none was seen. */
  readonly doubt: Measured | null
  /** The same by field of the zone. */
  readonly doubts: Readonly<Record<string, number>>
}

/** A box in shares of a picture's width and height, 0 to 1. */
export interface Region {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A zone of 44 or 36 columns lies under the portrait: its place in pitches from the first character (`document_measures.ts`). */
const portrait_place = { left: -2.4, right: 17, top: -24, bottom: -3.5 } as const

const clip = (share: number): number => Math.min(1, Math.max(0, share))

const regionOf = (
  { grey }: SideSight,
  text: ZoneText,
  { left, right, top, bottom }: Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>,
): Region => {
  const [column, row] = text.origin
  const points = [left, right].flatMap(x =>
    [top, bottom].map(y => locate(text.grid, column + x, row * text.spacing + y)),
  )
  // The picture with the zone runs left to right or, flipped, right to left: turned upright, shares count from the end.
  const share = (value: number, size: number): number => clip(text.flipped ? 1 - value / size : value / size)
  const xs = points.map(([x]) => share(x, grey.width))
  const ys = points.map(([, y]) => share(y, grey.height))
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

/** Above this share of the document a reflection may hide something. */
const glare_threshold = 0.02
const burnt_out = 250

/** The share of burnt-out pixels around the zone and as far above it as a document reaches. */
const glareOf = ({ grey }: SideSight, text: ZoneText): Measured => {
  const [column, row] = text.origin
  const columns = text.lines[0]?.length ?? 0
  const top = text.format === 'TD1' ? -10 : -24
  let [burnt, count] = [0, 0]
  for (let y = top; y < text.lines.length * text.spacing; y += 0.5) {
    for (let x = -1; x < columns; x += 0.5) {
      const [px, py] = locate(text.grid, column + x, row * text.spacing + y)
      if (px < 0 || py < 0 || px >= grey.width || py >= grey.height) continue
      count++
      if ((grey.data[Math.floor(py) * grey.width + Math.floor(px)] ?? 0) >= burnt_out) burnt++
    }
  }
  return { score: count === 0 ? 0 : burnt / count, threshold: glare_threshold }
}

/** The page above and around its zone, as wide as that: margins differ, and what is beside the page is the table's colour. */
const inner = ({ format, lines }: ZoneText) => {
  const { top, bottom } = pageAround(format)
  return { left: -0.5, right: (lines[0]?.length ?? 0) - 0.5, top: top + 3, bottom: bottom - 2 }
}

/** The colour of the page in the photo, of which the sight's picture may be a turned, smaller or larger one. */
const pageColour = async (image: Uint8Array, { grey, turned }: SideSight, text: ZoneText): Promise<Measured | null> => {
  const { pixels } = await documentPicture(image)
  const { left, right, top, bottom } = inner(text)
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
  return colourOf(pixels, pixelAt, Math.hypot(bx - ax, by - ay) / (right - left))
}

const same = (one: MrzReading, other: MrzReading): boolean =>
  one.document_number === other.document_number &&
  one.date_of_birth === other.date_of_birth &&
  one.expiry_date === other.expiry_date

/** A TD1 card has its zone on one side alone: the same twice is that side twice, and tells nothing of the other. */
const sidesMatch = (first: MrzReading, second: MrzReading): boolean | null => {
  if (!same(first, second)) return false
  return first.format === 'TD1' ? null : true
}

const doubtOf = (text: ZoneText | null): Pick<DocumentSight, 'doubt' | 'doubts'> => ({
  doubt: text === null ? null : { score: text.doubt, threshold: most_doubt },
  doubts: text === null ? {} : text.doubts,
})

/** What a side without a zone tells of the rest of its page. */
const nowhere = { portrait_region: null, page_region: null, page: null } as const

/** A photo whose zone, if it has one, could not be read well enough. */
const unread = (seen: ZoneText | null): DocumentSight => ({
  reading: 'NOT_READABLE',
  mrz: null,
  mrz_side: null,
  front_rotation: null,
  ...nowhere,
  sides_match: null,
  glare: null,
  colour: null,
  ...doubtOf(seen),
})

/** What the zone tells of the rest of its page. */
const placesOf = (sight: SideSight, text: ZoneText): Pick<DocumentSight, keyof typeof nowhere> => {
  const [column, row] = text.origin
  const columns = text.lines[0]?.length ?? 0
  return {
    portrait_region: regionOf(sight, text, portrait_place),
    page_region: regionOf(sight, text, pageAround(text.format)),
    page: pageAboveZone(sight.grey, { grid: text.grid, column, row: row * text.spacing, columns }),
  }
}

interface Side {
  readonly name: 'FRONT' | 'BACK'
  readonly image: Uint8Array
  readonly sight: SideSight
}

/**
 * Reads a document from photos of its sides. Two sides are compared only where both carry a zone. Rejects with
 * `UnreadableImage` where a photo cannot be decoded; a photo that shows no legible zone is `NOT_READABLE`.
 */
export const readDocument = async (front: Uint8Array, back: Uint8Array | null): Promise<DocumentSight> => {
  const all: Side[] = [{ name: 'FRONT', image: front, sight: await readSide(front) }]
  if (back !== null) all.push({ name: 'BACK', image: back, sight: await readSide(back) })
  const [first, second] = all.flatMap(side =>
    side.sight.text === null ? [] : [{ ...side, text: side.sight.text, mrz: readingOf(side.sight.text) }],
  )
  if (first === undefined) return unread(all.find(({ sight }) => sight.seen !== null)?.sight.seen ?? null)
  const onFront = first.name === 'FRONT'
  return {
    reading: 'READ',
    mrz: first.mrz,
    mrz_side: first.name,
    front_rotation: onFront ? first.sight.rotation : null,
    ...(onFront && first.text.format !== 'TD1' ? placesOf(first.sight, first.text) : nowhere),
    sides_match: second === undefined ? null : sidesMatch(first.mrz, second.mrz),
    glare: glareOf(first.sight, first.text),
    colour: await pageColour(first.image, first.sight, first.text),
    ...doubtOf(first.text),
  }
}
