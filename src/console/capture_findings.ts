import type { PictureBox, PicturePoint } from '@attestor/rules'
import type { CaptureName } from '@attestor/vision'

/** The trace's measurements by their paths. */
type Measured = Readonly<Record<string, number | boolean>>

function readNumber(measured: Measured, path: string): number | null {
  const value = measured[path]
  return typeof value === 'number' ? value : null
}

export function readFlag(measured: Measured, path: string): boolean | null {
  const value = measured[path]
  return typeof value === 'boolean' ? value : null
}

function readBox(measured: Measured, path: string): PictureBox | null {
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(name => readNumber(measured, `${path}.${name}`))
  return x == null || y == null || width == null || height == null ? null : { x, y, width, height }
}

function readPoints(measured: Measured, path: string): readonly PicturePoint[] | null {
  const points = [0, 1, 2, 3].flatMap(index => {
    const x = readNumber(measured, `${path}.${index}.x`)
    const y = readNumber(measured, `${path}.${index}.y`)
    return x === null || y === null ? [] : { x, y }
  })
  return points.length === 4 ? points : null
}

const checkDigitPattern = /^document\.mrz\.check_digits\.(\w+)\.passed$/

/** An engine that reports no regions may still have read a zone. */
function readZone(measured: Measured, region: readonly PicturePoint[] | null) {
  const { 'document.mrz.valid': valid } = measured
  if (typeof valid !== 'boolean') return null
  const check_digits = Object.entries(measured).flatMap(([path, passed]) => {
    const name = checkDigitPattern.exec(path)?.[1]
    return name === undefined || typeof passed !== 'boolean' ? [] : { name, passed }
  })
  return {
    valid,
    corrected_characters: readNumber(measured, 'document.mrz.corrected_characters') ?? 0,
    check_digits,
    region,
  }
}

const sides: readonly CaptureName[] = ['document_front', 'document_back']

/** The side with the zone: where it was found, otherwise the front, as on a passport. */
function findZoneSide(measured: Measured): CaptureName {
  return sides.find(side => readPoints(measured, `document.regions.${side}.zone`) !== null) ?? 'document_front'
}

/** The findings for an image that is no longer part of the transaction, or not analysed yet. */
export const nothingFound = { zone: null, outline: null, portrait: null, face: null }

/**
 * Returns the findings in a capture, as far as the trace has them. Regions are shares of the upright picture, from its
 * upper left corner; a cut-off document's corners are outside 0 to 1.
 */
export function findInCapture(measured: Measured, capture: CaptureName) {
  if (!sides.includes(capture)) {
    const section = capture === 'selfie' ? 'face' : 'liveness'
    return { ...nothingFound, face: readBox(measured, `${section}.regions.${capture}.face`) }
  }
  const region = `document.regions.${capture}`
  const isZoneSide = findZoneSide(measured) === capture
  return {
    zone: isZoneSide ? readZone(measured, readPoints(measured, `${region}.zone`)) : null,
    outline: readPoints(measured, `${region}.outline`),
    portrait: readBox(measured, `${region}.portrait`),
    face: null,
  }
}
