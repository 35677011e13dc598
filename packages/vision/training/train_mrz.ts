/**
 * Trains the classifier of MRZ characters on distorted OCR-B (`npm run train:mrz`) and writes
 * `mrz_network.generated.bin`. It takes a few CPU minutes; the same seed gives the same file. Optional arguments:
 * thousands of samples, and the number of the lesson: 0 starts over, later ones go on from the file, with more of the
 * signs that are confused most. `400 0` and then `200 1` made the file.
 */
import { writeFileSync } from 'node:fs'
import { type Random, seeded } from '../synthetic/random.ts'
import { createClassifier } from '../zone/classifier.ts'
import { cellShape, type Layer, loadMrzNetwork, mrzAlphabet, mrzClasses, unpackNetwork } from '../zone/network.ts'
import { drawGlyphs } from './glyphs.ts'
import { freshLayers, startLearner } from './learner.ts'
import { packNetwork } from './pack_network.ts'
import { grainTable } from './patch.ts'
import { distort, type Press } from './samples.ts'

const batch = 128
const thousands = Number(process.argv[2] ?? 400)
const lesson = Number(process.argv[3] ?? 0)
/** The seed is far from every one of a test or a bench. */
const seed = 910_000_002 + lesson
const [fastestRate, slowestRate] = lesson === 0 ? [0.002, 0.00002] : [0.00061, 0.00001]
/** Signs that differ in width and corners alone; they are a quarter of the later lessons. */
const round = '0ODQ'

/** Returns the share of fresh samples that a network reads rightly, by the reader's own arithmetic. */
function accuracy(network: readonly Layer[], press: Press, random: Random): number {
  const classify = createClassifier(network)
  let right = 0
  const cases = 1900
  for (let n = 0; n < cases; n++) {
    const chances = classify(distort(press, n % mrzClasses, random))
    if (chances.indexOf(Math.max(...chances)) === n % mrzClasses) right++
  }
  return right / cases
}

function drawLabel(random: Random): number {
  return lesson > 0 && random.next() < 0.25
    ? mrzAlphabet.indexOf(round.charAt(random.below(round.length)))
    : random.below(mrzClasses)
}

const random = seeded(seed)
const press: Press = { glyphs: await drawGlyphs(), grain: grainTable(random) }
const { learn, layers } = await startLearner(batch, lesson === 0 ? freshLayers(random) : loadMrzNetwork())
const steps = Math.round((thousands * 1000) / batch)
const size = cellShape.columns * cellShape.rows
const cells = new Float32Array(batch * size)
for (let step = 0; step < steps; step++) {
  const labels = Array.from({ length: batch }, () => drawLabel(random))
  for (const [n, label] of labels.entries()) cells.set(distort(press, label, random), n * size)
  // The rate is high at first, and lower and lower towards the end.
  const share = (1 + Math.cos((Math.PI * step) / steps)) / 2
  const loss = learn(cells, labels, slowestRate + (fastestRate - slowestRate) * share)
  if (step % 400 === 399) {
    console.log(`${step + 1}/${steps} loss ${loss} accuracy ${accuracy(layers(), press, seeded(seed + step))}`)
  }
}
const file = packNetwork(layers())
writeFileSync(new URL('../zone/mrz_network.generated.bin', import.meta.url), file)
console.log(`${file.length} bytes, accuracy ${accuracy(unpackNetwork(file), press, seeded(seed + 7))}`)
