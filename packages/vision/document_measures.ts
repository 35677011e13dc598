/**
 * The measures of documents, for readers and for drawings. The norm's values are those of ICAO Doc 9303 (parts 3 to 7)
 * and ISO/IEC 7810; the ranges are wider, as measured on specimens of some forty issuers (the pictures of
 * `packages/vision/bench/pictures/documents.json`, by the pitch of their zones). Millimetres throughout.
 */

/** The norm's value, and the range of real ones. */
export interface Measure {
  readonly norm: number
  readonly from: number
  readonly to: number
}

/** ICAO 9303-3, 4: OCR-B size 1, ten characters to the inch. */
export const pitchMm = 25.4 / 10

/** ISO 1073-2: a capital of OCR-B size 1. */
export const capitalMm = 2.4
/** Height of a printed capital: the ink spreads. Found: 1.0 to 1.2 of the pitch. */
export const printedCapitalMm: Measure = { norm: capitalMm, from: capitalMm, to: 1.2 * pitchMm }

/** ISO/IEC 7810: the radius of a card's corners. */
export const cornerMm: Measure = { norm: 3.18, from: 2.88, to: 3.48 }

/** ICAO 9303-3: zone V, in which the portrait is, is no larger. */
export const portraitMm = { width: 35, height: 45 } as const

/**
 * The area of a page's portrait, in pitches from the middle of its zone's first cell: zone V is at the left, between
 * the page's upper edge and its zone (9303-4 and -6). Cards have their portraits anywhere.
 */
export const portraitArea = { left: -2.4, right: 17, top: -24, bottom: -3.5 } as const

/**
 * Distance of the outer corners of a portrait's eyes on a card. No norm has it; the value is a tuned estimate. Found on
 * 23 specimens of cards by the pitch of their zones: 7.2 to 13.9, median 9.1; on 58 of passports 8.9 to 17.6, median
 * 12.2.
 */
export const eyesMm: Measure = { norm: 11, from: 7.2, to: 13.9 }

/**
 * Distance of the zone's upper edge from a page's lower edge (ICAO 9303-4, -6 and -7). No other print is below that.
 */
export const zoneHeightMm = 23.2

/** A page or side with a machine-readable zone. */
export interface PageMeasures {
  readonly width: number
  readonly height: number
  readonly columns: number
  readonly rows: number
  /** Distance from one line's middle to the next one's. */
  readonly lineSpacing: Measure
  /** Distance from the left edge to the first cell's left edge. */
  readonly left: Measure
  /** Distance from the last line's middle to the lower edge. */
  readonly below: Measure
}

/** Four lines to the inch (9303-4, -6, -7); found: 5.9 in France and Hungary, 7.1 in the United States since 2021. */
const bookletSpacing: Measure = { norm: 25.4 / 4, from: 5.8, to: 7.2 }

/** 9303-4: the lower line is some 9.4 mm above the edge, and begins 6 mm from the left. */
const booklet = {
  lineSpacing: bookletSpacing,
  left: { norm: 6, from: 4.5, to: 7.2 },
  below: { norm: 9.4, from: 7.3, to: 12.3 },
} as const

/** 9303-6 and -7: as a booklet's, 4 mm from the left. */
const narrow = { ...booklet, left: { norm: 4, from: 3, to: 8.2 } } as const

/**
 * The measures of pages and cards by the format of their zone. ID-1, ID-2 and ID-3 are those of ISO/IEC 7810; a visa of
 * format A is 120 by 80 mm, of format B as ID-2.
 */
export const pageMeasures = {
  TD1: {
    width: 85.6,
    height: 54,
    columns: 30,
    rows: 3,
    // Six lines to the inch (9303-5); found: 3.9 in Peru, 4.8 in Monaco.
    lineSpacing: { norm: 25.4 / 6, from: 3.9, to: 4.8 },
    left: { norm: 4.5, from: 2.9, to: 5.8 },
    below: { norm: 6.8, from: 5, to: 7.9 },
  },
  TD2: { width: 105, height: 74, columns: 36, rows: 2, ...narrow },
  TD3: { width: 125, height: 88, columns: 44, rows: 2, ...booklet },
  MRVA: { width: 120, height: 80, columns: 44, rows: 2, ...narrow, below: { norm: 9.4, from: 4, to: 12.3 } },
  MRVB: { width: 105, height: 74, columns: 36, rows: 2, ...narrow },
  FRENCH_ID: { width: 105, height: 74, columns: 36, rows: 2, ...narrow },
} as const satisfies Readonly<Record<string, PageMeasures>>

/** A format of `pageMeasures`. */
export type PageFormat = keyof typeof pageMeasures

/** Returns the edges of the page around its zone by the norm, in pitches from the middle of the zone's first cell. */
export function measurePageAround(format: PageFormat): Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>> {
  const { width, height, rows, lineSpacing, left, below } = pageMeasures[format]
  const bottom = below.norm + (rows - 1) * lineSpacing.norm
  const start = left.norm + pitchMm / 2
  return {
    left: -start / pitchMm,
    right: (width - start) / pitchMm,
    top: (bottom - height) / pitchMm,
    bottom: bottom / pitchMm,
  }
}
