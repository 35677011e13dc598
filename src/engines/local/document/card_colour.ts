import type { Measured } from '../../../decision/findings.ts'
import { pitchMm } from '../../document_measures.ts'
import type { RgbImage } from '../../images/raster.ts'
import { headroomMm, type Outline, viewCard } from '../printed_text/card_outline.ts'
import { type Eyes, locateInPicture, measureResolution, toGreen, viewAround } from '../printed_text/page_view.ts'
import { measureColour } from '../zone/page_colour.ts'

/** The share of a card's width and height at each edge that does not count: a little of the table may be there. Tuned. */
const rim = 0.05

/** How much the colours of a card's front differ: of all of it, or of what surely is card around the portrait's eyes. */
export function measureCardColour(pixels: RgbImage, eyes: Eyes, outline: Outline | null): Measured | null {
  const green = toGreen(pixels)
  const card = outline && viewCard(green, outline)
  const view = card ?? viewAround(green, eyes, headroomMm)
  const inset = card === null ? 0 : rim
  const toPlace = (share: number, length: number): number => (inset + share * (1 - 2 * inset)) * length
  return measureColour(
    pixels,
    (x, y) => locateInPicture(view, toPlace(x, view.widthMm), toPlace(y, view.heightMm)),
    measureResolution(view) * pitchMm,
  )
}
