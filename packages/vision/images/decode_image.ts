import sharp, { type Sharp } from 'sharp'
import { asError } from '../errors.ts'
import { isAffordable } from './decode_cost.ts'
import { decodeJpeg2000 } from './jpeg2000.ts'
import { completeJpeg, detectMediaType } from './media_type.ts'
import { downsample, type RgbImage } from './raster.ts'

/**
 * An image that cannot be decoded, or is too large. The service decodes each upload before it stores it, so this is the
 * engine's failure and no finding: if a decoder gets no memory, that must not mean that a selfie shows no face.
 */
export class UnreadableImageError extends Error {
  override name = 'UnreadableImage'
  constructor(cause: unknown) {
    super(`the image cannot be decoded: ${asError(cause).message}`, { cause })
  }
}

const maxPixels = 200_000_000

/**
 * Opens a picture upright by its EXIF orientation, shrunk to `maxSide`, with grey for transparent pixels. Rejects if
 * its header shows that decoding costs too much.
 */
export async function openPicture(image: Uint8Array, maxSide: number): Promise<Sharp> {
  // Without its loaders restricted, libvips would also decode SVG and others.
  if (detectMediaType(image) === null) throw new Error('it is not a JPEG, PNG or WebP')
  const { content, failOn } = completeJpeg(image)
  const picture = sharp(content, { limitInputPixels: maxPixels, failOn })
  if (!isAffordable(await picture.metadata())) throw new Error('it would take too much to decode')
  return picture
    .autoOrient()
    .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#808080' })
}

/**
 * Decodes a JPEG, PNG or WebP, upright by its EXIF orientation, shrunk so that the longer side is at most `maxSide`
 * pixels. Throws `UnreadableImageError`.
 */
export async function decodeImage(image: Uint8Array, maxSide: number): Promise<RgbImage> {
  try {
    const picture = await openPicture(image, maxSide)
    const { data, info } = await picture.toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true })
    if (info.channels !== 3) throw new Error(`${info.channels} channels`)
    return { width: info.width, height: info.height, data }
  } catch (cause) {
    throw new UnreadableImageError(cause)
  }
}

/** Decodes the portrait of a chip, which may be a JPEG 2000 too. Throws `UnreadableImageError`. */
export async function decodePortrait(image: Uint8Array, maxSide: number): Promise<RgbImage> {
  if (detectMediaType(image) !== null) return decodeImage(image, maxSide)
  try {
    return downsample(await decodeJpeg2000(image), maxSide)
  } catch (cause) {
    throw new UnreadableImageError(cause)
  }
}
