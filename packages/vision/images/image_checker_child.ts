/**
 * The child process in which uploaded images are decoded: an image that crashes a decoder does not harm the service. It
 * has no secrets and opens no connection. `image_checker.ts` starts it.
 */
import { serveRequests } from '../processes/serve.ts'
import { type CheckRequest, type CheckResponse, respondToCheck } from './check_image.ts'
import { restrictImageLoaders } from './image_loaders.ts'

restrictImageLoaders()
serveRequests<CheckRequest, CheckResponse>(respondToCheck)
