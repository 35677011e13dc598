import { cutSquare, type Point } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import type { FaceModels } from './face_models.ts'

/** A face that BlazeFace found, in the picture's pixels. */
export interface Detection {
  /** Certainty that it is a face, 0 to 1. */
  readonly score: number
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** The eyes, named after their side in the picture. */
  readonly eyes: readonly [left: Point, right: Point]
}

/** A square of the picture to look at, in its pixels; it may reach over the edge. */
export interface SquareRegion {
  readonly left: number
  readonly top: number
  readonly side: number
}

const inputSide = 256
const minScore = 0.5
/** Two boxes that share more than this of their union are one face. */
const sameFaceOverlap = 0.3

/** BlazeFace's anchors (its paper, 4.2): two a cell at stride 16, six at stride 32, in input pixels. */
const anchors: readonly Point[] = [
  [16, 2],
  [32, 6],
].flatMap(([stride = 16, count = 2]) => {
  const cells = inputSide / stride
  return Array.from({ length: cells * cells * count }, (_, i): Point => {
    const cell = Math.floor(i / count)
    return [stride * ((cell % cells) + 0.5), stride * (Math.floor(cell / cells) + 0.5)]
  })
})

/** Returns the smallest square around the whole picture. */
export function squareAroundPicture({ width, height }: RgbImage): SquareRegion {
  const side = Math.max(width, height)
  return { left: (width - side) / 2, top: (height - side) / 2, side }
}

function concatLists(...parts: readonly (Float32Array | undefined)[]): Float32Array {
  const [one, other] = parts.map(part => part ?? new Float32Array())
  const all = new Float32Array((one?.length ?? 0) + (other?.length ?? 0))
  all.set(one ?? [])
  all.set(other ?? [], one?.length)
  return all
}

/** Returns a score and the sixteen numbers of a box for each anchor. */
async function runDetector(
  models: FaceModels,
  square: Float32Array,
): Promise<{ readonly scores: Float32Array; readonly boxes: Float32Array }> {
  const outputs = await models.detector(square)
  // Sorted by size, the outputs are the scores at stride 32 and 16, then the boxes at stride 32 and 16; anchors start
  // with stride 16.
  const [scores32, scores16, boxes32, boxes16] = [...outputs].sort((one, other) => one.length - other.length)
  return { scores: concatLists(scores16, scores32), boxes: concatLists(boxes16, boxes32) }
}

/** Finds the faces in a square of the picture, the surest first, each once. */
export async function detectFaces(models: FaceModels, pixels: RgbImage, region: SquareRegion): Promise<Detection[]> {
  const scale = region.side / inputSide
  const square = cutSquare(
    pixels,
    { a: scale, b: 0, tx: region.left + scale / 2, ty: region.top + scale / 2 },
    inputSide,
    [-1, 1],
  )
  const { scores, boxes } = await runDetector(models, square)
  const found: Detection[] = []
  for (let i = 0; i < scores.length; i++) {
    const score = 1 / (1 + Math.exp(-(scores[i] ?? 0)))
    if (score >= minScore)
      found.push(toDetection([...boxes.subarray(i * 16, i * 16 + 16)], anchors[i] ?? [0, 0], { region, score }))
  }
  return removeDuplicates(found)
}

function toDetection(
  row: readonly number[],
  [ax, ay]: Point,
  { region, score }: { readonly region: SquareRegion; readonly score: number },
): Detection {
  const scale = region.side / inputSide
  const at = (i: number): number => row[i] ?? 0
  const eye = (i: number): Point => [region.left + (ax + at(i)) * scale, region.top + (ay + at(i + 1)) * scale]
  const width = at(2) * scale
  const height = at(3) * scale
  return {
    score,
    left: region.left + (ax + at(0)) * scale - width / 2,
    top: region.top + (ay + at(1)) * scale - height / 2,
    width,
    height,
    eyes: [eye(4), eye(6)],
  }
}

/**
 * Suppresses overlapping boxes, the surest first; so it also joins the detections of several regions of one picture.
 */
export function removeDuplicates(detections: readonly Detection[]): Detection[] {
  const kept: Detection[] = []
  for (const detection of [...detections].sort((one, other) => other.score - one.score)) {
    if (!kept.some(other => measureOverlap(detection, other) > sameFaceOverlap)) kept.push(detection)
  }
  return kept
}

function measureOverlap(one: Detection, other: Detection): number {
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left)
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top)
  if (width <= 0 || height <= 0) return 0
  const shared = width * height
  return shared / (one.width * one.height + other.width * other.height - shared)
}
