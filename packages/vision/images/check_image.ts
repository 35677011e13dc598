import sharp, { type Sharp } from 'sharp'
import { asError, ImageError, type ImageErrorCode } from '../errors.ts'
import { isAffordable } from './decode_cost.ts'
import { completeJpeg, type ImageLimits, type ImageMediaType, unusableImage } from './media_type.ts'
import { maxMeasuredSide, measureQuality, type Quality, type Subject } from './picture_quality.ts'
import { releasePixels } from './release_pixels.ts'
import { findWarnings, type WarningCode } from './warnings.ts'

/** An image that was decoded whole without a fault. */
export interface CheckedImage {
  readonly media_type: ImageMediaType
  readonly width: number
  readonly height: number
  /** Advice to the person for a better picture; the image is accepted all the same. */
  readonly warnings: readonly WarningCode[]
}

/** A decoded image with its measurements. */
export interface MeasuredImage extends Omit<CheckedImage, 'warnings'> {
  readonly quality: Quality
}

/** A request to decode and measure an image as a picture of `subject`. Its first bytes are those of `mediaType`. */
export interface CheckRequest {
  readonly content: Uint8Array
  readonly mediaType: ImageMediaType
  readonly limits: ImageLimits
  readonly subject: Subject
}

/** A smaller picture holds no face and no document. */
const minSide = 64
const maxDecodeSeconds = 10

/**
 * Returns whether a PNG is animated (PNG 3rd edition, acTL): a viewer that supports it would show another picture than
 * the judged one. The file is read chunk by chunk, because the content of another chunk may look like it, and to its
 * end, as lenient viewers do.
 */
function isAnimatedPng(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'acTL') return true
  return false
}

/**
 * Decodes all of the picture once, to a small raster from which every measure is taken; a JPEG is shrunk while it is
 * decoded. The raster's memory is released at once. Left to the garbage collector, every hundred rasters caused a full
 * collection, a third of a busy node's CPU.
 */
async function readQuality(picture: Sharp, subject: Subject): Promise<Quality> {
  const size = { width: maxMeasuredSide, height: maxMeasuredSide, fit: 'inside', withoutEnlargement: true } as const
  const small = picture.resize(size).flatten({ background: '#808080' }).toColourspace('srgb')
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true })
  const quality = measureQuality(subject, { data, width: info.width, height: info.height })
  releasePixels(data)
  return quality
}

/** @throws {ImageError} for an unacceptable image; also passes on the decoder's errors */
export async function measureImage({
  content: sent,
  mediaType,
  limits,
  subject,
}: CheckRequest): Promise<MeasuredImage> {
  const { content, failOn } = completeJpeg(sent)
  const options = { failOn, limitInputPixels: false, sequentialRead: true } as const
  const header = await sharp(content, options).metadata()
  const { width, height, pages } = header
  if (width * height > limits.max_megapixels * 1_000_000)
    throw new ImageError('too_large', `image: must be at most ${limits.max_megapixels} megapixels`)
  if (!isAffordable(header))
    throw new ImageError('too_large', 'image: has too many pixels for its encoding: send a baseline JPEG')
  if ((pages ?? 1) > 1 || (mediaType === 'image/png' && isAnimatedPng(content)))
    throw unusableImage('must not be animated')
  if (Math.min(width, height) < minSide) throw unusableImage(`must be at least ${minSide} pixels wide and high`)
  const whole = sharp(content, { ...options, limitInputPixels: limits.max_megapixels * 1_000_000 })
  const quality = await readQuality(whole.timeout({ seconds: maxDecodeSeconds }), subject)
  return { media_type: mediaType, width, height, quality }
}

/** A white pixel as a PNG. */
const soundImage = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4//8/AAX+Av7czFnnAAAAAElFTkSuQmCC',
  'base64',
)

/** The decoder has no thread or no memory left. The image is not at fault: a sound one can't be decoded either. */
class DecoderError extends Error {
  override name = 'DecoderError'
}

async function toCheckError(error: unknown): Promise<Error> {
  if (error instanceof ImageError) return error
  const fault = await sharp(soundImage)
    .raw()
    .toBuffer()
    .then(() => null, asError)
  // The decoder's own messages are not for callers.
  return fault === null ? unusableImage('is damaged or incomplete') : new DecoderError(fault.message, { cause: error })
}

/**
 * Checks an image by its content: decodes all of it in bounded memory and time. For the child processes of
 * `image_checker.ts`.
 * @throws {ImageError} `too_large`, `unusable_capture`
 */
export async function checkImage(request: CheckRequest): Promise<CheckedImage> {
  const { quality, ...image } = await measureImage(request).catch(async error => {
    throw await toCheckError(error)
  })
  return { ...image, warnings: findWarnings(request.subject, { ...image, quality }) }
}

/**
 * The answer of a child. An `error` is one for the caller; a `fault` is not: it states why no image can be decoded now.
 */
export type CheckResponse =
  | { readonly image: CheckedImage }
  | { readonly error: { readonly code: ImageErrorCode; readonly message: string } }
  | { readonly fault: string }

/** Answers with the result of `checkImage`, as a child does. */
export async function respondToCheck(request: CheckRequest): Promise<CheckResponse> {
  try {
    return { image: await checkImage(request) }
  } catch (error) {
    if (error instanceof DecoderError) return { fault: error.message }
    if (!(error instanceof ImageError)) throw error
    return { error: { code: error.code, message: error.message } }
  }
}
