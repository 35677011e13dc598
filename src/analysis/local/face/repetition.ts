import { fitSimilarity } from './geometry.ts'
import { landmark } from './landmarks.ts'
import { applySimilarity, type Point, type Similarity } from './pixels.ts'
import { brightnessOf, type UprightFace, upright_side } from './upright.ts'

/** FaceMesh's indices of what neither a blink nor a mouth moves. */
const still = [
  ...[10, 109, 338, 151, 9, 8, 168, 6, 197, 195, 5, 4, 1, 2, 98, 327, 50, 280, 101, 330, 117, 346],
  ...[234, 454, 127, 356, 172, 397, 136, 365, 148, 377, 152],
]

/** A face with its brightness, made once for all comparisons. */
export interface Comparable {
  readonly face: UprightFace
  readonly brightness: Float32Array
}

/** Makes a face ready to be compared with others. */
export const comparable = (face: UprightFace): Comparable => ({ face, brightness: brightnessOf(face) })

/** Forehead, nose and cheeks about the middle of the eyes' line, in eye distances; eyes and mouth may differ. */
const places: readonly Point[] = [
  -0.67, -0.6, -0.53, -0.46, -0.39, -0.32, -0.25, -0.18, 0.22, 0.29, 0.36, 0.43, 0.5,
].flatMap(y => Array.from({ length: 26 }, (_, i): Point => [-0.85 + 0.068 * i, y]))

const bilinear = (brightness: Float32Array, [x, y]: Point): number => {
  const edge = upright_side - 1.001
  const [px, py] = [Math.min(edge, Math.max(0, x)), Math.min(edge, Math.max(0, y))]
  const at = Math.floor(py) * upright_side + Math.floor(px)
  const [fx, fy] = [px % 1, py % 1]
  const row = (i: number): number => (brightness[i] ?? 0) * (1 - fx) + (brightness[i + 1] ?? 0) * fx
  return row(at) * (1 - fy) + row(at + upright_side) * fy
}

/** One less Pearson's correlation: 0 for two lists that differ by brightness and contrast alone. */
const uncorrelated = (one: readonly number[], other: readonly number[]): number => {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [m, n] = [mean(one), mean(other)]
  let [both, first, second] = [0, 0, 0]
  one.forEach((value, i) => {
    const [a, b] = [value - m, (other[i] ?? 0) - n]
    both += a * b
    first += a * a
    second += b * b
  })
  return 1 - both / (Math.sqrt(first * second) || 1)
}

const steps = [-0.9, 0, 0.9]
const shifts: readonly Point[] = steps.flatMap(y => steps.map((x): Point => [x, y]))

/** From eye distances about the middle of the eyes to the square's pixels. */
const eyeFrame = ({ points }: UprightFace): Similarity =>
  fitSimilarity(
    [
      [-0.5, 0],
      [0.5, 0],
    ],
    [points[landmark.left_eye_outer] ?? [0, 0], points[landmark.right_eye_outer] ?? [1, 0]],
  )

/**
 * How much two pictures of a face differ in the parts that an expression leaves alone, laid over each other as well as
 * a similarity can: nearly 0 for a picture and its copy, encoded anew, made lighter or darker. 2 at most.
 */
export const differenceOf = (one: Comparable, other: Comparable): number => {
  const pick = ({ face: { points } }: Comparable): Point[] => still.map(index => points[index] ?? [0, 0])
  const over = fitSimilarity(pick(one), pick(other))
  const spots = places.map(place => applySimilarity(eyeFrame(one.face), place))
  const here = spots.map(spot => bilinear(one.brightness, spot))
  return Math.min(
    ...shifts.map(([dx, dy]) => {
      const there = spots.map(spot => {
        const [x, y] = applySimilarity(over, spot)
        return bilinear(other.brightness, [x + dx, y + dy])
      })
      return uncorrelated(here, there)
    }),
  )
}
