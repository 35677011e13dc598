import type { Measured } from '@attestor/rules'
import { cutSquare } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import type { LivenessModel } from '../own_model_files.ts'
import { toColours } from './embedding.ts'
import type { RunNetwork } from './face_models.ts'
import type { Face } from './faces.ts'

/** A passive liveness network that is loaded. */
export interface PassiveLiveness {
  readonly model: LivenessModel
  readonly run: RunNetwork
}

function toShares(numbers: Float32Array): Float32Array {
  const most = Math.max(...numbers)
  const powers = numbers.map(value => Math.exp(value - most))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map(power => power / sum)
}

/**
 * Measures a passive liveness network's certainty of a live person, beside its limit. It sees the level square around
 * the face.
 */
export async function measurePresence(
  { model, run }: PassiveLiveness,
  pixels: RgbImage,
  { landmarks, width }: Face,
): Promise<Measured> {
  const { input, surroundings, live_output, softmax, limit } = model
  const xs = landmarks.points.map(([x]) => x)
  const ys = landmarks.points.map(([, y]) => y)
  const x = (Math.min(...xs) + Math.max(...xs)) / 2
  const y = (Math.min(...ys) + Math.max(...ys)) / 2
  const side = surroundings * width
  const scale = side / input.side
  const square = { a: scale, b: 0, tx: x - side / 2 + scale / 2, ty: y - side / 2 + scale / 2 }
  const range = [(0 - input.mean) / input.divisor, (255 - input.mean) / input.divisor] as const
  const [numbers = new Float32Array()] = await run(
    toColours(cutSquare(pixels, square, input.side, range), input.colours),
  )
  const score = (softmax ? toShares(numbers) : numbers)[live_output]
  return { score: score ?? Number.NaN, threshold: limit }
}
