import type { Quality, Subject } from './picture_quality.ts'

/** Advice on an image that is accepted, in the order of listing. A code once published never changes its meaning. */
export const warningCatalogue = {
  IMAGE_LOW_RESOLUTION: 'Use the camera’s full resolution.',
  IMAGE_BLURRED: 'Hold still, wipe the lens, and let the camera focus.',
  IMAGE_TOO_DARK: 'Go where there is more light.',
  IMAGE_TOO_BRIGHT: 'Turn away from the light.',
  DOCUMENT_TOO_SMALL: 'Come closer.',
  DOCUMENT_CUT_OFF: 'Show all of the document, with some of the table around.',
  DOCUMENT_GLARE: 'Tilt the document, or turn off the flash.',
} as const

export type WarningCode = keyof typeof warningCatalogue

/**
 * Calibrated by `node packages/vision/bench/quality.ts`: every legible photo is within them, every unusable one is not.
 */
const limits = {
  /** The longer side in pixels: with fewer, lines of 44 characters and faces are too small. */
  minSide: { document: 600, selfie: 400 },
  maxEdgeWidth: { document: 3.2, selfie: 6 },
  minLight: { document: 65, selfie: 45 },
  maxDark: { document: 225, selfie: 190 },
  /** The document's longer side in pixels. */
  minDocumentLength: 400,
  maxBorder: 0.7,
  maxBurnt: { document: 0.03, selfie: 0.12 },
} as const

/** The size of an image in pixels, and its measurements. */
interface Measurements {
  readonly width: number
  readonly height: number
  readonly quality: Quality
}

function documentWarnings({ outline, burnt }: Quality, longest: number): Partial<Record<WarningCode, boolean>> {
  return {
    DOCUMENT_TOO_SMALL: outline !== null && outline.length * longest < limits.minDocumentLength,
    DOCUMENT_CUT_OFF: outline !== null && outline.border >= limits.maxBorder,
    DOCUMENT_GLARE: burnt > limits.maxBurnt.document,
  }
}

/** Returns advice for a better picture; none for a good one. */
export function findWarnings(subject: Subject, { width, height, quality }: Measurements): readonly WarningCode[] {
  const { edgeWidth, light, dark, burnt } = quality
  const longest = Math.max(width, height)
  const found: Partial<Record<WarningCode, boolean>> = {
    IMAGE_LOW_RESOLUTION: longest < limits.minSide[subject],
    IMAGE_BLURRED: edgeWidth !== null && edgeWidth > limits.maxEdgeWidth[subject],
    IMAGE_TOO_DARK: light < limits.minLight[subject],
    IMAGE_TOO_BRIGHT: dark > limits.maxDark[subject] || (subject === 'selfie' && burnt > limits.maxBurnt.selfie),
    ...(subject === 'document' ? documentWarnings(quality, longest) : {}),
  }
  return (Object.keys(warningCatalogue) as WarningCode[]).filter(code => found[code] === true)
}
