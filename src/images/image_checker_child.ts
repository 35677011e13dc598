/**
 * The child process in which uploaded images are decoded: an image that crashes a decoder does not harm the service. It
 * has no secrets and opens no connection. `image_checker.ts` starts it.
 */
import { ApiError } from '../base/api_error.ts'
import { serveRequests } from '../processes/serve.ts'
import { type CheckRequest, checkImage } from './check_image.ts'
import type { CheckResponse } from './image_checker.ts'
import { restrictImageLoaders } from './image_loaders.ts'

restrictImageLoaders()
serveRequests<CheckRequest, CheckResponse>(async request => {
  try {
    return { image: await checkImage(request) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { error: { code: error.code, message: error.message } }
  }
})
