import type { ReplayFingerprint } from '@attestor/rules'
import type { PictureCopies } from '../port.ts'
import { comparedColumns, fromFingerprint, measureDifference, sampleFace } from './repetition.ts'
import { livenessThreshold } from './thresholds.ts'

/** A code has this many bands, and a band this many bits. */
const codeBands = 4
const bandBits = 16
/** The codes of two copies differ in at most this many bits. */
const maxDifferentBits = 12

/**
 * Below this difference the portraits of two documents are copies of one picture
 * (`packages/vision/bench/document_copies.ts`). Another photo of the same document may be below it too.
 */
const portraitDifference = 0.05

/**
 * Each compared point counts by its difference from the mean of this many neighbours to each side: all faces share
 * light and shadow, only copies share the rest.
 */
const neighbours = 2
/**
 * A portrait is smoothed over this many neighbours to each side: a document's has few pixels, and another encoder
 * changes its finest details.
 */
const portraitDetail = 1
/** This many bits of a portrait's band lie so near to their planes that a copy's may lie on the other sides. */
const unsureBits = 4

/** Returns for each point the mean of the points around it, up to `reach` to each side. */
function smooth(samples: Float64Array, reach: number): Float64Array {
  const rows = samples.length / comparedColumns
  return samples.map((_, i) => {
    const [row, column] = [Math.floor(i / comparedColumns), i % comparedColumns]
    let sum = 0
    let count = 0
    for (let y = Math.max(0, row - reach); y <= Math.min(rows - 1, row + reach); y++)
      for (let x = Math.max(0, column - reach); x <= Math.min(comparedColumns - 1, column + reach); x++) {
        sum += samples[y * comparedColumns + x] as number
        count += 1
      }
    return sum / count
  })
}

/** Returns numbers that a copy of the picture nearly shares, and another picture of a face does not. */
function describeFace(fingerprint: ReplayFingerprint): Float64Array {
  const samples = sampleFace(fromFingerprint(fingerprint))
  const around = smooth(samples, neighbours)
  const seen = fingerprint.is_portrait === true ? smooth(samples, portraitDetail) : samples
  return seen.map((value, i) => value - (around[i] as number))
}

/**
 * Returns the picture's distance from each random plane, with the side as its sign: copies lie on the same sides of
 * most (Charikar, 2002). A plane is a bit a number: without the planes, which are secret, the sides say nothing.
 */
function placePicture(fingerprint: ReplayFingerprint, planes: Uint8Array): readonly (readonly number[])[] {
  const numbers = describeFace(fingerprint)
  const place = (plane: number): number => {
    let sum = 0
    for (let i = 0; i < numbers.length; i++) {
      const bit = plane * numbers.length + i
      const isPositive = ((planes[bit >> 3] as number) >> (bit & 7)) & 1
      sum += isPositive === 1 ? (numbers[i] as number) : -(numbers[i] as number)
    }
    return sum
  }
  return Array.from({ length: codeBands }, (_, band) =>
    Array.from({ length: bandBits }, (_, bit) => place(band * bandBits + bit)),
  )
}

function toBand(places: readonly number[]): number {
  return places.reduce((code, place) => code * 2 + (place > 0 ? 1 : 0), 0)
}

/**
 * Lists the bands that a copy may have: its unsure bits may be 0 or 1 (Lv and others, 2007). The picture's own band is
 * the first.
 */
function listBands(places: readonly number[], count: number): readonly number[] {
  const unsure = places
    .map((place, bit) => ({ distance: Math.abs(place), value: 2 ** (bandBits - 1 - bit) }))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, count)
  const own = toBand(places)
  return Array.from({ length: 2 ** count }, (_, n) =>
    unsure.reduce((band, { value }, bit) => ((n >> bit) & 1 ? band ^ value : band), own),
  )
}

/** Number of random bytes for all planes: the compared points have 13 rows. */
const planeBytes = Math.ceil((codeBands * bandBits * 13 * comparedColumns) / 8)

function countBits(value: number): number {
  return value.toString(2).replaceAll('0', '').length
}

function countDifferentBits(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, band, n) => sum + countBits(band ^ (other[n] ?? 0)), 0)
}

export const pictureCopies: PictureCopies = {
  planeBytes,
  maxDifferentBits,
  code: (fingerprint, planes) => {
    const unsure = fingerprint.is_portrait === true ? unsureBits : 0
    const bands = placePicture(fingerprint, planes).map(places => listBands(places, unsure))
    return { bands: bands.map(([own = 0]) => own), copies: bands }
  },
  countDifferentBits,
  areCopies: (one, other) => {
    if (one.is_portrait !== other.is_portrait) return false
    const limit = one.is_portrait === true ? portraitDifference : livenessThreshold.earlierDifference
    return measureDifference(fromFingerprint(one), fromFingerprint(other)) < limit
  },
}
