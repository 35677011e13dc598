import type { PictureLimits } from './guidance/guide.ts'
import type { FullSize } from './guidance/watch.ts'

/** Shrinks a size to a longer side. */
export function fitInside({ width, height }: FullSize, side: number): FullSize {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Encodes the picture at a size; `quality` is 0 to 1. */
export type EncodeJpeg = (size: FullSize, quality: number) => Promise<Blob>

/** At the first quality hardly anything is lost; the others are for pictures that are too large. */
const qualities = [0.92, 0.8, 0.6] as const

/** At this size a picture still shows every letter of a document, and every browser's canvas takes it. */
const enoughPixels = 12_000_000

/** Whether a picture is accepted as it is. */
export function isWithin({ size }: Blob, { width, height }: FullSize, limits: PictureLimits): boolean {
  return size <= limits.max_bytes && width * height <= limits.max_megapixels * 1_000_000
}

/** A picture as JPEG within the limits, at most twelve megapixels. */
export async function encodeWithin(
  full: FullSize,
  { max_bytes, max_megapixels }: PictureLimits,
  encode: EncodeJpeg,
): Promise<Blob> {
  const share = Math.sqrt(Math.min(1, Math.min(enoughPixels, max_megapixels * 1_000_000) / (full.width * full.height)))
  for (let side = Math.floor(Math.max(full.width, full.height) * share); ; side = Math.floor(side / 2))
    for (const quality of qualities) {
      const jpeg = await encode(fitInside(full, side), quality)
      if (jpeg.size <= max_bytes || side < 64) return jpeg
    }
}
