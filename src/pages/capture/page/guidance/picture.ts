import type { RgbImage } from '../../../../engines/images/raster.ts'
import type { PictureLimits } from './guide.ts'
import type { FullSize } from './watch.ts'

/** Shrinks a size to a longer side. */
function fitInside({ width, height }: FullSize, side: number): FullSize {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

function dropAlpha(rgba: Uint8ClampedArray): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from] ?? 0
    rgb[to + 1] = rgba[from + 1] ?? 0
    rgb[to + 2] = rgba[from + 2] ?? 0
  }
  return rgb
}

/** Reads the pixels of bitmaps, shrunk to a longer side of this many pixels. One canvas serves all. */
export function createReader(): (bitmap: ImageBitmap, side: number) => RgbImage {
  const canvas = new OffscreenCanvas(1, 1)
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  if (context === null) throw new Error('no canvas')
  return (bitmap, side) => {
    const { width, height } = fitInside(bitmap, side)
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    context.imageSmoothingQuality = 'high'
    context.drawImage(bitmap, 0, 0, width, height)
    return { data: dropAlpha(context.getImageData(0, 0, width, height).data), width, height }
  }
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

/** A bitmap as JPEG, off the page's thread. */
export function encodeBitmap(bitmap: ImageBitmap, limits: PictureLimits): Promise<Blob> {
  return encodeWithin(bitmap, limits, ({ width, height }, quality) => {
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d', { alpha: false })
    if (context === null) throw new Error('no canvas')
    context.imageSmoothingQuality = 'high'
    context.drawImage(bitmap, 0, 0, width, height)
    return canvas.convertToBlob({ type: 'image/jpeg', quality })
  })
}
