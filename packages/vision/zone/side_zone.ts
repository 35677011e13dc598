import type { Measured, MrzReading, PictureQuad } from '@attestor/rules'
import { toMrzReading } from '@attestor/rules/zone'
import { measurePageAround, pitchMm, portraitArea, printedCapitalMm } from '../document_measures.ts'
import { locate } from '../geometry/grid.ts'
import type { Point } from '../geometry/pixels.ts'
import { toQuad } from '../geometry/regions.ts'
import { decodeDocument } from '../images/document_picture.ts'
import type { Page } from '../print/page.ts'
import { viewPageAboveZone } from '../print/views.ts'
import { measureColour } from './page_colour.ts'
import { type FoundZone, type Rotation, searchZone } from './search_zone.ts'
import { maxDoubt, type ZoneText } from './zone_text.ts'

/** A box in shares of a picture's width and height, 0 to 1. */
export interface Region {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function clip(share: number): number {
  return Math.min(1, Math.max(0, share))
}

/** Four distances in pitches from the middle of the zone's first character, to the right and down. */
type Margins = Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>

function toRegion({ grey }: FoundZone, text: ZoneText, { left, right, top, bottom }: Margins): Region {
  const [column, row] = text.origin
  const points = [left, right].flatMap(x =>
    [top, bottom].map(y => locate(text.grid, column + x, row * text.spacing + y)),
  )
  // The picture is upright or, flipped, upside down: shares then count from the other end.
  const share = (value: number, size: number): number => clip(text.flipped ? 1 - value / size : value / size)
  const xs = points.map(([x]) => share(x, grey.width))
  const ys = points.map(([, y]) => share(y, grey.height))
  const x = Math.min(...xs)
  const y = Math.min(...ys)
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

/** The rim around the characters, for a person who looks at a zone in its picture. Tuned, in pitches. */
const rim = { x: 0.05, y: 0.2 } as const
const halfCell = { width: 0.5 + rim.x, height: printedCapitalMm.to / pitchMm / 2 + rim.y } as const

function findZoneMargins({ lines, spacing }: ZoneText): Margins {
  return {
    left: -halfCell.width,
    right: (lines[0]?.length ?? 0) - 1 + halfCell.width,
    top: -halfCell.height,
    bottom: (lines.length - 1) * spacing + halfCell.height,
  }
}

/** Returns the corners of something around the zone, as the photo shows it. */
function seeCorners(
  { grey, isTurned }: FoundZone,
  text: ZoneText,
  { left, right, top, bottom }: Margins,
): PictureQuad | null {
  const [column, row] = text.origin
  const at = (x: number, y: number): Point => locate(text.grid, column + x, row * text.spacing + y)
  return toQuad([at(left, top), at(right, top), at(right, bottom), at(left, bottom)], grey, isTurned ? 1 : 0)
}

/** Above this share of the document a reflection may hide something. Tuned. */
const glareThreshold = 0.02
const burntOut = 250

/**
 * Colours and glare are measured this far inside a page's edges, in pitches: the real edges may differ from the norm's,
 * and the table beside the page does not count. Tuned.
 */
const inset = { top: 3, bottom: 2 } as const

/** Returns the inside of the page, as wide as its zone. */
function findInterior({ format, lines }: ZoneText): Margins {
  const { top, bottom } = measurePageAround(format)
  return { left: -0.5, right: (lines[0]?.length ?? 0) - 0.5, top: top + inset.top, bottom: bottom - inset.bottom }
}

/** Measures the share of burnt-out pixels of the page. */
function measureGlare({ grey }: FoundZone, text: ZoneText): Measured {
  const [column, row] = text.origin
  const { left, right, top, bottom } = findInterior(text)
  let burnt = 0
  let count = 0
  for (let y = top; y < bottom; y += 0.5) {
    for (let x = left; x < right; x += 0.5) {
      const [px, py] = locate(text.grid, column + x, row * text.spacing + y)
      if (px < 0 || py < 0 || px >= grey.width || py >= grey.height) continue
      count++
      if ((grey.data[Math.floor(py) * grey.width + Math.floor(px)] ?? 0) >= burntOut) burnt++
    }
  }
  return { score: count === 0 ? 0 : burnt / count, threshold: glareThreshold }
}

/** Measures the colour of the page in the original picture; the one that was searched may be rotated or scaled. */
async function measurePageColour(
  image: Uint8Array,
  { grey, isTurned: turned }: FoundZone,
  text: ZoneText,
): Promise<Measured | null> {
  const { pixels } = await decodeDocument(image)
  const { left, right, top, bottom } = findInterior(text)
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

function toDoubt(text: ZoneText | null): Pick<SideZone, 'doubt' | 'doubts'> {
  return {
    doubt: text === null ? null : { score: text.doubt, threshold: maxDoubt },
    doubts: text === null ? {} : text.doubts,
  }
}

/** The findings in the photo of one side: plain values, which may be kept instead of the photo. */
export interface SideZone {
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
  /** The doubt of the clearest text, even if it is too doubtful to be used. */
  readonly doubt: Measured | null
  readonly doubts: Readonly<Record<string, number>>
}

/** A side with the page above its zone, which is a part of the photo. */
export interface SideWithPage {
  readonly side: SideZone
  readonly page: Page | null
}

async function locatePage(
  image: Uint8Array,
  { grey, isTurned }: FoundZone,
  { grid, origin, spacing, lines }: ZoneText,
): Promise<Page> {
  const { pixels } = await decodeDocument(image)
  const [column, row] = origin
  const scale = pixels.width / (isTurned ? grey.height : grey.width)
  const toPhoto = (places: Float64Array): void => {
    for (let n = 0; n < places.length; n += 2) {
      const x = places[n] as number
      const y = places[n + 1] as number
      places[n] = (isTurned ? y : x) * scale
      places[n + 1] = (isTurned ? grey.width - x : y) * scale
    }
  }
  return viewPageAboveZone(pixels, { grid, column, row: row * spacing, columns: lines[0]?.length ?? 0, toPhoto })
}

/**
 * Reads the photo of one side. Rejects with `UnreadableImageError` if it cannot be decoded; a photo without a legible
 * zone is no error.
 */
export async function readSideZone(image: Uint8Array): Promise<SideWithPage> {
  const found = await searchZone(image)
  const { text, bestText } = found
  const isPaged = text !== null && text.format !== 'TD1'
  const side: SideZone = {
    mrz: text && toMrzReading(text),
    rotation: found.rotation,
    portraitRegion: isPaged ? toRegion(found, text, portraitArea) : null,
    pageRegion: isPaged ? toRegion(found, text, measurePageAround(text.format)) : null,
    zone: text && seeCorners(found, text, findZoneMargins(text)),
    outline: text && seeCorners(found, text, measurePageAround(text.format)),
    glare: text && measureGlare(found, text),
    colour: text && (await measurePageColour(image, found, text)),
    ...toDoubt(bestText),
  }
  return { side, page: isPaged ? await locatePage(image, found, text) : null }
}
