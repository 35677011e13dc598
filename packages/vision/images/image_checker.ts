import { ImageError } from '../errors.ts'
import { ChildProcessError } from '../processes/child_process_error.ts'
import { type PoolStats, startPool } from '../processes/pool.ts'
import { childStartMs, type PoolLimits } from '../processes/pool_limits.ts'
import { machineClock, silentLog, type VisionClock, type VisionLog } from '../surroundings.ts'
import type { CheckedImage, CheckRequest, CheckResponse } from './check_image.ts'
import { requireMediaType, unusableImage } from './media_type.ts'

/** An uploaded image, and the subject that it should show. */
export interface UploadedImage extends Omit<CheckRequest, 'mediaType'> {
  /** Accounts are served side by side. */
  readonly accountId: string
}

/** Checks uploaded images in child processes, as a fault in a decoder ends its process. */
export interface ImageChecker {
  /** Resolves when the first child is ready. */
  readonly ready: Promise<void>
  /**
   * Checks an image by its content, in bounded memory and time, in a child that works on no other image meanwhile.
   * Its bytes may be freed afterwards.
   * @throws {ImageError} `too_large`, `unsupported_media_type`, `unusable_capture`, `unavailable`
   */
  check(image: UploadedImage): Promise<CheckedImage>
  stats(): Promise<PoolStats>
  stop(): Promise<void>
}

export interface ImageCheckerOptions {
  readonly clock?: VisionClock
  readonly log?: VisionLog
  /** Number of child processes. */
  readonly children?: number
  readonly limits?: Partial<PoolLimits>
  /** The children's program; tests have their own. */
  readonly entry?: URL
}

/**
 * A picture of the largest size takes about a second, and its child 290 MB. The limits allow for a slow
 * and busy machine, and stop only what must be a fault.
 */
const defaultLimits: PoolLimits = {
  timeLimitMs: 15_000,
  startLimitMs: childStartMs,
  heapLimitMb: 128,
  memoryLimitMb: 768,
  maxQueue: 64,
  recycleAfter: 5_000,
  recycleMb: 300,
}

const never = new AbortController().signal

function unavailable(message: string): ImageError {
  return new ImageError('unavailable', message)
}

function uncheckable(): ImageError {
  return unavailable('images cannot be checked now')
}

function toImageError(error: unknown): unknown {
  if (!(error instanceof ChildProcessError)) return error
  if (error.reason === 'failed') return unusableImage('is damaged or incomplete')
  return error.reason === 'full' ? unavailable('too many images at once') : uncheckable()
}

export function startImageChecker({
  clock = machineClock,
  log = silentLog,
  children = 1,
  ...options
}: ImageCheckerOptions = {}): ImageChecker {
  const pool = startPool<CheckRequest, CheckResponse>({
    clock,
    log,
    name: 'image',
    args: [],
    size: children,
    entry: options.entry ?? new URL('image_checker_child.ts', import.meta.url),
    limits: { ...defaultLimits, ...options.limits },
    // One account alone may use all children. While others upload, it leaves them one.
    share: { alone: children, beside: Math.max(1, children - 1) },
  })
  return {
    ready: pool.ready,
    async check({ accountId, ...request }) {
      const mediaType = requireMediaType(request.content, request.limits)
      const options = { signal: never, owner: accountId }
      const response = await pool.send({ ...request, mediaType }, options).catch((error: unknown) => {
        throw toImageError(error)
      })
      if ('image' in response) return response.image
      if ('error' in response) throw new ImageError(response.error.code, response.error.message)
      log.error({ error: response.fault }, 'no image can be decoded')
      throw uncheckable()
    },
    stats: pool.stats,
    stop: pool.stop,
  }
}
