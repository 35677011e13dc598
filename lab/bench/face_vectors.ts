import { seeded } from '@attestor/vision/synthetic'

const length = 192

/** Deviation of the distances of strangers, whose mean is 1 (lab/bench/results/unseen-faces.md). */
const deviation = 0.161

/** Variances that fall by this factor give cosines of strangers that deviation. */
const ratio = (1 - deviation ** 2) / (1 + deviation ** 2)

/** The scales are in no order, like a network's numbers: 77 and 192 have no common factor. */
const scales = Array.from({ length }, (_, n) => ratio ** (((n * 77) % length) / 2))

/** Draws faces as vectors of 192 numbers: those of strangers, by the distances that were measured. */
export function drawVectors(seed: number): () => readonly number[] {
  const { next } = seeded(seed)
  /** Draws from the standard normal distribution (Box and Muller). */
  const drawNormal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return () => scales.map(scale => scale * drawNormal())
}
