import { createHash } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'

/**
 * A picture of grain: 128 in each channel, up to half of `spread` more or less. The same at every run, where libvips'
 * own noise would be new each time.
 */
export function noise(width: number, height: number, spread: number): Sharp {
  const bytes = createHash('shake128', { outputLength: width * height * 3 }).digest()
  const grain = Uint8Array.from({ length: 256 }, (_, byte) => 128 + ((byte - 128) * spread) / 256)
  // Millions of bytes take a second by `map`.
  for (let at = 0; at < bytes.length; at++) bytes[at] = grain[bytes[at] ?? 0] ?? 0
  return sharp(bytes, { raw: { width, height, channels: 3 } })
}
