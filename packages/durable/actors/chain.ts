import { hash } from 'node:crypto'

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
 * SHA-256, in hex, of the JSON array of the previous hash (empty for the first entry) and the entry. An entry that is
 * changed, removed, moved or inserted breaks every hash after it; the last one is in the actor's row.
 */
export function chainHash(previous: string, entry: ChainedEntry): string {
  const { actor_id, sequence, actor_type, event, status, occurred_at, chart_version } = entry
  const covered = [previous, actor_id, sequence, actor_type, event, status, occurred_at, chart_version]
  return hash('sha256', JSON.stringify(covered))
}
