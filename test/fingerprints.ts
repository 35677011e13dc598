import type { ReplayFingerprint } from '@attestor/rules'
import { seeded } from '@attestor/vision/synthetic'

const box = [14, 14, 100, 100] as const

/** Draws an invented face's fingerprint, by which copies are found: `noise` makes a copy that was encoded again. */
export function drawFingerprint(seed: number, noise = 0): ReplayFingerprint {
  const { between } = seeded(seed)
  const waves = Array.from({ length: 30 }, () => [between(-0.6, 0.6), between(-0.6, 0.6), between(0, 6.3)] as const)
  const grain = seeded(seed + 1_000_000)
  const [left, top, width, height] = box
  // The sine of a sum is that of its parts: a sine for each pixel and wave would take a tenth of a second.
  const sums = new Float64Array(width * height)
  for (const [u, v, phase] of waves) {
    const sines = Float64Array.from({ length: width }, (_, x) => Math.sin(u * x))
    const cosines = Float64Array.from({ length: width }, (_, x) => Math.cos(u * x))
    for (let y = 0, at = 0; y < height; y++) {
      const sine = Math.sin(v * y + phase)
      const cosine = Math.cos(v * y + phase)
      for (let x = 0; x < width; x++, at++)
        sums[at] = (sums[at] ?? 0) + (sines[x] ?? 0) * cosine + (cosines[x] ?? 0) * sine
    }
  }
  const brightness = Uint8Array.from(sums, value =>
    Math.min(255, Math.max(0, 128 + 12 * value + noise * grain.between(-1, 1))),
  )
  const still = Array.from({ length: 33 }, (_, n) => [40 + (n % 6) * 10, 30 + Math.floor(n / 6) * 12]).flat()
  return {
    points: [...still, 42, 50, 86, 50],
    box: [left, top, width, height],
    brightness: Buffer.from(brightness).toString('base64'),
  }
}
