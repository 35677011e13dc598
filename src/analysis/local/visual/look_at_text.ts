import type { VisualZone } from '../../port.ts'
import type { Grey } from '../document/picture.ts'
import type { DocumentLook } from '../document_look.ts'
import { type Landmarks, pointAt } from '../face/landmarks.ts'
import type { Pixels } from '../face/pixels.ts'
import { cardAroundPortrait } from './page.ts'
import { readVisualZone } from './read_visual_zone.ts'
import type { TextReader } from './tesseract.ts'

/** A document's portrait in its upright picture. */
export interface SeenPortrait {
  readonly pixels: Pixels
  readonly landmarks: Landmarks
}

/** Green stands for brightness: print is dark in it, and most guilloches pale. */
const greenOf = ({ data, width, height }: Pixels): Grey => ({
  data: Uint8Array.from({ length: width * height }, (_, at) => data[at * 3 + 1] ?? 0),
  width,
  height,
})

/**
 * The printed text of the portrait's side: its place is known by the machine-readable zone, or by the portrait. Null
 * where there is neither.
 */
export const lookAtText = (
  reader: TextReader,
  look: DocumentLook,
  portrait: SeenPortrait | null,
): VisualZone | null => {
  const { mrz, barcode = null } = look.evidence
  const { last_name = null } = mrz ?? barcode ?? {}
  if (look.page !== null) return readVisualZone(reader, look.page, last_name)
  if (portrait === null) return null
  const { pixels, landmarks } = portrait
  const eyes = [pointAt(landmarks, 'left_eye_outer'), pointAt(landmarks, 'right_eye_outer')] as const
  return readVisualZone(reader, cardAroundPortrait(greenOf(pixels), eyes), last_name)
}
