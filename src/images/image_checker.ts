import { ApiError, unavailable } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { type Log, silentLog } from '../base/log.ts'
import { ChildProcessError } from '../processes/child_failed.ts'
import type { PoolLimits } from '../processes/limits.ts'
import { startChildren } from '../processes/pool.ts'
import { type PoolProcesses, processesOf } from '../processes/processes.ts'
import type { ImageFacts } from './check_image.ts'
import { type ImageLimits, recogniseImage, unusable } from './media_type.ts'
import type { PhotoRequest, PhotoResponse } from './photo_wire.ts'
import type { Subject } from './quality.ts'

/** An uploaded image, and what it should be and picture. */
export interface Upload {
  readonly content: Uint8Array
  readonly declared_type: string | null
  readonly limits: ImageLimits
  readonly subject: Subject
  /** Whose it is: accounts are served side by side. */
  readonly account_id: string
}

/** Where uploaded images are checked: in child processes, as a fault in a decoder ends the process that it is in. */
export interface Photos {
  /** Resolves when the first child is warm. */
  readonly ready: Promise<void>
  /**
   * Checks an image by its content, decoding all of it in bounded memory and time. One in whose hands a child ends is
   * tried once more in a child of its own, so that it suffers from no other.
   * @throws {ApiError} `too_large`, `unsupported_media_type`, `unusable_capture`, `unavailable`
   */
  check(upload: Upload): Promise<ImageFacts>
  processes(): Promise<PoolProcesses>
  stop(): Promise<void>
}

/** How they are checked. */
export interface PhotosOptions {
  readonly clock: Clock
  readonly log?: Log
  /** How many of them: setting `IMAGE_PROCESSES`. */
  readonly children: number
  readonly limits?: Partial<PoolLimits>
  /** The children's program, where a test brings its own. */
  readonly entry?: URL
}

/**
 * A picture of the largest size takes about a second, and a child with two of them 390 MB: the limits leave room for a
 * slow and busy machine, and stop what can only be a fault.
 */
const default_limits: PoolLimits = {
  time_limit_ms: 15_000,
  start_limit_ms: 30_000,
  heap_limit_mb: 128,
  memory_limit_mb: 768,
  queue: 64,
  recycle_after: 5_000,
  recycle_mb: 300,
}
/** One is decoded while another is measured. */
const at_once = 2

const never = new AbortController().signal

const toApiError = (error: unknown): unknown => {
  if (!(error instanceof ChildProcessError)) return error
  if (error.why === 'failed') return unusable('is damaged or incomplete')
  return unavailable(error.why === 'full' ? 'too many images at once' : 'images cannot be checked by now')
}

/** Starts the children that check uploaded images. */
export const startPhotos = ({ log = silentLog, children, ...options }: PhotosOptions): Photos => {
  const limits = { ...default_limits, ...options.limits }
  const entry = options.entry ?? new URL('image_checker_child.ts', import.meta.url)
  // Of one account as many as there are children fill as many cores. Beside others it leaves them one.
  const share = { alone: children, beside: Math.max(1, children - 1) }
  const shape = { name: 'photo', args: [], size: children, at_once, tries: 2, share } as const
  const pool = startChildren<PhotoRequest, PhotoResponse>({ ...shape, clock: options.clock, log, limits, entry })
  return {
    ready: pool.ready,
    async check({ declared_type, account_id: owner, ...question }) {
      const media_type = recogniseImage(question.content, declared_type, question.limits)
      const answer = await pool.ask(question, { signal: never, owner }).catch((error: unknown) => {
        throw toApiError(error)
      })
      if ('facts' in answer) return { ...answer.facts, media_type }
      throw new ApiError(answer.refused.code, answer.refused.message)
    },
    processes: () => processesOf(pool),
    stop: pool.stop,
  }
}
