import type { ReplayFingerprint } from '../../../decision/findings.ts'
import type { PictureCopies } from '../../port.ts'
import { comparedColumns, fromFingerprint, measureDifference, sampleFace } from './repetition.ts'
import { livenessThreshold } from './thresholds.ts'

/** A code has this many bands, and a band this many bits. */
const codeBands = 4
const bandBits = 16
/** Up to so many bits two codes differ where the pictures may be copies. Drawn copies within the limit of a replay: 4 and less. */
const maxDifferentBits = 10

/** How much further than its neighbours each compared point differs: faces have light and shadow in common, copies more. */
const neighbours = 2

/** Numbers that a copy of the picture nearly has, and another picture of a face does not. */
function describeFace(fingerprint: ReplayFingerprint): Float64Array {
  const samples = sampleFace(fromFingerprint(fingerprint))
  const rows = samples.length / comparedColumns
  return samples.map((value, i) => {
    const [row, column] = [Math.floor(i / comparedColumns), i % comparedColumns]
    let sum = 0
    let count = 0
    for (let y = Math.max(0, row - neighbours); y <= Math.min(rows - 1, row + neighbours); y++)
      for (let x = Math.max(0, column - neighbours); x <= Math.min(comparedColumns - 1, column + neighbours); x++) {
        sum += samples[y * comparedColumns + x] as number
        count += 1
      }
    return value - sum / count
  })
}

/**
 * Bits by which copies of a picture are found: each is the side of a random plane on which it lies, so two codes differ
 * by the pictures' angle (Charikar, 2002). A plane is a bit a number: without
 * the planes, which are secret, a code says nothing.
 */
function codePicture(fingerprint: ReplayFingerprint, planes: Uint8Array): readonly number[] {
  const numbers = describeFace(fingerprint)
  const sideOf = (plane: number): number => {
    let sum = 0
    for (let i = 0; i < numbers.length; i++) {
      const bit = plane * numbers.length + i
      const isPositive = ((planes[bit >> 3] as number) >> (bit & 7)) & 1
      sum += isPositive === 1 ? (numbers[i] as number) : -(numbers[i] as number)
    }
    return sum > 0 ? 1 : 0
  }
  return Array.from({ length: codeBands }, (_, band) =>
    Array.from({ length: bandBits }, (_, bit) => sideOf(band * bandBits + bit)).reduce(
      (code, bit) => code * 2 + bit,
      0,
    ),
  )
}

/** 13 rows of points. */
const planeBytes = Math.ceil((codeBands * bandBits * 13 * comparedColumns) / 8)

function countBits(value: number): number {
  return value.toString(2).replaceAll('0', '').length
}

function mayBeCopies(one: readonly number[], other: readonly number[]): boolean {
  return one.reduce((sum, band, n) => sum + countBits(band ^ (other[n] ?? 0)), 0) <= maxDifferentBits
}

export const pictureCopies: PictureCopies = {
  planeBytes,
  code: codePicture,
  mayBeCopies,
  areCopies: (one, other) =>
    measureDifference(fromFingerprint(one), fromFingerprint(other)) < livenessThreshold.earlierDifference,
}
