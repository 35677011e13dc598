import type { Measured, MrzReading, PictureQuad } from '../../../decision/findings.ts'
import { measurePageAround } from '../../document_measures.ts'
import type { Point } from '../face/pixels.ts'
import { toQuad } from '../regions.ts'
import { type PageView, viewPageAboveZone } from '../visual/page.ts'
import { measureColour } from './colour.ts'
import { locate } from './grid.ts'
import { loadDocumentPicture } from './picture.ts'
import { maxDoubt, type ZoneText } from './read_zone.ts'
import { toMrzReading } from './reading.ts'
import { type Rotation, type SideScan, scanSide } from './side.ts'

/** A box in shares of a picture's width and height, 0 to 1. */
export interface Region {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The portrait above a zone of 44 or 36 columns, in pitches from the zone's first character. */
export const portraitBox = { left: -2.4, right: 17, top: -24, bottom: -3.5 } as const

const clip = (share: number): number => Math.min(1, Math.max(0, share))

/** How far something reaches, in pitches from the middle of the zone's first character. */
type Margins = Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>

const toRegion = ({ grey }: SideScan, text: ZoneText, { left, right, top, bottom }: Margins): Region => {
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

/** A character is some 1.2 pitches high, and less than one wide. */
const halfCell = { width: 0.55, height: 0.8 } as const

const findZoneMargins = ({ lines, spacing }: ZoneText): Margins => ({
  left: -halfCell.width,
  right: (lines[0]?.length ?? 0) - 1 + halfCell.width,
  top: -halfCell.height,
  bottom: (lines.length - 1) * spacing + halfCell.height,
})

/** The corners of something around the zone, as the photo shows it. */
const seeCorners = (
  { grey, isTurned }: SideScan,
  text: ZoneText,
  { left, right, top, bottom }: Margins,
): PictureQuad | null => {
  const [column, row] = text.origin
  const at = (x: number, y: number): Point => locate(text.grid, column + x, row * text.spacing + y)
  return toQuad([at(left, top), at(right, top), at(right, bottom), at(left, bottom)], grey, isTurned ? 1 : 0)
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

const toDoubt = (text: ZoneText | null): Pick<SideReading, 'doubt' | 'doubts'> => ({
  doubt: text === null ? null : { score: text.doubt, threshold: maxDoubt },
  doubts: text === null ? {} : text.doubts,
})

/** What the photo of one side shows: plain values, which may be kept instead of the photo. */
export interface SideReading {
  readonly mrz: MrzReading | null
  readonly rotation: Rotation | null
  /** The expected portrait, in shares of the upright side; null for a TD1 card. */
  readonly portraitRegion: Region | null
  /** The page in the same shares: no portrait is beside it. */
  readonly pageRegion: Region | null
  /** The zone, and the page or card around it by the norm's measures, in the photo. */
  readonly zone: PictureQuad | null
  readonly outline: PictureQuad | null
  readonly glare: Measured | null
  readonly colour: Measured | null
  /** Of the clearest text, even if it is too doubtful to be used. */
  readonly doubt: Measured | null
  readonly doubts: Readonly<Record<string, number>>
}

/** A side with the page above its zone, which is a part of the photo. */
export interface SideWithPage {
  readonly side: SideReading
  readonly page: PageView | null
}

const locatePage = ({ grey }: SideScan, { grid, origin, spacing, lines }: ZoneText): PageView => {
  const [column, row] = origin
  return viewPageAboveZone(grey, { grid, column, row: row * spacing, columns: lines[0]?.length ?? 0 })
}

/**
 * Reads the photo of one side. Rejects with `UnreadableImageError` where it cannot be decoded; a photo without a legible
 * zone is no error.
 */
export const readSide = async (image: Uint8Array): Promise<SideWithPage> => {
  const scan = await scanSide(image)
  const { text, bestText } = scan
  const isPaged = text !== null && text.format !== 'TD1'
  const side: SideReading = {
    mrz: text && toMrzReading(text),
    rotation: scan.rotation,
    portraitRegion: isPaged ? toRegion(scan, text, portraitBox) : null,
    pageRegion: isPaged ? toRegion(scan, text, measurePageAround(text.format)) : null,
    zone: text && seeCorners(scan, text, findZoneMargins(text)),
    outline: text && seeCorners(scan, text, measurePageAround(text.format)),
    glare: text && measureGlare(scan, text),
    colour: text && (await measurePageColour(image, scan, text)),
    ...toDoubt(bestText),
  }
  return { side, page: isPaged ? locatePage(scan, text) : null }
}
