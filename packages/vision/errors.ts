/**
 * With `too_large`, `unsupported_media_type` and `unusable_capture` the image itself is at fault. With `unavailable`
 * nothing can be checked now, and the same image may be accepted later.
 */
export type ImageErrorCode = 'too_large' | 'unsupported_media_type' | 'unusable_capture' | 'unavailable'

/** An uploaded image that is not accepted. The message is for its sender. */
export class ImageError extends Error {
  override name = 'ImageError'
  readonly code: ImageErrorCode

  constructor(code: ImageErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Returns an Error for anything that was thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
