import type { PictureLimits } from './guidance/guide.ts'

const megapixel = 1_000_000
/** At this size a picture still shows every letter of a document. */
const enoughPixels = 12 * megapixel

/**
 * Makes a picture that the service accepts: the same bytes, unless they are too many. A picture that this browser can't
 * decode stays as it is, and the service says what is wrong with it.
 */
export async function shrink(picture: Blob, { max_bytes, max_megapixels }: PictureLimits): Promise<Blob> {
  if (picture.size <= max_bytes) return picture
  const bitmap = await createImageBitmap(picture).catch(() => null)
  if (bitmap === null) return picture
  const pixels = bitmap.width * bitmap.height
  const scale = Math.min(1, Math.sqrt(Math.min(enoughPixels, max_megapixels * megapixel) / pixels))
  const canvas = document.createElement('canvas')
  canvas.width = Math.floor(bitmap.width * scale)
  canvas.height = Math.floor(bitmap.height * scale)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return new Promise(resolve => {
    canvas.toBlob(smaller => resolve(smaller ?? picture), 'image/jpeg', 0.9)
  })
}
