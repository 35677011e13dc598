import { ImageError } from '../errors.ts'

export interface ImageLimits {
  readonly max_bytes: number
  readonly max_megapixels: number
}

export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/webp'

/** The media types that are accepted. */
export const imageMediaTypes: readonly ImageMediaType[] = ['image/jpeg', 'image/png', 'image/webp']

/** Detects the type by the first bytes, before a decoder sees the rest: never SVG, GIF, TIFF or HEIF. */
export function detectMediaType(content: Uint8Array): ImageMediaType | null {
  const head = Buffer.from(content.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null
}

/** Returns the error for an image that cannot be used. */
export function unusableImage(why: string): ImageError {
  return new ImageError('unusable_capture', `image: ${why}`)
}

interface Decodable {
  readonly content: Uint8Array
  /** The least fault at which the decoder gives up. */
  readonly failOn: 'error' | 'warning'
}

/**
 * Adds the end marker to a JPEG that lacks it, as some cameras leave it and browsers show it; anything else stays as it
 * is. A decoder takes a missing marker for a missing part of the picture. Once the marker is there, a part that is
 * really missing is a warning.
 */
export function completeJpeg(content: Uint8Array): Decodable {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const last = (marker: string): number => bytes.lastIndexOf(marker, undefined, 'latin1')
  // A thumbnail in the metadata has markers of its own, before the picture's scan begins.
  if (detectMediaType(content) !== 'image/jpeg' || last('\xff\xd9') > last('\xff\xda'))
    return { content, failOn: 'error' }
  return { content: Buffer.concat([bytes, Buffer.from('\xff\xd9', 'latin1')]), failOn: 'warning' }
}

/**
 * Returns the media type of an uploaded image by its first bytes. The sender's word for it does not count: too many
 * call a JPEG `image/jpg` or `binary/octet-stream`.
 * @throws {ImageError} `too_large`, `unsupported_media_type`, `unusable_capture`
 */
export function requireMediaType(content: Uint8Array, { max_bytes }: ImageLimits): ImageMediaType {
  if (content.length > max_bytes) throw new ImageError('too_large', `image: must be at most ${max_bytes} bytes`)
  if (content.length === 0) throw unusableImage('is empty')
  const mediaType = detectMediaType(content)
  if (mediaType === null) throw new ImageError('unsupported_media_type', 'image: must be a JPEG, PNG or WebP image')
  return mediaType
}
