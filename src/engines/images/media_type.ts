import { ApiError } from '../../base/api_error.ts'

export interface ImageLimits {
  readonly max_bytes: number
  readonly max_megapixels: number
}

export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/webp'

/** The media types that are accepted. */
export const imageMediaTypes: readonly ImageMediaType[] = ['image/jpeg', 'image/png', 'image/webp']

/** By the first bytes, before a decoder sees the rest: never SVG, GIF, TIFF or HEIF. */
export function detectMediaType(content: Uint8Array): ImageMediaType | null {
  const head = Buffer.from(content.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null
}

/** An image that cannot be used: 422. */
export function unusableImage(why: string): ApiError {
  return new ApiError('unusable_capture', `image: ${why}`)
}

/**
 * The media type of an uploaded image by its first bytes.
 * @throws {ApiError} `too_large`, `unsupported_media_type`, `unusable_capture`
 */
export function requireMediaType(
  content: Uint8Array,
  declaredType: string | null,
  { max_bytes }: ImageLimits,
): ImageMediaType {
  if (content.length > max_bytes) throw new ApiError('too_large', `image: must be at most ${max_bytes} bytes`)
  if (content.length === 0) throw unusableImage('is empty')
  const mediaType = detectMediaType(content)
  if (mediaType === null) throw new ApiError('unsupported_media_type', 'image: must be a JPEG, PNG or WebP image')
  if (declaredType !== null && declaredType !== mediaType)
    throw new ApiError('unsupported_media_type', `content-type: the image is ${mediaType}`)
  return mediaType
}
