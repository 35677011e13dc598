import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The classes of the classifier, in the order of its outputs. */
export const mrzAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<'

/** A cell as the classifier sees it: a little wider than the pitch, so that neighbours' edges are in view. */
export const cellShape = { columns: 16, rows: 20, wide: 1.2, high: 1.5 } as const

const inputs = cellShape.columns * cellShape.rows
/** One more than the alphabet: a cell that holds no character. */
const outputs = mrzAlphabet.length + 1

/** A network of one hidden layer. Weights are row by row, one row of inputs for each output. */
export interface Network {
  readonly hidden: number
  readonly w1: Float32Array
  readonly b1: Float32Array
  readonly w2: Float32Array
  readonly b2: Float32Array
}

/** The sizes of the four blocks of weights. */
export const blockSizes = (hidden: number): readonly [number, number, number, number] => [
  hidden * inputs,
  hidden,
  outputs * hidden,
  outputs,
]

/** The file: the hidden layer's size (u32), four scales (f32), then the four blocks as i16, all little-endian. */
export const packNetwork = (network: Network): Buffer => {
  const blocks = [network.w1, network.b1, network.w2, network.b2]
  const total = blocks.reduce((sum, block) => sum + block.length, 0)
  const file = Buffer.alloc(20 + total * 2)
  file.writeUInt32LE(network.hidden, 0)
  let at = 20
  blocks.forEach((block, index) => {
    const scale = block.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / 32_767
    file.writeFloatLE(scale, 4 + index * 4)
    for (const weight of block) {
      file.writeInt16LE(Math.max(-32_767, Math.min(32_767, Math.round(weight / scale))), at)
      at += 2
    }
  })
  return file
}

/** Reads what `packNetwork` wrote. Throws where the length is wrong. */
export const unpackNetwork = (file: Buffer): Network => {
  const hidden = file.readUInt32LE(0)
  const sizes = blockSizes(hidden)
  if (file.length !== 20 + 2 * sizes.reduce((sum, size) => sum + size, 0)) throw new Error('mrz network: wrong length')
  let at = 20
  const block = (index: 0 | 1 | 2 | 3): Float32Array => {
    const scale = file.readFloatLE(4 + index * 4)
    const from = at
    at += sizes[index] * 2
    return Float32Array.from({ length: sizes[index] }, (_, n) => file.readInt16LE(from + n * 2) * scale)
  }
  return { hidden, w1: block(0), b1: block(1), w2: block(2), b2: block(3) }
}

let loaded: Network | null = null

const readFile = (): Buffer => readFileSync(new URL('mrz_network.generated.bin', import.meta.url))

/** The trained network (`train/train_mrz.ts`), loaded once a process. */
export const mrzNetwork = (): Network => {
  loaded ??= unpackNetwork(readFile())
  return loaded
}

/** SHA-256 of the weights that zones are read with, in hex. */
export const mrzNetworkDigest = (): string => createHash('sha256').update(readFile()).digest('hex')

/** The hidden layer's activities, into `hidden`. */
export const hiddenLayer = (network: Network, cell: Float32Array, hidden: Float32Array): void => {
  for (let unit = 0; unit < network.hidden; unit++) {
    let sum = network.b1[unit] ?? 0
    const row = unit * inputs
    for (let at = 0; at < inputs; at++) sum += (network.w1[row + at] ?? 0) * (cell[at] ?? 0)
    hidden[unit] = Math.max(sum, 0)
  }
}

/** The probability of each class, from the hidden layer, into `into`. */
export const softmaxLayer = (network: Network, hidden: Float32Array, into: Float32Array): void => {
  let most = -Infinity
  for (let unit = 0; unit < outputs; unit++) {
    let sum = network.b2[unit] ?? 0
    const row = unit * network.hidden
    for (let at = 0; at < network.hidden; at++) sum += (network.w2[row + at] ?? 0) * (hidden[at] ?? 0)
    into[unit] = sum
    if (sum > most) most = sum
  }
  let total = 0
  for (let unit = 0; unit < outputs; unit++) {
    const power = Math.exp((into[unit] ?? 0) - most)
    into[unit] = power
    total += power
  }
  for (let unit = 0; unit < outputs; unit++) into[unit] = (into[unit] ?? 0) / total
}

/** How likely each character of `mrzAlphabet` is in a cell of `cellShape`; last, how likely it holds none. */
export const classify = (network: Network, cell: Float32Array): Float32Array => {
  const hidden = new Float32Array(network.hidden)
  const chances = new Float32Array(outputs)
  hiddenLayer(network, cell, hidden)
  softmaxLayer(network, hidden, chances)
  return chances
}
