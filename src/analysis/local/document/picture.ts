import sharp from 'sharp'
import { UnreadableImage } from '../face/pixels.ts'

/** Brightness only: a byte a pixel, rows from the top. */
export interface Grey {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** decisions.md, "HTTP", Sizes. */
const limit_pixels = 50_000_000

const starts = (image: Uint8Array, text: string, at: number): boolean =>
  Buffer.from(image.buffer, image.byteOffset + at, Math.min(text.length, Math.max(0, image.length - at))).equals(
    Buffer.from(text, 'latin1'),
  )

/** By content, never by name: only the three loaders that we allow are ever asked (SVG is on by default in sharp). */
const isAllowed = (image: Uint8Array): boolean =>
  image.length > 16 &&
  (starts(image, '\xff\xd8\xff', 0) ||
    starts(image, '\x89PNG\r\n\x1a\n', 0) ||
    (starts(image, 'RIFF', 0) && starts(image, 'WEBP', 8)))

/**
 * Decodes a JPEG, PNG or WebP to grey, upright by its EXIF orientation and at most `longest_side` pixels long. Throws
 * `UnreadableImage` for anything else, a truncated image or one beyond 50 megapixels.
 */
export const decodeGrey = async (image: Uint8Array, longest_side: number): Promise<Grey> => {
  if (!isAllowed(image)) throw new UnreadableImage('the image is not a JPEG, PNG or WebP')
  try {
    const { data, info } = await sharp(image, { limitInputPixels: limit_pixels, failOn: 'error' })
      .autoOrient()
      .resize({ width: longest_side, height: longest_side, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#808080' })
      .toColourspace('b-w')
      .raw()
      .toBuffer({ resolveWithObject: true })
    if (info.channels !== 1) throw new Error(`${info.channels} channels`)
    return { data, width: info.width, height: info.height }
  } catch (cause) {
    throw new UnreadableImage('the image cannot be decoded', { cause })
  }
}
