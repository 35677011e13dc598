import type { RgbImage } from '../../../../engines/images/raster.ts'
import { encodeWithin, fitInside } from '../picture_size.ts'
import type { PictureLimits } from './guide.ts'

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
