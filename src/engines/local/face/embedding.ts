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
import { embeddingModel, type Models } from '../models.ts'
import { computeNumbers } from './compute_numbers.ts'
import { chipSide, faceLift } from './face_chip.ts'
import { type FaceVector, measureVectorDistance } from './face_vector.ts'

/** Mean colour of dlib's training set, taken off each pixel, and the divisor (dlib, input_rgb_image_sized). */
const meanColour = [122.782, 117.001, 104.298] as const
const colourDivisor = 256

/**
 * How a face is cut for the network and how its vectors are combined. Each way makes a space of its own: distances
 * between two spaces mean nothing.
 */
export interface FaceSpace {
  /** Names the space in a template. */
  readonly model: string
  /** How much higher the face is in the chip than dlib's mean face, in pixels of the chip. */
  readonly lift: number
  /** Whether the template is the mean of the chip's vector and of its mirror image's. */
  readonly mirrored: boolean
}

/**
 * The space of new templates. Lifting the face and averaging with its mirror image distinguishes people better
 * (bench/results/real.md).
 */
export const faceSpace: FaceSpace = { model: `${embeddingModel}/lifted-mirrored`, lift: faceLift, mirrored: true }

/** Spaces of earlier versions. Customers enrolled in one are compared in it, until their next approved step-up. */
export const formerFaceSpaces: readonly FaceSpace[] = [{ model: embeddingModel, lift: 0, mirrored: false }]

/**
 * dlib's 128-d ResNet over some chips at once: its large weights are rebuilt for each run (`embedder.ts`), which costs
 * as much as a chip does.
 */
export function embedChips(models: Models, chips: readonly Float32Array[]): FaceVector[] {
  if (chips.length === 0) return []
  const input = new Float32Array(chips.length * chipSide * chipSide * 3)
  chips.forEach((chip, n) => {
    const from = n * chip.length
    for (let i = 0; i < chip.length; i++) input[from + i] = ((chip[i] ?? 0) - (meanColour[i % 3] ?? 0)) / colourDivisor
  })
  const numbers = computeNumbers(() =>
    runNetwork(models, tensor4d(input, [chips.length, chipSide, chipSide, 3])).dataSync(),
  )
  const size = numbers.length / chips.length
  return chips.map((_, n) => [...numbers.subarray(n * size, (n + 1) * size)])
}

/** Euclidean distance of two templates of one model; 0 is the same face. */
export function measureFaceDistance(one: FaceTemplate, other: FaceTemplate): number {
  return measureVectorDistance(one.values, other.values)
}

/**
 * dnn_face_recognition_ex.cpp of dlib: a ResNet of 29 convolutions, halved at each `_down`. Each layer frees its
 * tensors: the memory of wasm never shrinks.
 */
function runNetwork(models: Models, image: Tensor4D): Tensor2D {
  let out = convolve(models, image, { name: 'conv32_down', stride: 2, rectify: true })
  out = maxPool(out, 3, 2, 'valid')
  for (const name of [
    'conv32_1',
    'conv32_2',
    'conv32_3',
    'conv64_down',
    'conv64_1',
    'conv64_2',
    'conv64_3',
    'conv128_down',
    'conv128_1',
    'conv128_2',
    'conv256_down',
    'conv256_1',
    'conv256_2',
    'conv256_down_out',
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

function convolve({ embedder }: Models, x: Tensor4D, { name, stride, rectify }: Layer): Tensor4D {
  return tidy(() => {
    const weight = (part: string): Tensor => embedder.weight(`${name}/${part}`)
    const filtered = conv2d(x, weight('conv/filters') as Tensor4D, stride, stride === 1 ? 'same' : 'valid')
    const scaled = mul(add(filtered, weight('conv/bias')), weight('scale/weights'))
    const linear = add<Tensor4D>(scaled, weight('scale/biases'))
    return rectify ? relu(linear) : linear
  })
}

function addResidual(models: Models, x: Tensor4D, name: string): Tensor4D {
  const down = name.includes('_down')
  const first = convolve(models, x, { name: `${name}/conv1`, stride: down ? 2 : 1, rectify: true })
  const second = convolve(models, first, { name: `${name}/conv2`, stride: 1, rectify: false })
  return relu(down ? addPadded(avgPool(x, 2, 2, 'valid'), second) : add(second, x))
}

/** dlib's add_prev takes the larger of each dimension and reads zeros beyond the smaller tensor. */
function addPadded(one: Tensor4D, other: Tensor4D): Tensor4D {
  const shape = one.shape.map((side, i) => Math.max(side, other.shape[i] ?? 0))
  return add(padTensor(one, shape), padTensor(other, shape))
}

function padTensor(x: Tensor4D, shape: readonly number[]): Tensor4D {
  return [1, 2, 3].reduce<Tensor4D>((out, axis) => {
    const missing = (shape[axis] ?? 0) - (out.shape[axis] ?? 0)
    if (missing <= 0) return out
    const padding = out.shape.map((side, i) => (i === axis ? missing : side)) as [number, number, number, number]
    return concat([out, zeros(padding)], axis) as Tensor4D
  }, x)
}
