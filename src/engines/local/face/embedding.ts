import {
  add,
  avgPool,
  concat,
  conv2d,
  matMul,
  maxPool,
  mean,
  mul,
  relu,
  type Tensor,
  type Tensor2D,
  type Tensor4D,
  tensor4d,
  tidy,
  zeros,
} from '@tensorflow/tfjs-core'
import type { FaceTemplate } from '../../../decision/findings.ts'
import type { RgbImage } from '../../../images/raster.ts'
import { embeddingModel, type Models } from '../models.ts'
import { computeNumbers } from './compute_numbers.ts'
import { fitSimilarity } from './geometry.ts'
import { getPoint, type Landmarks } from './landmarks.ts'
import { cutSquare, type Point } from './pixels.ts'

const chip_side = 150
/** dlib's chips show a quarter of the face's size around it. */
const chipPadding = 0.25
/** Mean colour of dlib's training set, taken off each pixel, and the divisor (dlib, input_rgb_image_sized). */
const meanColour = [122.782, 117.001, 104.298] as const
const colourDivisor = 256

/** dlib's mean face of five points (image_transforms/interpolation.h): eye corners, and the base of the nose. */
const meanFace: readonly Point[] = [
  [0.8595674595992, 0.2134981538014],
  [0.6460604764104, 0.2289674387677],
  [0.1205750620789, 0.2137274526848],
  [0.3340850613712, 0.2290642403242],
  [0.4901123135679, 0.6277975316475],
]

const chipFace = meanFace.map(
  ([x, y]): Point => [
    ((chipPadding + x) / (2 * chipPadding + 1)) * chip_side,
    ((chipPadding + y) / (2 * chipPadding + 1)) * chip_side,
  ],
)

/**
 * How a face is cut for the network and what becomes of its vectors. Each is a space of its own: distances between two
 * of them mean nothing.
 */
export interface FaceSpace {
  /** Names the space in a template. */
  readonly model: string
  /** How much higher the face is in the chip than dlib's mean face says. RgbImage of the chip. */
  readonly lift: number
  /** Whether the template is the mean of the chip's vector and of its mirror image's. */
  readonly mirrored: boolean
}

/**
 * The space of new templates. dlib's own landmarks give corners of the eyes that lie lower than FaceMesh's: lifted by 4
 * pixels and meant with its mirror image, photographs of one person are distinguished better from others'
 * (docs/figures/real.md).
 */
export const faceSpace: FaceSpace = { model: `${embeddingModel}/lifted-mirrored`, lift: 4, mirrored: true }

/** Spaces of earlier versions. Customers enrolled in one are compared in it, until their next approved step-up. */
export const formerFaceSpaces: readonly FaceSpace[] = [{ model: embeddingModel, lift: 0, mirrored: false }]

/** The face set upright on dlib's mean face: 150 by 150 RGB floats, 0–255. */
export const cutFaceChip = (
  pixels: RgbImage,
  landmarks: Landmarks,
  { lift }: Pick<FaceSpace, 'lift'>,
): Float32Array => {
  const face = (['right_eye_outer', 'right_eye_inner', 'left_eye_outer', 'left_eye_inner', 'nose_base'] as const).map(
    name => getPoint(landmarks, name),
  )
  const lifted = chipFace.map(([x, y]): Point => [x, y - lift])
  return cutSquare(pixels, fitSimilarity(lifted, face), chip_side)
}

/** The side of a chip in pixels. */
export const chipSide = chip_side

/** The chip's mirror image. */
export const mirrorChip = (chip: Float32Array): Float32Array => {
  const mirrored = new Float32Array(chip.length)
  for (let from = 0; from < chip.length; from += 3) {
    const column = (from / 3) % chip_side
    mirrored.set(chip.subarray(from, from + 3), from + 3 * (chip_side - 1 - 2 * column))
  }
  return mirrored
}

/** A chip's 128 numbers. Those of one person lie within about 0.6 of each other. */
export type FaceVector = readonly number[]

/**
 * dlib's 128-d ResNet over some chips at once: its large weights are rebuilt for each run (`embedder.ts`), which costs
 * as much as a chip does.
 */
export const embedChips = (models: Models, chips: readonly Float32Array[]): FaceVector[] => {
  if (chips.length === 0) return []
  const input = new Float32Array(chips.length * chip_side * chip_side * 3)
  chips.forEach((chip, n) => {
    const from = n * chip.length
    for (let i = 0; i < chip.length; i++) input[from + i] = ((chip[i] ?? 0) - (meanColour[i % 3] ?? 0)) / colourDivisor
  })
  const numbers = computeNumbers(() =>
    runNetwork(models, tensor4d(input, [chips.length, chip_side, chip_side, 3])).dataSync(),
  )
  const size = numbers.length / chips.length
  return chips.map((_, n) => [...numbers.subarray(n * size, (n + 1) * size)])
}

/** The mean of some vectors of one face. */
export const averageVectors = (vectors: readonly FaceVector[]): FaceVector =>
  (vectors[0] ?? []).map((_, i) => vectors.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) / vectors.length)

/** Euclidean distance of two vectors of one space; 0 is the same picture. */
export const measureVectorDistance = (one: FaceVector, other: FaceVector): number =>
  Math.sqrt(one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0))

/** Euclidean distance of two templates of one model; 0 is the same face. */
export const measureFaceDistance = (one: FaceTemplate, other: FaceTemplate): number =>
  measureVectorDistance(one.values, other.values)

/**
 * dnn_face_recognition_ex.cpp of dlib: a ResNet of 29 convolutions, halved at each `_down`. What a layer leaves goes with
 * it: the memory of wasm never shrinks.
 */
const runNetwork = (models: Models, image: Tensor4D): Tensor2D => {
  let out = convolve(models, image, { name: 'conv32_down', stride: 2, rectify: true })
  out = maxPool(out, 3, 2, 'valid')
  for (const name of [
    ...['conv32_1', 'conv32_2', 'conv32_3'],
    ...['conv64_down', 'conv64_1', 'conv64_2', 'conv64_3'],
    ...['conv128_down', 'conv128_1', 'conv128_2'],
    ...['conv256_down', 'conv256_1', 'conv256_2', 'conv256_down_out'],
  ]) {
    const before = out
    out = tidy(() => addResidual(models, before, name))
    before.dispose()
  }
  return matMul(mean<Tensor2D>(out, [1, 2]), models.embedder.weight('fc') as Tensor2D)
}

interface Layer {
  readonly name: string
  readonly stride: 1 | 2
  readonly rectify: boolean
}

const convolve = ({ embedder }: Models, x: Tensor4D, { name, stride, rectify }: Layer): Tensor4D =>
  tidy(() => {
    const weight = (part: string): Tensor => embedder.weight(`${name}/${part}`)
    const filtered = conv2d(x, weight('conv/filters') as Tensor4D, stride, stride === 1 ? 'same' : 'valid')
    const scaled = mul(add(filtered, weight('conv/bias')), weight('scale/weights'))
    const linear = add<Tensor4D>(scaled, weight('scale/biases'))
    return rectify ? relu(linear) : linear
  })

const addResidual = (models: Models, x: Tensor4D, name: string): Tensor4D => {
  const down = name.includes('_down')
  const first = convolve(models, x, { name: `${name}/conv1`, stride: down ? 2 : 1, rectify: true })
  const second = convolve(models, first, { name: `${name}/conv2`, stride: 1, rectify: false })
  return relu(down ? addPadded(avgPool(x, 2, 2, 'valid'), second) : add(second, x))
}

/** dlib's add_prev takes the larger of each dimension and reads zeros beyond the smaller tensor. */
const addPadded = (one: Tensor4D, other: Tensor4D): Tensor4D => {
  const shape = one.shape.map((side, i) => Math.max(side, other.shape[i] ?? 0))
  return add(padTensor(one, shape), padTensor(other, shape))
}

const padTensor = (x: Tensor4D, shape: readonly number[]): Tensor4D =>
  [1, 2, 3].reduce<Tensor4D>((out, axis) => {
    const missing = (shape[axis] ?? 0) - (out.shape[axis] ?? 0)
    if (missing <= 0) return out
    const padding = out.shape.map((side, i) => (i === axis ? missing : side)) as [number, number, number, number]
    return concat([out, zeros(padding)], axis) as Tensor4D
  }, x)
