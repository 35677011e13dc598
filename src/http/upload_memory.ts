import { unavailable } from '../base/api_error.ts'

/** A device sends one image after another. Some at once may be retries beside their first attempts. */
const maxPerTransaction = 4

/** One upload, from its first byte until its image is stored or rejected. */
export interface UploadReservation {
  /** Counts bytes as they come in. @throws {ApiError} `unavailable` where the node holds too many */
  readonly hold: (bytes: number) => void
  /** Releases all that it held. */
  readonly end: () => void
}

export interface UploadOwner {
  readonly transaction_id: string
  readonly account_id: string
}

/** The memory that uploads of one node take. */
export interface UploadMemory {
  /** @throws {ApiError} `unavailable` where the transaction has too many uploads, or no memory is left */
  readonly begin: (owner: UploadOwner) => UploadReservation
}

/**
 * Counts received bytes, not announced ones, so that slow devices do not keep out others. One account holds at most
 * half, so that its devices do not keep out other accounts.
 */
export function createUploadMemory(maxBytes: number): UploadMemory {
  const uploadsByTransaction = new Map<string, number>()
  const heldByAccount = new Map<string, number>()
  const maxAccountBytes = maxBytes / 2
  let held = 0
  /** Counts bytes; a negative number releases some. False if they are too many. */
  const count = (accountId: string, bytes: number): boolean => {
    const own = (heldByAccount.get(accountId) ?? 0) + bytes
    if (bytes > 0 && (held + bytes > maxBytes || own > maxAccountBytes)) return false
    held += bytes
    if (own > 0) heldByAccount.set(accountId, own)
    else heldByAccount.delete(accountId)
    return true
  }
  const createBusyError = () => unavailable('too many images at once')
  return {
    begin({ transaction_id, account_id }) {
      const others = uploadsByTransaction.get(transaction_id) ?? 0
      if (others >= maxPerTransaction || held >= maxBytes) throw createBusyError()
      uploadsByTransaction.set(transaction_id, others + 1)
      let own = 0
      return {
        hold(bytes) {
          if (!count(account_id, bytes)) throw createBusyError()
          own += bytes
        },
        end() {
          count(account_id, -own)
          own = 0
          const left = (uploadsByTransaction.get(transaction_id) ?? 1) - 1
          if (left > 0) uploadsByTransaction.set(transaction_id, left)
          else uploadsByTransaction.delete(transaction_id)
        },
      }
    },
  }
}
