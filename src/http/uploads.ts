import { unavailable } from '../base/api_error.ts'

/** A phone sends one image after another; a few at once are a retry that overtook its first try. */
const most_of_one = 4

/** One upload, from its first byte until its image is stored or refused. */
export interface Upload {
  /** Counts bytes that have come in. @throws {ApiError} `unavailable` where the node holds too many already */
  readonly hold: (bytes: number) => void
  /** Gives back all that it held. */
  readonly end: () => void
}

/** Whose an upload is. */
export interface UploadOwner {
  readonly transaction_id: string
  readonly account_id: string
}

/** The uploads of one node. */
export interface Uploads {
  /** @throws {ApiError} `unavailable` where this transaction has too many under way, or the memory is taken that there is */
  readonly begin: (owner: UploadOwner) => Upload
}

/**
 * Bounds the memory that images under way take (decisions.md, "HTTP": 503 with `Retry-After`). What has come in counts,
 * not what was announced, so that slow phones don't keep others out; of one account at most half, so that its phones
 * don't either.
 */
export const createUploads = (most_bytes: number): Uploads => {
  const under_way = new Map<string, number>()
  const held_by = new Map<string, number>()
  const most_of_account = most_bytes / 2
  let held = 0
  /** Counts bytes, or fewer where negative; false where they are too many. */
  const count = (account_id: string, bytes: number): boolean => {
    const own = (held_by.get(account_id) ?? 0) + bytes
    if (bytes > 0 && (held + bytes > most_bytes || own > most_of_account)) return false
    held += bytes
    if (own > 0) held_by.set(account_id, own)
    else held_by.delete(account_id)
    return true
  }
  const busy = () => unavailable('too many images at once')
  return {
    begin({ transaction_id, account_id }) {
      const others = under_way.get(transaction_id) ?? 0
      if (others >= most_of_one || held >= most_bytes) throw busy()
      under_way.set(transaction_id, others + 1)
      let own = 0
      return {
        hold(bytes) {
          if (!count(account_id, bytes)) throw busy()
          own += bytes
        },
        end() {
          count(account_id, -own)
          own = 0
          const left = (under_way.get(transaction_id) ?? 1) - 1
          if (left > 0) under_way.set(transaction_id, left)
          else under_way.delete(transaction_id)
        },
      }
    },
  }
}
