import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The classes of the classifier, in the order of its outputs. */
export const mrzAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<'

/** Shape of a cell for the classifier: a little wider than the pitch, so that neighbours' edges are in view. */
export const cellShape = { columns: 18, rows: 20, wide: 1.4, high: 1.6 } as const

/** Number of classes: the alphabet, and a cell that holds no character. */
export const mrzClasses = mrzAlphabet.length + 1

/**
 * The inputs of a layer: for each output place `windows` lists `taps` input places of `channels` values each, with -1
 * beyond the edge. A dense layer has one window over everything.
 */
export interface LayerShape {
  readonly places: number
  readonly channels: number
  readonly taps: number
  readonly windows: Int32Array
  readonly outputs: number
}

function slideWindows(rows: number, columns: number, reach: number): Int32Array {
  const windows: number[] = []
  const before = (reach - 1) / 2
  for (let row = 0; row < rows; row += 2) {
    for (let column = 0; column < columns; column += 2) {
      for (let tap = 0; tap < reach * reach; tap++) {
        const y = row + Math.floor(tap / reach) - before
        const x = column + (tap % reach) - before
        windows.push(y < 0 || x < 0 || y >= rows || x >= columns ? -1 : y * columns + x)
      }
    }
  }
  return Int32Array.from(windows)
}

function coverAll(places: number): Int32Array {
  return Int32Array.from({ length: places }, (_, place) => place)
}

const { columns, rows } = cellShape

/** Two layers of windows that halve the picture, and two dense ones. All but the last are rectified. */
export const layerShapes: readonly LayerShape[] = [
  { places: rows * columns, channels: 1, taps: 25, windows: slideWindows(rows, columns, 5), outputs: 8 },
  { places: 90, channels: 8, taps: 9, windows: slideWindows(10, 9, 3), outputs: 28 },
  { places: 25, channels: 28, taps: 25, windows: coverAll(25), outputs: 72 },
  { places: 1, channels: 72, taps: 1, windows: coverAll(1), outputs: mrzClasses },
]

/** A layer's numbers: weights lie output by output, tap by tap, channel by channel. */
export interface Layer {
  readonly weights: Float32Array
  readonly biases: Float32Array
}

function countWeights({ taps, channels, outputs }: LayerShape): number {
  return taps * channels * outputs
}

/**
 * Reads the file: for each layer a scale (f32), its weights (i16) and its biases (f32), all little-endian. Throws if
 * the length is wrong.
 */
export function unpackNetwork(file: Buffer): Layer[] {
  let at = 0
  const layers = layerShapes.map(shape => {
    const scale = file.readFloatLE(at)
    const from = at + 4
    const count = countWeights(shape)
    const weights = Float32Array.from({ length: count }, (_, n) => file.readInt16LE(from + n * 2) * scale)
    const after = from + count * 2
    at = after + shape.outputs * 4
    return { weights, biases: Float32Array.from({ length: shape.outputs }, (_, n) => file.readFloatLE(after + n * 4)) }
  })
  if (at !== file.length) throw new Error('mrz network: wrong length')
  return layers
}

/** It is read with the program: a process that analyses reads no more files. */
const weightsFile = readFileSync(new URL('mrz_network.generated.bin', import.meta.url))

/** Loads the trained network (`packages/vision/training/train_mrz.ts`). */
export function loadMrzNetwork(): Layer[] {
  return unpackNetwork(weightsFile)
}

/** The SHA-256 of the weights that zones are read with, in hex. */
export const mrzNetworkHash = createHash('sha256').update(weightsFile).digest('hex')
