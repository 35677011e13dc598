import { get } from '../api.ts'
import type { TransactionReference } from '../shapes.ts'

/** An integrator's own names of a transaction and its customer. */
export interface Reference {
  readonly reference: string | null
  readonly external_customer_id: string
}

/** The integrator's references of transactions. */
export interface References {
  /** Null where it was not read yet, or is erased. */
  readonly find: (id: string) => Reference | null
  /** Reads those that were not read yet; resolves with their ids. */
  readonly read: (ids: readonly string[]) => Promise<readonly string[]>
}

/** One call reads at most this many. */
const maxIds = 100

/** The audit log records each reading, so that none is read again while its list changes. */
export function createReferences(signal: AbortSignal): References {
  const known = new Map<string, Reference | null>()
  return {
    find: id => known.get(id) ?? null,
    async read(ids) {
      const missing = ids.filter(id => !known.has(id))
      if (missing.length === 0) return missing
      for (const id of missing) known.set(id, null)
      try {
        for (let from = 0; from < missing.length; from += maxIds) {
          const query = { transaction_id: missing.slice(from, from + maxIds).join(',') }
          const { data } = await get<{ data: readonly TransactionReference[] }>('/reference', query, signal)
          for (const { transaction_id, ...one } of data) known.set(transaction_id, one)
        }
      } catch (error) {
        for (const id of missing) known.delete(id)
        throw error
      }
      return missing
    },
  }
}
