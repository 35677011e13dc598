import sharp, { type Sharp } from 'sharp'
import type { RgbImage } from '../../../images/raster.ts'
import { decode, openPicture, UnreadableImage } from '../face/pixels.ts'

/** Brightness only: a byte a pixel, rows from the top. */
export interface Grey {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

const greyOf = async (picture: Sharp): Promise<Grey> => {
  const { data, info } = await picture.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== 1) throw new Error(`${info.channels} channels`)
  return { data, width: info.width, height: info.height }
}

/**
 * Decodes a JPEG, PNG or WebP to grey, upright by its EXIF orientation and at most `longest_side` pixels long. Throws
 * `UnreadableImage` for anything else, a truncated image or one beyond 50 megapixels.
 */
export const decodeGrey = async (image: Uint8Array, longest_side: number): Promise<Grey> => {
  try {
    return await greyOf(await openPicture(image, longest_side))
  } catch (cause) {
    throw new UnreadableImage('the image cannot be decoded', { cause })
  }
}

/** The picture at so many times its size, smooth between its pixels. */
export const enlargeGrey = async ({ data, width, height }: Grey, times: number): Promise<Grey> => {
  const size = { width: Math.round(width * times), height: Math.round(height * times) }
  const raw = { width, height, channels: 1 } as const
  return greyOf(sharp(data, { raw }).resize({ ...size, kernel: 'cubic', fit: 'fill' }))
}

/** A document's photo as its zone, its barcode and its portrait are looked for in it. */
export interface DocumentPicture {
  readonly pixels: RgbImage
  readonly grey: Grey
}

/** The longer side to which a document's photo is shrunk, in pixels: its portrait is a small part of it. */
const document_side = 2000

const decodeDocument = async (image: Uint8Array): Promise<DocumentPicture> => {
  const pixels = await decode(image, document_side)
  const { data, width, height } = pixels
  return { pixels, grey: await greyOf(sharp(data, { raw: { width, height, channels: 3 } })) }
}

const decoded = new WeakMap<Uint8Array, Promise<DocumentPicture>>()

/** The photo, at most 2000 pixels long; decoded once, however many look at it. Rejects with `UnreadableImage`. */
export const documentPicture = (image: Uint8Array): Promise<DocumentPicture> => {
  const known = decoded.get(image) ?? decodeDocument(image)
  decoded.set(image, known)
  return known
}
