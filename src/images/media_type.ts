import { ApiError } from '../base/api_error.ts'

/** decisions.md, "HTTP", sizes. */
export interface ImageLimits {
  readonly max_bytes: number
  readonly max_megapixels: number
}

/** One of `image_types`. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/webp'

/** The media types that are taken. */
export const image_types: readonly ImageType[] = ['image/jpeg', 'image/png', 'image/webp']

/** By the first bytes, before any decoder sees the rest (never SVG, GIF, TIFF, HEIF …). */
const typeOf = (content: Uint8Array): ImageType | null => {
  const head = Buffer.from(content.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null
}

/** 422: a picture that can't be used. */
export const unusable = (why: string): ApiError => new ApiError('unusable_capture', `image: ${why}`)

/**
 * What an uploaded image says it is, by its first bytes.
 * @throws {ApiError} `too_large`, `unsupported_media_type`, `unusable_capture` for one that no decoder needs to see
 */
export const recogniseImage = (
  content: Uint8Array,
  declared_type: string | null,
  { max_bytes }: ImageLimits,
): ImageType => {
  if (content.length > max_bytes) throw new ApiError('too_large', `image: must be at most ${max_bytes} bytes`)
  if (content.length === 0) throw unusable('is empty')
  const media_type = typeOf(content)
  if (media_type === null) throw new ApiError('unsupported_media_type', 'image: must be a JPEG, PNG or WebP image')
  if (declared_type !== null && declared_type !== media_type)
    throw new ApiError('unsupported_media_type', `content-type: the image is ${media_type}`)
  return media_type
}
