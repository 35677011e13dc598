import sharp, { type Sharp } from 'sharp'
import { decodeImage, openPicture, UnreadableImageError } from './decode_image.ts'
import type { RgbImage } from './raster.ts'

/** A picture of brightness alone: a byte a pixel, rows from the top. */
export interface GreyImage {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

async function toGrey(picture: Sharp): Promise<GreyImage> {
  const { data, info } = await picture.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== 1) throw new Error(`${info.channels} channels`)
  return { data, width: info.width, height: info.height }
}

/**
 * Decodes a JPEG, PNG or WebP to grey, upright by its EXIF orientation and at most `maxSide` pixels long. Throws
 * `UnreadableImageError` for anything else, a truncated image or one beyond 200 megapixels.
 */
export async function decodeGrey(image: Uint8Array, maxSide: number): Promise<GreyImage> {
  try {
    return await toGrey(await openPicture(image, maxSide))
  } catch (cause) {
    throw new UnreadableImageError(cause)
  }
}

/** Returns the picture at so many times its size, smooth between its pixels. */
export async function enlargeGrey({ data, width, height }: GreyImage, times: number): Promise<GreyImage> {
  const size = { width: Math.round(width * times), height: Math.round(height * times) }
  const raw = { width, height, channels: 1 } as const
  return toGrey(sharp(data, { raw }).resize({ ...size, kernel: 'cubic', fit: 'fill' }))
}

/** A decoded image of a document, for its zone, its barcode and its portrait. */
export interface DocumentPicture {
  readonly pixels: RgbImage
  readonly grey: GreyImage
}

/** A document's image is shrunk to this. Its portrait is a small part of it. */
const maxDocumentSide = 2000

async function decodeOnce(image: Uint8Array): Promise<DocumentPicture> {
  const pixels = await decodeImage(image, maxDocumentSide)
  const { data, width, height } = pixels
  return { pixels, grey: await toGrey(sharp(data, { raw: { width, height, channels: 3 } })) }
}

const decoded = new WeakMap<Uint8Array, Promise<DocumentPicture>>()

/** Decodes the photo, at most 2000 pixels long, once for all its readers. Rejects with `UnreadableImageError`. */
export function decodeDocument(image: Uint8Array): Promise<DocumentPicture> {
  const known = decoded.get(image) ?? decodeOnce(image)
  decoded.set(image, known)
  return known
}
