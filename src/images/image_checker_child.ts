/**
 * The child process in which uploaded images are decoded: whatever one of them does to a decoder, the service goes on.
 * It gets no secrets and opens no connection. `photos.ts` starts it.
 */
import { ApiError } from '../base/api_error.ts'
import { serveRequests } from '../processes/serve.ts'
import { checkImage, restrictImageLoaders } from './check_image.ts'
import type { PhotoRequest, PhotoResponse } from './photo_wire.ts'

restrictImageLoaders()
serveRequests<PhotoRequest, PhotoResponse>(async ({ content, limits, subject }) => {
  try {
    return { facts: await checkImage(content, null, limits, subject) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
})
