import type { VisualZone } from '../../../decision/findings.ts'
import type { RgbImage } from '../../../images/raster.ts'
import type { DocumentLook } from '../document_reader.ts'
import { type Landmarks, pointAt } from '../face/landmarks.ts'
import { cardInOutline, findOutline } from './outline.ts'
import { cardAroundPortrait, greenOf } from './page.ts'
import { readVisualZone } from './read_visual_zone.ts'
import type { TextReader } from './tesseract.ts'

/** A document's portrait in its upright picture. */
export interface SeenPortrait {
  readonly pixels: RgbImage
  readonly landmarks: Landmarks
}

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
  if (look.page !== null) return readVisualZone(reader, { view: look.page, wider: look.page }, last_name)
  if (portrait === null) return null
  const { pixels, landmarks } = portrait
  const eyes = [pointAt(landmarks, 'left_eye_outer'), pointAt(landmarks, 'right_eye_outer')] as const
  const green = greenOf(pixels)
  const wider = cardAroundPortrait(green, eyes)
  const outline = findOutline(pixels, eyes)
  return readVisualZone(reader, { view: (outline && cardInOutline(green, outline)) ?? wider, wider }, last_name)
}
