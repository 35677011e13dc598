import type { VisualZone } from '../../port.ts'
import type { DocumentLook } from '../document_look.ts'
import { type Landmarks, pointAt } from '../face/landmarks.ts'
import type { Pixels, Point } from '../face/pixels.ts'
import { cardInOutline, findOutline } from './outline.ts'
import { cardAroundPortrait, type Eyes, greenOf } from './page.ts'
import { readVisualZone } from './read_visual_zone.ts'
import type { TextReader } from './tesseract.ts'

/** A document's portrait in its upright picture. */
export interface SeenPortrait {
  readonly pixels: Pixels
  readonly landmarks: Landmarks
}

const eyesOf = ({ landmarks }: SeenPortrait): Eyes => [
  pointAt(landmarks, 'left_eye_outer'),
  pointAt(landmarks, 'right_eye_outer'),
]

/** A place of a picture that was turned clockwise by so many quarters, in the picture as it was. */
const beforeTurns = ([x, y]: Point, { width, height }: Pick<Pixels, 'width' | 'height'>, quarters: number): Point =>
  quarters === 0 ? [x, y] : beforeTurns([y, width - 1 - x], { width: height, height: width }, quarters - 1)

/**
 * The printed text of the portrait's side: its place is known by the machine-readable zone, or by the portrait and the
 * outline of the card around it. Null where there is neither zone nor portrait.
 */
export const lookAtText = (
  reader: TextReader,
  look: DocumentLook,
  portrait: SeenPortrait | null,
): VisualZone | null => {
  const { mrz, barcode = null } = look.evidence
  const { last_name = null } = mrz ?? barcode ?? {}
  const eyes = portrait && eyesOf(portrait)
  if (look.page !== null) {
    const turns = look.quarter_turns ?? 0
    const place = eyes && ([0, 1] as const).map(eye => beforeTurns(eyes[eye], portrait.pixels, turns))
    const [left, right] = place ?? []
    const where = { view: look.page, wider: look.page, portrait: left && right ? ([left, right] as const) : null }
    return readVisualZone(reader, where, last_name)
  }
  if (portrait === null || eyes === null) return null
  const { pixels } = portrait
  const green = greenOf(pixels)
  const wider = cardAroundPortrait(green, eyes)
  const outline = findOutline(pixels, eyes)
  return readVisualZone(
    reader,
    { view: (outline && cardInOutline(green, outline)) ?? wider, wider, portrait: eyes },
    last_name,
  )
}
