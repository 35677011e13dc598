import type { CaptureRegions, Trace } from '@attestor/rules'
import type { CaptureName } from '@attestor/vision'

/** The parts of a trace that say what was seen in the captures. */
export type Seen = Pick<Trace, 'measured' | 'regions'>

const checkDigitPattern = /^document\.mrz\.check_digits\.(\w+)\.passed$/

/** An engine that reports no regions may still have read a zone. */
function readZone({ measured, regions }: Seen, capture: CaptureName) {
  const { 'document.mrz.valid': valid, 'document.mrz.corrected_characters': corrected } = measured
  if (typeof valid !== 'boolean') return null
  const check_digits = Object.entries(measured).flatMap(([path, passed]) => {
    const name = checkDigitPattern.exec(path)?.[1]
    return name === undefined || typeof passed !== 'boolean' ? [] : { name, passed }
  })
  const corrected_characters = typeof corrected === 'number' ? corrected : 0
  return { valid, corrected_characters, check_digits, region: regions[capture]?.zone ?? null }
}

const sides: readonly CaptureName[] = ['document_front', 'document_back']

/** The side with the zone: where it was found, otherwise the front, as on a passport. */
function findZoneSide({ regions }: Seen): CaptureName {
  return sides.find(side => regions[side]?.zone != null) ?? 'document_front'
}

/**
 * Returns the findings in a capture, as far as the trace has them. Regions are shares of the upright picture, from its
 * upper left corner; a cut-off document's corners are outside 0 to 1.
 */
export function findInCapture(seen: Seen, capture: CaptureName) {
  const {
    outline = null,
    barcode = null,
    fields = {},
    lines = [],
    portrait = null,
    face = null,
  }: CaptureRegions = seen.regions[capture] ?? {}
  const zone = findZoneSide(seen) === capture ? readZone(seen, capture) : null
  return { zone, outline, barcode, fields, lines, portrait, face }
}

/** The findings for an image that is no longer part of the transaction, or not analysed yet. */
export const nothingFound: ReturnType<typeof findInCapture> = {
  zone: null,
  outline: null,
  barcode: null,
  fields: {},
  lines: [],
  portrait: null,
  face: null,
}
