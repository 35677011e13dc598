import { unavailable } from '../base/refusal.ts'

/** A phone sends one image after another; a few at once are a retry that overtook its first try. */
const most_of_one = 4

/** One upload, from its first byte until its image is stored or refused. */
export interface Upload {
  /** Counts bytes that have come in. @throws {Refusal} `unavailable` where the node holds too many already */
  readonly hold: (bytes: number) => void
  /** Gives back all that it held. */
  readonly end: () => void
}

/** The uploads of one node. */
export interface Uploads {
  /** @throws {Refusal} `unavailable` where this transaction has too many under way, or the node's memory is taken */
  readonly begin: (transaction_id: string) => Upload
}

/**
 * Bounds the memory that images under way take (decisions.md, "HTTP": 503 with `Retry-After`). What has come in counts,
 * not what was announced, so that slow phones don't keep others out.
 */
export const createUploads = (most_bytes: number): Uploads => {
  const under_way = new Map<string, number>()
  let held = 0
  const busy = () => unavailable('too many images at once')
  return {
    begin(transaction_id) {
      const others = under_way.get(transaction_id) ?? 0
      if (others >= most_of_one || held >= most_bytes) throw busy()
      under_way.set(transaction_id, others + 1)
      let own = 0
      return {
        hold(bytes) {
          if (held + bytes > most_bytes) throw busy()
          held += bytes
          own += bytes
        },
        end() {
          held -= own
          own = 0
          const left = (under_way.get(transaction_id) ?? 1) - 1
          if (left > 0) under_way.set(transaction_id, left)
          else under_way.delete(transaction_id)
        },
      }
    },
  }
}
