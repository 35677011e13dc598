import type { Measured } from '@attestor/rules'
import { pitchMm } from '../document_measures.ts'
import type { Point } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'
import type { RgbImage } from '../images/raster.ts'
import { locatePoint, type Page } from '../print/page.ts'
import type { ReadLine } from '../print/read_lines.ts'
import { type Eyes, viewAroundPortrait } from '../print/views.ts'
import { measureColour } from '../zone/page_colour.ts'

/** A portrait's eyes are at least this far from the card's sides, in millimetres. Tuned. */
const headroomMm = { left: 8, right: 8, above: 7, below: 12 } as const
/** With fewer lines of text the card's size is unknown. */
const minLines = 3

/** Returns the part of a page that its text spans. */
function spanLines(page: Page, lines: readonly ReadLine[]): { readonly at: (x: number, y: number) => Point } {
  const xs = lines.flatMap(({ box }) => [box.x - box.width / 2, box.x + box.width / 2])
  const ys = lines.map(({ box }) => box.y)
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top]
  return { at: (x, y) => locatePoint(page, left + x * width, top + y * height) }
}

/**
 * Measures the difference between the colours of a card's front: of the part that its text spans or, with too few
 * lines, of the part around the portrait's eyes that must be card.
 */
export function measureCardColour(pixels: RgbImage, eyes: Eyes, lines: readonly ReadLine[]): Measured | null {
  const around = viewAroundPortrait(pixels, eyes, headroomMm)
  const pixelsPerMm = measureDistance(locatePoint(around, 0, 0), locatePoint(around, 1, 0))
  const { at } =
    lines.length < minLines
      ? { at: (x: number, y: number): Point => locatePoint(around, x * around.width, y * around.height) }
      : spanLines(viewAroundPortrait(pixels, eyes), lines)
  return measureColour(pixels, at, pixelsPerMm * pitchMm)
}
