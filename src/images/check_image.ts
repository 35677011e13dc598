import sharp, { type Sharp } from 'sharp'
import { ApiError } from '../base/api_error.ts'
import { releaseBuffer } from '../base/release_buffer.ts'
import { isAffordable } from './decode_cost.ts'
import { type ImageLimits, type ImageType, recogniseImage, unusable } from './media_type.ts'
import { measured_side, measureQuality, type Quality, type Subject } from './quality.ts'

/** What an image is by its content. */
export interface ImageFacts {
  readonly media_type: ImageType
  readonly width: number
  readonly height: number
  readonly quality: Quality
}

/** Too little to hold a face or a document. */
const smallest_side = 64
const longest_decode_s = 10

/** For the start of a child that decodes: this process reads JPEG, PNG and WebP only, from memory only, and caches nothing. */
export const restrictImageLoaders = (): void => {
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
  })
}

/**
 * Whether a PNG is animated (PNG 3rd edition, acTL): viewers that know would show a person another picture than the one
 * that was judged. Chunk by chunk, as text inside of one could pretend to be another; after the picture too, for viewers
 * that are lenient.
 */
const isAnimatedPng = (content: Uint8Array): boolean => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'acTL') return true
  return false
}

/**
 * All of a picture is decoded, once, and what is made of it is small: a JPEG is shrunk while it is decoded, and every
 * measure is taken from this one raster. Its memory is given back at once: left to the garbage collector, V8 runs a full
 * collection for every hundred of them, which took a third of a busy node's CPU.
 */
const qualityOf = async (picture: Sharp, subject: Subject): Promise<Quality> => {
  const size = { width: measured_side, height: measured_side, fit: 'inside', withoutEnlargement: true } as const
  const small = picture.resize(size).flatten({ background: '#808080' }).toColourspace('srgb')
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true })
  const quality = measureQuality(subject, { data, width: info.width, height: info.height })
  releaseBuffer(data)
  return quality
}

const decode = async (
  content: Uint8Array,
  media_type: ImageType,
  limits: ImageLimits,
  subject: Subject,
): Promise<ImageFacts> => {
  const options = { failOn: 'error', limitInputPixels: false, sequentialRead: true } as const
  const header = await sharp(content, options).metadata()
  const { width, height, pages } = header
  if (width * height > limits.max_megapixels * 1_000_000)
    throw new ApiError('too_large', `image: must be at most ${limits.max_megapixels} megapixels`)
  if (!isAffordable(header))
    throw new ApiError('too_large', 'image: has too many pixels for how it is encoded: send a baseline JPEG')
  if ((pages ?? 1) > 1 || (media_type === 'image/png' && isAnimatedPng(content))) throw unusable('must not be animated')
  if (Math.min(width, height) < smallest_side) throw unusable(`must be at least ${smallest_side} pixels wide and high`)
  const whole = sharp(content, { ...options, limitInputPixels: limits.max_megapixels * 1_000_000 })
  const quality = await qualityOf(whole.timeout({ seconds: longest_decode_s }), subject)
  return { media_type, width, height, quality }
}

/**
 * In a child process (`photos.ts`): checks an uploaded image by its content, decoding all of it once in bounded memory and time, and measures it as what
 * it should picture.
 * @throws {ApiError} `too_large`, `unsupported_media_type`, `unusable_capture`
 */
export const checkImage = async (
  content: Uint8Array,
  declared_type: string | null,
  limits: ImageLimits,
  subject: Subject,
): Promise<ImageFacts> => {
  const media_type = recogniseImage(content, declared_type, limits)
  return decode(content, media_type, limits, subject).catch(error => {
    // Whatever the decoder says of it, the picture can't be used; its words are not for callers.
    throw error instanceof ApiError ? error : unusable('is damaged or incomplete')
  })
}
