import { type ApiError, unavailable } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'

/** A device sends one image after another. Some at once may be retries beside their first attempts. */
const maxPerTransaction = 4

/** An upload is measured over so long. */
const windowMs = 2000
/** Slower ones give way where memory is short, in bytes a millisecond: an image of 2 MB would take two minutes. */
const minRate = 16

/** One upload, from its first byte until its image is stored or rejected. */
export interface UploadReservation {
  /** Counts bytes as they come in. @throws {ApiError} `unavailable` where the node holds too many */
  readonly hold: (bytes: number) => void
  /** All of it is there: it no longer gives way. */
  readonly complete: () => void
  /** Aborted, with the error for its caller, where it gives way. It holds nothing from then on. */
  readonly signal: AbortSignal
  /** Releases all that it held. */
  readonly end: () => void
}

export interface UploadOwner {
  readonly transaction_id: string
  readonly account_id: string
  /** The caller's address, or its IPv6 network of 64 bits. */
  readonly network: string
}

/** The memory that uploads of one node take. */
export interface UploadMemory {
  /** @throws {ApiError} `unavailable` where the transaction has too many uploads, or no memory is left */
  readonly begin: (owner: UploadOwner) => UploadReservation
}

interface Upload extends UploadOwner {
  held: number
  isComplete: boolean
  lastAt: number
  windowStart: number
  windowBytes: number
  /** Bytes a millisecond in the last whole window; null before the first. */
  rate: number | null
  readonly controller: AbortController
}

function createBusyError(): ApiError {
  return unavailable('too many images at once')
}

/** Returns the present rate of an upload, in bytes a millisecond. */
function measureRate({ lastAt, windowStart, windowBytes, rate }: Upload, now: number): number {
  if (now - lastAt >= windowMs) return 0
  const elapsed = now - windowStart
  return elapsed >= windowMs ? windowBytes / elapsed : (rate ?? Number.POSITIVE_INFINITY)
}

/**
 * Counts received bytes, not announced ones. One account, and one address, holds at most half, so that it does not keep
 * out others. Where memory is short, uploads that have stalled give way, the slowest first: their bytes would stay until
 * the request's time is over.
 */
export function createUploadMemory(maxBytes: number, clock: Pick<Clock, 'monotonic'>): UploadMemory {
  const uploads = new Set<Upload>()
  const sum = (those: readonly Upload[]): number => those.reduce((all, { held }) => all + held, 0)
  /** The uploads that share each limit with this one. */
  const listShares = (one: Upload): readonly (readonly [limit: number, sharers: readonly Upload[]])[] => {
    const all = [...uploads]
    return [
      [maxBytes, all],
      [maxBytes / 2, all.filter(({ account_id }) => account_id === one.account_id)],
      [maxBytes / 2, all.filter(({ network }) => network === one.network)],
    ]
  }
  const release = (upload: Upload): void => {
    upload.held = 0
    uploads.delete(upload)
  }
  /** Makes the slowest of some give way. False if none is slow. */
  const evict = (those: readonly Upload[], beside: Upload): boolean => {
    const now = clock.monotonic()
    const [slowest] = those
      .filter(one => one !== beside && !one.isComplete && uploads.has(one) && measureRate(one, now) < minRate)
      .sort((one, other) => measureRate(one, now) - measureRate(other, now))
    if (slowest === undefined) return false
    release(slowest)
    slowest.controller.abort(createBusyError())
    return true
  }
  const makeRoom = (upload: Upload, bytes: number): void => {
    for (const [limit, sharers] of listShares(upload))
      while (sum(sharers) + bytes > limit) if (!evict(sharers, upload)) throw createBusyError()
  }
  return {
    begin(owner) {
      const now = clock.monotonic()
      const controller = new AbortController()
      const upload: Upload = {
        ...owner,
        held: 0,
        isComplete: false,
        lastAt: now,
        windowStart: now,
        windowBytes: 0,
        rate: null,
        controller,
      }
      const siblings = [...uploads].filter(({ transaction_id }) => transaction_id === owner.transaction_id)
      if (siblings.length >= maxPerTransaction && !evict(siblings, upload)) throw createBusyError()
      makeRoom(upload, 1)
      uploads.add(upload)
      return {
        signal: controller.signal,
        hold(bytes) {
          controller.signal.throwIfAborted()
          makeRoom(upload, bytes)
          const at = clock.monotonic()
          if (at - upload.windowStart >= windowMs) {
            upload.rate = measureRate(upload, at)
            upload.windowStart = at
            upload.windowBytes = 0
          }
          upload.lastAt = at
          upload.held += bytes
          upload.windowBytes += bytes
        },
        complete() {
          upload.isComplete = true
        },
        end: () => release(upload),
      }
    },
  }
}
