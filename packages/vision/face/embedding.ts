import type { FaceTemplate, StrangerDistances } from '@attestor/rules'
import { cutSquare, type Point } from '../geometry/pixels.ts'
import { fitSimilarity } from '../geometry/similarity.ts'
import type { RgbImage } from '../images/raster.ts'
import type { FalseMatchRate } from '../port.ts'
import type { RunNetwork } from './face_models.ts'
import { getPoint, type Landmarks } from './landmarks.ts'

/** Distances of templates, 1 − cosine: 0 for one picture, 1 for two unrelated ones. */
export interface FaceDistanceLimits {
  /**
   * At or below this distance two faces are one person's, at each rate at which two persons' faces are taken for one.
   */
  readonly accept_below: Readonly<Record<FalseMatchRate, number>>
  /** Above this distance two faces are two persons'. Between the two limits a comparison is inconclusive. */
  readonly reject_above: number
  /** At or below this distance a selfie and a document's portrait are perhaps one picture. */
  readonly same_picture: number
  /** Above this distance from the selfie a challenge's frame shows another person. */
  readonly continuity: number
  /**
   * If the nearest frame that looks ahead is farther than this, it is undecided whether the selfie shows the same
   * person.
   */
  readonly nearest: number
  /**
   * The distances of two strangers, for searches among many; if it is absent, they are unknown and no search is made.
   */
  readonly strangers?: StrangerDistances
}

/** An embedding network, with the cut of a face that it needs and the meaning of its distances. */
export interface EmbeddingModel {
  /** The name of the model in templates. Templates of two models can't be compared. */
  readonly name: string
  /** Side of the square input, in pixels. */
  readonly side: number
  readonly colours: 'RGB' | 'BGR'
  /** A channel of 0 to 255 becomes (value − mean) / divisor. */
  readonly mean: number
  readonly divisor: number
  /**
   * The places of a face's parts in the input: the picture's left and right eye, the nose's tip, both corners of the
   * mouth.
   */
  readonly points: readonly [Point, Point, Point, Point, Point]
  readonly limits: FaceDistanceLimits
  /**
   * An upright face has a template of at least this length before it is scaled to one. If it is absent, the length
   * shows nothing.
   */
  readonly uprightLength?: number
}

/** An embedding network that is loaded. */
export interface Embedding {
  readonly model: EmbeddingModel
  readonly run: RunNetwork
}

/** Puts the channels of an RGB picture into a network's order, in place. */
export function toColours(picture: Float32Array, colours: EmbeddingModel['colours']): Float32Array {
  if (colours === 'BGR') for (let n = 0; n < picture.length; n += 3) picture.subarray(n, n + 3).reverse()
  return picture
}

function findMiddle([ax, ay]: Point, [bx, by]: Point): Point {
  return [(ax + bx) / 2, (ay + by) / 2]
}

function cutFace({ model }: Embedding, pixels: RgbImage, landmarks: Landmarks): Float32Array {
  const at = (name: Parameters<typeof getPoint>[1]): Point => getPoint(landmarks, name)
  const parts = [
    findMiddle(at('left_eye_outer'), at('left_eye_inner')),
    findMiddle(at('right_eye_inner'), at('right_eye_outer')),
    at('nose_tip'),
    at('mouth_outer_left'),
    at('mouth_outer_right'),
  ]
  const { mean, divisor } = model
  const range = [(0 - mean) / divisor, (255 - mean) / divisor] as const
  return toColours(cutSquare(pixels, fitSimilarity(model.points, parts), model.side, range), model.colours)
}

/**
 * A template, and the length of its numbers before they were scaled to one. It is shorter for a face that the network
 * does not recognise as one.
 */
export interface EmbeddedFace {
  readonly template: FaceTemplate
  readonly length: number
}

/** Returns the template of a face: numbers whose length is one. */
export async function embedFace(embedding: Embedding, pixels: RgbImage, landmarks: Landmarks): Promise<EmbeddedFace> {
  const [numbers = new Float32Array()] = await embedding.run(cutFace(embedding, pixels, landmarks))
  const length = Math.hypot(...numbers) || 1
  const values = Array.from(numbers, number => number / length)
  return { template: { model: embedding.model.name, values }, length }
}

/** Returns 1 − cosine of two templates of one model; 0 is the same picture. */
export function measureFaceDistance({ values: one }: FaceTemplate, { values: other }: FaceTemplate): number {
  return Math.max(0, 1 - one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0))
}
