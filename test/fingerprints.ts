import type { ReplayFingerprint } from '@attestor/rules'
import { seeded } from '@attestor/vision/synthetic'

const box = [14, 14, 100, 100] as const

/** Draws an invented face's fingerprint, by which copies are found: `noise` makes a copy that was encoded again. */
export function drawFingerprint(seed: number, noise = 0): ReplayFingerprint {
  const { between } = seeded(seed)
  const waves = Array.from({ length: 30 }, () => [between(-0.6, 0.6), between(-0.6, 0.6), between(0, 6.3)] as const)
  const grain = seeded(seed + 1_000_000)
  const [left, top, width, height] = box
  const brightness = Uint8Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)]
    const value = waves.reduce((sum, [u, v, phase]) => sum + Math.sin(u * x + v * y + phase), 0)
    return Math.min(255, Math.max(0, 128 + 12 * value + noise * grain.between(-1, 1)))
  })
  const still = Array.from({ length: 33 }, (_, n) => [40 + (n % 6) * 10, 30 + Math.floor(n / 6) * 12]).flat()
  return {
    points: [...still, 42, 50, 86, 50],
    box: [left, top, width, height],
    brightness: Buffer.from(brightness).toString('base64'),
  }
}
