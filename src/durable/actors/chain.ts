import { sha256 } from '../../base/ids.ts'

/** A journal's entry as its hash covers it. `event` is the text that is stored, `occurred_at` in epoch milliseconds. */
export interface ChainedEntry {
  readonly actor_id: string
  readonly sequence: number
  readonly actor_type: string
  readonly event: string
  readonly status: string
  readonly occurred_at: number
  readonly chart_version: number
}

/**
 * SHA-256, in hex, of the JSON array of the hash before (empty text at the beginning) and the entry. An entry that is
 * changed, left out, moved or put in breaks every hash after it; the last one lies on the actor's row.
 */
export const chainHash = (before: string, entry: ChainedEntry): string => {
  const { actor_id, sequence, actor_type, event, status, occurred_at, chart_version } = entry
  return sha256(JSON.stringify([before, actor_id, sequence, actor_type, event, status, occurred_at, chart_version]))
}
