import { type Layer, type LayerShape, layerShapes, loadMrzNetwork, mrzClasses } from './network.ts'

/**
 * Returns the probability of each character of `mrzAlphabet` in a cell of `cellShape`; the last one is that of no
 * character.
 */
export type Classifier = (cell: Float32Array) => Float32Array

/**
 * The non-zero values, and the index at which the weights of each begin. After a rectified layer half of the values are
 * 0.
 */
interface Active {
  readonly values: Float64Array
  readonly weights: Int32Array
  count: number
}

/**
 * A prepared layer: doubles, because every sum is one, and weights sorted by input, so that a 0 skips all of its
 * weights.
 */
interface PreparedLayer extends LayerShape {
  readonly weights: Float64Array
  readonly biases: Float64Array
  readonly active: Active
  readonly output: Float64Array
}

function prepareLayer(shape: LayerShape, { weights, biases }: Layer): PreparedLayer {
  const { taps, channels, windows, outputs } = shape
  const inputs = taps * channels
  const turned = new Float64Array(weights.length)
  weights.forEach((weight, at) => {
    turned[(at % inputs) * outputs + Math.floor(at / inputs)] = weight
  })
  const active = { values: new Float64Array(inputs), weights: new Int32Array(inputs), count: 0 }
  const output = new Float64Array((windows.length / taps) * outputs)
  return { ...shape, weights: turned, biases: Float64Array.from(biases), active, output }
}

type Values = Float32Array | Float64Array

function gather({ taps, channels, windows, outputs, active }: PreparedLayer, input: Values, place: number): void {
  let count = 0
  for (let tap = 0; tap < taps; tap++) {
    const from = (windows[place * taps + tap] ?? -1) * channels
    if (from < 0) continue
    for (let channel = 0; channel < channels; channel++) {
      const value = input[from + channel] ?? 0
      if (value === 0) continue
      active.values[count] = value
      active.weights[count++] = (tap * channels + channel) * outputs
    }
  }
  active.count = count
}

/**
 * Adds the contributions of four active inputs from `at` on: one at a time would load and store every sum four times.
 */
function addFour({ weights, outputs, active, output }: PreparedLayer, at: number, to: number): void {
  // Beyond the last input the value is 0.
  const value = (n: number): number => (at + n < active.count ? (active.values[at + n] ?? 0) : 0)
  const from = (n: number): number => (at + n < active.count ? (active.weights[at + n] ?? 0) : 0)
  const a = value(0)
  const b = value(1)
  const c = value(2)
  const d = value(3)
  const wa = from(0)
  const wb = from(1)
  const wc = from(2)
  const wd = from(3)
  for (let unit = 0; unit < outputs; unit++) {
    output[to + unit] =
      (output[to + unit] ?? 0) +
      a * (weights[wa + unit] ?? 0) +
      b * (weights[wb + unit] ?? 0) +
      c * (weights[wc + unit] ?? 0) +
      d * (weights[wd + unit] ?? 0)
  }
}

function applyLayer(layer: PreparedLayer, input: Values): Float64Array {
  const { output, outputs, biases } = layer
  for (let to = 0; to < output.length; to += outputs) {
    output.set(biases, to)
    gather(layer, input, to / outputs)
    for (let at = 0; at < layer.active.count; at += 4) addFour(layer, at, to)
  }
  return output
}

function rectify(values: Float64Array): void {
  for (let at = 0; at < values.length; at++) if ((values[at] ?? 0) < 0) values[at] = 0
}

function softmax(scores: Float64Array): Float32Array {
  const most = Math.max(...scores)
  const shares = Float32Array.from(scores, score => Math.exp(score - most))
  const total = shares.reduce((sum, share) => sum + share, 0)
  return shares.map(share => share / total)
}

/** Creates a classifier of these layers (`layerShapes`); every call returns numbers of its own. */
export function createClassifier(network: readonly Layer[]): Classifier {
  const layers = layerShapes.flatMap((shape, at) => network.slice(at, at + 1).map(layer => prepareLayer(shape, layer)))
  return cell => {
    let values: Values = cell
    for (const [at, layer] of layers.entries()) {
      if (at > 0) rectify(layers[at - 1]?.output ?? layer.output)
      values = applyLayer(layer, values)
    }
    return softmax(layers.at(-1)?.output ?? new Float64Array(mrzClasses))
  }
}

let loaded: Classifier | null = null

/** Returns the probability of each class in a cell. The trained network is loaded once a process. */
export const classify: Classifier = cell => {
  loaded ??= createClassifier(loadMrzNetwork())
  return loaded(cell)
}
