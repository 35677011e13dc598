import { type ApiError, unavailable } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'

/** A device sends one image after another. Some at once may be retries beside their first attempts. */
const maxPerTransaction = 4
/** Files leave so much of the memory to small bodies, so that a call of a backend is accepted beside them. */
const shareOfFiles = 7 / 8

/** An upload is measured over so long. */
const windowMs = 2000
/** Slower ones give way where memory is short, in bytes a millisecond: an image of 2 MB would take two minutes. */
const minRate = 16

/** One upload, from its first byte until its content is stored or rejected. */
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
  /** The transaction of an image or of a feature's files; null for a small body. */
  readonly transaction_id: string | null
  /** Null if nobody has shown a credential. */
  readonly account_id: string | null
  /** The caller's address, or its IPv6 network of 64 bits. */
  readonly network: string
}

/** The memory for all request bodies that one node receives. */
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
  /** The limits that it counts for. */
  readonly shares: readonly Share[]
  readonly controller: AbortController
}

/** A part of the memory, and its users. */
interface Share {
  readonly limit: number
  readonly uploads: Set<Upload>
  held: number
}

function createBusyError(): ApiError {
  return unavailable('too many uploads at once')
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
  const shares = new Map<string, Share>()
  const findShare = (name: string, limit: number): Share => {
    const found = shares.get(name) ?? { limit, uploads: new Set(), held: 0 }
    shares.set(name, found)
    return found
  }
  const listShares = ({ transaction_id, account_id, network }: UploadOwner): readonly Share[] => [
    findShare('all', maxBytes),
    findShare(`network ${network}`, maxBytes / 2),
    ...(account_id === null ? [] : [findShare(`account ${account_id}`, maxBytes / 2)]),
    ...(transaction_id === null ? [] : [findShare('files', maxBytes * shareOfFiles)]),
  ]
  const release = (upload: Upload): void => {
    for (const share of upload.shares) if (share.uploads.delete(upload)) share.held -= upload.held
    upload.held = 0
    const { account_id, network } = upload
    for (const name of [`network ${network}`, `account ${account_id}`])
      if (shares.get(name)?.uploads.size === 0) shares.delete(name)
  }
  /** Makes the slowest of some give way. False if none is slow. */
  const evict = (those: Iterable<Upload>, beside: Upload | null): boolean => {
    const now = clock.monotonic()
    const [slowest] = [...those]
      .filter(one => one !== beside && !one.isComplete && measureRate(one, now) < minRate)
      .sort((one, other) => measureRate(one, now) - measureRate(other, now))
    if (slowest === undefined) return false
    release(slowest)
    slowest.controller.abort(createBusyError())
    return true
  }
  const makeRoom = (upload: Upload, bytes: number): void => {
    for (const share of upload.shares)
      while (share.held + bytes > share.limit) if (!evict(share.uploads, upload)) throw createBusyError()
  }
  const requireFew = ({ transaction_id }: UploadOwner): void => {
    if (transaction_id === null) return
    const files = shares.get('files')?.uploads ?? []
    const siblings = [...files].filter(one => one.transaction_id === transaction_id)
    if (siblings.length >= maxPerTransaction && !evict(siblings, null)) throw createBusyError()
  }
  return {
    begin(owner) {
      requireFew(owner)
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
        shares: listShares(owner),
        controller,
      }
      for (const share of upload.shares) share.uploads.add(upload)
      try {
        makeRoom(upload, 1)
      } catch (error) {
        release(upload)
        throw error
      }
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
          for (const share of upload.shares) share.held += bytes
        },
        complete() {
          upload.isComplete = true
        },
        end: () => release(upload),
      }
    },
  }
}
