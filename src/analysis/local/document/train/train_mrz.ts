/**
 * Trains the classifier of MRZ characters on distorted OCR-B (`npm run train:mrz`) and writes
 * `mrz_network.generated.bin`. A few CPU minutes; the same seed gives the same file. Optional argument: thousands of samples.
 */
import { writeFileSync } from 'node:fs'
import { type Random, seeded } from '../../../../synthetic/random.ts'
import {
  blockSizes,
  classify,
  hiddenLayer,
  type Network,
  packNetwork,
  softmaxLayer,
  unpackNetwork,
} from '../network.ts'
import { distort, drawGlyphs, type Glyph, weigh } from './samples.ts'

const hidden = 112
const batch = 32
/** The alphabet, and the class of cells that hold no character. */
const classes = 38
/** Far from every seed of a test or a bench. */
const seed = 910_000_001

const freshNetwork = (random: Random): Network => {
  const [w1, b1, w2, b2] = blockSizes(hidden)
  const spread = (size: number, deviation: number): Float32Array =>
    Float32Array.from({ length: size }, () => random.normal() * deviation)
  return { hidden, w1: spread(w1, 0.08), b1: spread(b1, 0), w2: spread(w2, 0.15), b2: spread(b2, 0) }
}

/** Adam's state for one block of weights. */
interface Block {
  readonly weights: Float32Array
  readonly gradient: Float32Array
  readonly mean: Float32Array
  readonly square: Float32Array
}

const blockOf = (weights: Float32Array): Block => ({
  weights,
  gradient: new Float32Array(weights.length),
  mean: new Float32Array(weights.length),
  square: new Float32Array(weights.length),
})

const update = ({ weights, gradient, mean, square }: Block, rate: number): void => {
  for (let at = 0; at < weights.length; at++) {
    const slope = (gradient[at] ?? 0) / batch
    const m = 0.9 * (mean[at] ?? 0) + 0.1 * slope
    const s = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope
    mean[at] = m
    square[at] = s
    weights[at] = (weights[at] ?? 0) - (rate * m) / (Math.sqrt(s) + 1e-6)
    gradient[at] = 0
  }
}

/** One sample forward and backward; its gradients are added to the blocks'. */
const learn = (
  network: Network,
  blocks: readonly [Block, Block, Block, Block],
  cell: Float32Array,
  label: number,
): void => {
  const active = new Float32Array(hidden)
  const error = new Float32Array(classes)
  hiddenLayer(network, cell, active)
  softmaxLayer(network, active, error)
  error[label] = (error[label] ?? 0) - 1
  const [w1, b1, w2, b2] = blocks
  const back = new Float32Array(hidden)
  for (let unit = 0; unit < classes; unit++) {
    const delta = error[unit] ?? 0
    b2.gradient[unit] = (b2.gradient[unit] ?? 0) + delta
    for (let at = 0; at < hidden; at++) {
      const index = unit * hidden + at
      w2.gradient[index] = (w2.gradient[index] ?? 0) + delta * (active[at] ?? 0)
      back[at] = (back[at] ?? 0) + delta * (w2.weights[index] ?? 0)
    }
  }
  for (let unit = 0; unit < hidden; unit++) {
    if ((active[unit] ?? 0) <= 0) continue
    const delta = back[unit] ?? 0
    b1.gradient[unit] = (b1.gradient[unit] ?? 0) + delta
    const row = unit * cell.length
    for (let at = 0; at < cell.length; at++) {
      w1.gradient[row + at] = (w1.gradient[row + at] ?? 0) + delta * (cell[at] ?? 0)
    }
  }
}

const accuracy = (network: Network, glyphs: readonly (readonly Glyph[])[], random: Random): number => {
  let right = 0
  const cases = 3800
  for (let n = 0; n < cases; n++) {
    const chances = classify(network, distort(glyphs, n % classes, random))
    if (chances.indexOf(Math.max(...chances)) === n % classes) right++
  }
  return right / cases
}

const glyphs = weigh(await drawGlyphs())
const random = seeded(seed)
const network = freshNetwork(random)
const blocks = [blockOf(network.w1), blockOf(network.b1), blockOf(network.w2), blockOf(network.b2)] as const
const steps = Math.round((Number(process.argv[2] ?? 600) * 1000) / batch)
for (let step = 0; step < steps; step++) {
  for (let n = 0; n < batch; n++) {
    const label = random.below(classes)
    learn(network, blocks, distort(glyphs, label, random), label)
  }
  const rate = 0.002 * (1 - step / steps) + 0.00002
  for (const block of blocks) update(block, rate)
  if (step % 1000 === 999)
    console.log(`${step + 1}/${steps} accuracy ${accuracy(network, glyphs, seeded(seed + step))}`)
}
const file = packNetwork(network)
writeFileSync(new URL('../mrz_network.generated.bin', import.meta.url), file)
console.log(`${file.length} bytes, accuracy ${accuracy(unpackNetwork(file), glyphs, seeded(seed + 7))}`)
