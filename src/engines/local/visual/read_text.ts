import type { VisualZone } from '../../../decision/findings.ts'
import type { RgbImage } from '../../../images/raster.ts'
import type { DocumentScan } from '../document_reader.ts'
import { getPoint, type Landmarks } from '../face/landmarks.ts'
import { findOutline, viewCard } from './outline.ts'
import { toGreen, viewCardAroundPortrait } from './page.ts'
import { readVisualZone } from './read_visual_zone.ts'
import type { TextReader } from './tesseract.ts'

export interface LocatedPortrait {
  readonly pixels: RgbImage
  readonly landmarks: Landmarks
}

/**
 * Reads the printed text of the portrait's side, located by the machine-readable zone, or by the portrait and the outline of
 * the card around it. Null where there is neither.
 */
export const readPrintedText = (
  reader: TextReader,
  scan: DocumentScan,
  portrait: LocatedPortrait | null,
): VisualZone | null => {
  const { mrz, barcode = null } = scan.findings
  const { last_name = null } = mrz ?? barcode ?? {}
  if (scan.page !== null) return readVisualZone(reader, { view: scan.page, wider: scan.page }, last_name)
  if (portrait === null) return null
  const { pixels, landmarks } = portrait
  const eyes = [getPoint(landmarks, 'left_eye_outer'), getPoint(landmarks, 'right_eye_outer')] as const
  const green = toGreen(pixels)
  const wider = viewCardAroundPortrait(green, eyes)
  const outline = findOutline(pixels, eyes)
  return readVisualZone(reader, { view: (outline && viewCard(green, outline)) ?? wider, wider }, last_name)
}
