import { fileURLToPath } from 'node:url'
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import * as tf from '@tensorflow/tfjs-core'
import type { Random } from '../synthetic/random.ts'
import { cellShape, type Layer, type LayerShape, layerShapes, mrzClasses } from '../zone/network.ts'

/** A layer while it learns: weights as inputs by outputs. */
interface Weighed {
  readonly shape: LayerShape
  readonly weights: tf.Variable
  readonly biases: tf.Variable
  /** Converts values by place into a row for each window; the other way, it adds up the rows' slopes. */
  readonly spread: (values: tf.Tensor) => tf.Tensor2D
  readonly gather: (slopes: tf.Tensor) => tf.Tensor
}

/** The network while it learns. */
export interface Learner {
  /** Runs one step of Adam over a batch of cells, row by row, and their labels; returns the loss. */
  readonly learn: (cells: Float32Array, labels: readonly number[], rate: number) => number
  readonly layers: () => Layer[]
}

/**
 * Lists for every place the windows that include it, padded to the longest list with `windows.length`: a gradient's way
 * back.
 */
function viewers(windows: Int32Array, places: number): { indices: number[]; most: number } {
  const seen: number[][] = Array.from({ length: places }, () => [])
  windows.forEach((place, at) => {
    if (place >= 0) seen[place]?.push(at)
  })
  const most = Math.max(...seen.map(list => list.length))
  const full = seen.flatMap(list => [...list, ...new Array<number>(most - list.length).fill(windows.length)])
  return { indices: full, most }
}

/**
 * Returns both ways between a layer's places and its windows, laid side by side so that the layer is one product of
 * matrices.
 */
function spreading({ windows, places, channels, taps }: LayerShape, batch: number): Pick<Weighed, 'spread' | 'gather'> {
  const edge = [...windows].map(place => (place < 0 ? places : place))
  const forth = tf.tensor1d(edge, 'int32')
  const { indices, most } = viewers(windows, places)
  const back = tf.tensor1d(indices, 'int32')
  const none = tf.zeros([batch, 1, channels])
  const size = taps * channels
  return {
    spread: values => {
      const input = tf.concat([tf.reshape(values, [batch, places, channels]), none], 1)
      return tf.reshape(tf.gather(input, forth, 1), [-1, size])
    },
    gather: slopes => {
      const parts = tf.concat([tf.reshape(slopes, [batch, windows.length, channels]), none], 1)
      return tf.sum(tf.reshape(tf.gather(parts, back, 1), [batch, places, most, channels]), 2)
    },
  }
}

/** Returns a network that has learned nothing: normal weights by He's rule (2015). */
export function freshLayers(random: Random): Layer[] {
  return layerShapes.map(({ taps, channels, outputs }) => {
    const deviation = Math.sqrt(2 / (taps * channels))
    const weights = Float32Array.from({ length: taps * channels * outputs }, () => random.normal() * deviation)
    return { weights, biases: new Float32Array(outputs) }
  })
}

function weighed(shape: LayerShape, { weights, biases }: Layer, batch: number): Weighed {
  const rows = tf.tensor2d(weights, [shape.outputs, shape.taps * shape.channels])
  return {
    shape,
    weights: tf.variable(tf.transpose(rows)),
    biases: tf.variable(tf.tensor1d(biases)),
    ...spreading(shape, batch),
  }
}

function matrix(variable: tf.Variable): tf.Tensor2D {
  return variable as tf.Tensor as tf.Tensor2D
}

/** Computes the slopes forward and back step by step: `tfjs-core` for Node comes without gradients. */
function computeSlopes(
  layers: readonly Weighed[],
  cells: tf.Tensor,
  wanted: tf.Tensor,
): { loss: number; slopes: tf.Tensor[] } {
  const seen: { wide: tf.Tensor2D; sums: tf.Tensor2D }[] = []
  let values: tf.Tensor = cells
  for (const { weights, biases, spread } of layers) {
    const wide = spread(values)
    const sums = tf.add<tf.Tensor2D>(tf.matMul(wide, matrix(weights)), biases)
    seen.push({ wide, sums })
    values = tf.relu(sums)
  }
  const chances = tf.softmax(seen.at(-1)?.sums ?? cells)
  const loss = tf.neg(tf.mean(tf.log(tf.sum(tf.mul(chances, wanted), 1)))).dataSync()[0] ?? Number.NaN
  let slope = tf.div<tf.Tensor2D>(tf.sub(chances, wanted), wanted.shape[0] ?? 1)
  const slopes: tf.Tensor[] = []
  for (let at = layers.length - 1; at >= 0; at--) {
    const layer = layers[at]
    const passed = seen[at]
    if (layer === undefined || passed === undefined) break
    slopes.unshift(tf.matMul(passed.wide, slope, true, false), tf.sum(slope, 0))
    const before = seen[at - 1]
    if (before === undefined) break
    const down = layer.gather(tf.matMul(slope, matrix(layer.weights), false, true))
    slope = tf.mul(tf.reshape(down, before.sums.shape), tf.step(before.sums))
  }
  return { loss, slopes }
}

async function startBackend(): Promise<void> {
  setWasmPaths(fileURLToPath(new URL('.', import.meta.resolve('@tensorflow/tfjs-backend-wasm'))))
  // With one thread the sums are added in the same order each time.
  setThreadsCount(1)
  if (!(await tf.setBackend('wasm'))) throw new Error('the wasm backend did not start')
  await tf.ready()
}

/** Starts a network that learns on from its state, by batches of this size. The same numbers give the same network. */
export async function startLearner(batch: number, start: readonly Layer[]): Promise<Learner> {
  await startBackend()
  const layers = layerShapes.flatMap((shape, at) => start.slice(at, at + 1).map(layer => weighed(shape, layer, batch)))
  const optimizer = tf.train.adam(0.001)
  const learn: Learner['learn'] = (cells, labels, rate) => {
    Object.assign(optimizer, { learningRate: rate })
    return tf.tidy(() => {
      const seen = tf.tensor2d(cells, [batch, cellShape.columns * cellShape.rows])
      const marks = new Float32Array(batch * mrzClasses)
      labels.forEach((label, at) => {
        marks[at * mrzClasses + label] = 1
      })
      const { loss, slopes } = computeSlopes(layers, seen, tf.tensor2d(marks, [batch, mrzClasses]))
      const variables = layers.flatMap(({ weights, biases }) => [weights, biases])
      optimizer.applyGradients(variables.map(({ name }, at) => ({ name, tensor: slopes[at] ?? tf.scalar(0) })))
      return loss
    })
  }
  return {
    learn,
    layers: () =>
      layers.map(({ weights, biases }) =>
        tf.tidy(() => ({
          weights: Float32Array.from(tf.transpose(weights as tf.Tensor).dataSync()),
          biases: Float32Array.from(biases.dataSync()),
        })),
      ),
  }
}
