import type { Quality, Subject } from './quality.ts'

/**
 * Advice on a picture that was accepted all the same (decisions.md, "Device side": `warnings`), in the order of listing.
 * A code once published never changes its meaning.
 */
export const warning_catalogue = {
  IMAGE_LOW_RESOLUTION: 'The picture has too few pixels. Use the camera’s full resolution.',
  IMAGE_BLURRED: 'The picture is blurred. Hold still, wipe the lens, and let the camera focus.',
  IMAGE_TOO_DARK: 'The picture is too dark. Go where there is more light.',
  IMAGE_TOO_BRIGHT: 'The picture is too bright. Turn away from the light.',
  DOCUMENT_TOO_SMALL: 'The document is too small in the picture. Come closer.',
  DOCUMENT_CUT_OFF: 'The document is cut off. Show all of it, with some of the table around.',
  DOCUMENT_GLARE: 'A reflection covers a part of the document. Tilt it, or turn off the flash.',
} as const

/** A code of `warning_catalogue`. */
export type WarningCode = keyof typeof warning_catalogue

/**
 * Calibrated by `node test/bench/quality.ts`: beyond what any photo that can be read shows, short of what unusable ones
 * do.
 */
const limits = {
  /** The picture's longer side in pixels: below, lines of 44 characters, or faces, have too few. */
  longest: { document: 600, selfie: 400 },
  edge_width: { document: 3.2, selfie: 6 },
  light: { document: 65, selfie: 45 },
  dark: { document: 225, selfie: 190 },
  /** The document's longer side in pixels of the picture. */
  document_length: 400,
  border: 0.7,
  burnt: { document: 0.03, selfie: 0.12 },
} as const

/** A picture's own size in pixels, and what was measured of it. */
export interface Pictured {
  readonly width: number
  readonly height: number
  readonly quality: Quality
}

const documentWarnings = ({ thing, burnt }: Quality, longest: number): Partial<Record<WarningCode, boolean>> => ({
  DOCUMENT_TOO_SMALL: thing !== null && thing.length * longest < limits.document_length,
  DOCUMENT_CUT_OFF: thing !== null && thing.border >= limits.border,
  DOCUMENT_GLARE: burnt > limits.burnt.document,
})

/** What a person could do better about a picture; empty where nothing. */
export const warningsOf = (subject: Subject, { width, height, quality }: Pictured): readonly WarningCode[] => {
  const { edge_width, light, dark, burnt } = quality
  const longest = Math.max(width, height)
  const found: Partial<Record<WarningCode, boolean>> = {
    IMAGE_LOW_RESOLUTION: longest < limits.longest[subject],
    IMAGE_BLURRED: edge_width !== null && edge_width > limits.edge_width[subject],
    IMAGE_TOO_DARK: light < limits.light[subject],
    IMAGE_TOO_BRIGHT: dark > limits.dark[subject] || (subject === 'selfie' && burnt > limits.burnt.selfie),
    ...(subject === 'document' ? documentWarnings(quality, longest) : {}),
  }
  return (Object.keys(warning_catalogue) as WarningCode[]).filter(code => found[code] === true)
}
