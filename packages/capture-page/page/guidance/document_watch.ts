import {
  type DocumentOutline,
  findWarnings,
  maxMeasuredSide,
  measureQuality,
  pageMeasures,
  type RgbImage,
  type WarningCode,
} from '@attestor/vision/guidance'
import type { Box, Hint } from './guide.ts'
import { createPatience, type FullSize, type Look, type Watch } from './watch.ts'

/** Measures of an outline's mask, in shares of the picture. */
interface Shape {
  readonly box: Box
  readonly area: number
  readonly centre: readonly [x: number, y: number]
  /** Longer side divided by the shorter, of the rectangle with the same second moments. */
  readonly aspect: number
  /** Its area divided by that rectangle's: 1 for a rectangle, less for a shape with arms. */
  readonly fill: number
}

function measureShape({ mask, width }: DocumentOutline): Shape {
  const height = mask.length / width
  let count = 0
  let sx = 0
  let sy = 0
  let sxx = 0
  let syy = 0
  let sxy = 0
  let left = width
  let right = 0
  let top = height
  let bottom = 0
  for (let index = 0; index < mask.length; index++) {
    if (mask[index] === 0) continue
    const x = index % width
    const y = Math.floor(index / width)
    count++
    sx += x
    sy += y
    sxx += x * x
    syy += y * y
    sxy += x * y
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  const mx = sx / count
  const my = sy / count
  const vx = sxx / count - mx * mx
  const vy = syy / count - my * my
  const vxy = sxy / count - mx * my
  const spread = Math.hypot((vx - vy) / 2, vxy)
  const major = (vx + vy) / 2 + spread
  const minor = Math.max(1e-3, (vx + vy) / 2 - spread)
  return {
    box: {
      x: left / width,
      y: top / height,
      width: (right - left + 1) / width,
      height: (bottom - top + 1) / height,
    },
    area: count / mask.length,
    centre: [(mx + 0.5) / width, (my + 0.5) / height],
    aspect: Math.sqrt(major / minor),
    // A rectangle's variances are a twelfth of its sides' squares.
    fill: count / (12 * Math.sqrt(major * minor)),
  }
}

const { TD1: card, TD3: page } = pageMeasures
/** Factor by which a document that is held askew looks longer or shorter. Tuned. */
const askew = 1.23
/**
 * Lengths of documents as multiples of their widths: a passport that lies open (two pages) is the shortest, a card the
 * longest.
 */
export const aspects = {
  min: (2 * page.height) / page.width / askew,
  max: (card.width / card.height) * askew,
} as const
/** Smallest fill: a rectangle has 1, a disc 0.95, a hand with an arm less. Tuned, like the limits below. */
const minFill = 0.86
/** Anything that covers a smaller share of the picture is another object. */
const minArea = 0.04

function isDocument({ area, aspect, fill }: Shape): boolean {
  return area >= minArea && aspect >= aspects.min && aspect <= aspects.max && fill >= minFill
}

/**
 * Largest share of one border of the picture that a document may cover. A shadow may reach the border; a document that
 * is cut off covers more.
 */
const maxBorder = 0.38
/**
 * Smallest share of the picture's width or height, whichever is more, that it must fill; and the length in pixels that
 * is always enough.
 */
const minReach = 0.6
const enoughLength = 1000

/** The advice for each warning of the service, the most important first. */
const hints: readonly (readonly [WarningCode, Hint])[] = [
  ['IMAGE_LOW_RESOLUTION', 'COME_CLOSER'],
  ['IMAGE_TOO_DARK', 'MORE_LIGHT'],
  ['IMAGE_TOO_BRIGHT', 'LESS_LIGHT'],
  ['DOCUMENT_CUT_OFF', 'SHOW_ALL'],
  ['DOCUMENT_TOO_SMALL', 'COME_CLOSER'],
  ['DOCUMENT_GLARE', 'AVOID_GLARE'],
  ['IMAGE_BLURRED', 'HOLD_STILL'],
]

/** A picture of a document, by the service's own rules. */
interface DocumentLook {
  /** Advice to the person; null for a picture that is good. */
  readonly hint: Hint | null
  /** The service's warnings of this picture. */
  readonly warnings: readonly WarningCode[]
  readonly shape: Shape | null
  /** Width of its sharpest edges in pixels of the raster. */
  readonly edgeWidth: number
}

function findHint(warnings: readonly WarningCode[], outline: DocumentOutline | null, shape: Shape | null): Hint {
  const warned = (code: WarningCode): boolean => warnings.includes(code)
  // No outline can be seen in the dark.
  if (warned('IMAGE_TOO_DARK')) return 'MORE_LIGHT'
  if (outline === null || shape === null) return warned('IMAGE_TOO_BRIGHT') ? 'LESS_LIGHT' : 'FIND_DOCUMENT'
  if (outline.border > maxBorder && shape.area >= minArea) return 'SHOW_ALL'
  if (!isDocument(shape)) return 'FIND_DOCUMENT'
  return hints.find(([code]) => warned(code))?.[1] ?? 'GOOD'
}

function isTooFar({ box }: Shape, { width, height }: FullSize): boolean {
  return Math.max(box.width, box.height) < minReach && Math.max(box.width * width, box.height * height) < enoughLength
}

/** Looks at a picture of `full` size by a raster of it, of at most `maxMeasuredSide`. */
export function lookAtDocument(raster: RgbImage, full: FullSize): DocumentLook {
  const quality = measureQuality('document', raster)
  const warnings = findWarnings('document', { width: full.width, height: full.height, quality })
  const { outline } = quality
  const shape = outline && measureShape(outline)
  const found = findHint(warnings, outline, shape)
  const hint = found === 'GOOD' && shape !== null && isTooFar(shape, full) ? 'COME_CLOSER' : found
  // A sheet without any writing is no document.
  const isBlank = quality.edgeWidth === null
  return {
    hint: hint === 'GOOD' ? (isBlank ? 'FIND_DOCUMENT' : null) : hint,
    warnings,
    shape: shape !== null && hint !== 'FIND_DOCUMENT' ? shape : null,
    edgeWidth: quality.edgeWidth ?? Number.POSITIVE_INFINITY,
  }
}

/** Between two looks a still document moves by less than this share of the picture's sides, and grows by less. */
const maxMove = 0.008
const maxGrowth = 0.06

function isStill(before: Shape | null, now: Shape | null): boolean {
  return (
    before !== null &&
    now !== null &&
    Math.hypot(now.centre[0] - before.centre[0], now.centre[1] - before.centre[1]) <= maxMove &&
    Math.abs(now.area / before.area - 1) <= maxGrowth
  )
}

/** A document is photographed after this many good looks in a row, over at least this many milliseconds. */
const neededLooks = 4
const neededTime = 450

/** Watches for a document that is whole, near, sharp, well lit and still. */
export function createDocumentWatch(): Watch {
  let last: Shape | null = null
  const patience = createPatience(neededLooks, neededTime)
  return {
    side: maxMeasuredSide,
    pictureSide: maxMeasuredSide,
    async look(raster: RgbImage, full: FullSize, at: number): Promise<Look> {
      const { hint, shape, edgeWidth } = lookAtDocument(raster, full)
      const still = isStill(last, shape)
      last = shape
      const box = shape?.box ?? null
      const seen = { ...patience.look(hint ?? (still ? null : 'HOLD_STILL'), at), box }
      return { seen, worth: seen.hint === 'GOOD' ? -edgeWidth : null, done: seen.progress === 1 }
    },
    accept: async (raster, full) => patience.judged(lookAtDocument(raster, full).hint),
  }
}
