import type { PictureLimits } from './guidance/guide.ts'
import { encodeWithin, isWithin } from './picture_size.ts'

/**
 * Makes a picture that the service accepts: the same bytes, unless they or the pixels are too many. A picture that this
 * browser can't decode stays as it is, and the service says what is wrong with it.
 */
export async function shrink(picture: Blob, limits: PictureLimits): Promise<Blob> {
  const bitmap = await createImageBitmap(picture).catch(() => null)
  if (bitmap === null) return picture
  try {
    if (isWithin(picture, bitmap, limits)) return picture
    return await encodeWithin(bitmap, limits, ({ width, height }, quality) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width, height })
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0, width, height)
      return new Promise(resolve => {
        canvas.toBlob(smaller => resolve(smaller ?? picture), 'image/jpeg', quality)
      })
    })
  } finally {
    bitmap.close()
  }
}
