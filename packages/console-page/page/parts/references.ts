import { get } from '../api.ts'
import type { ExternalId, TransactionReference } from '../shapes.ts'
import type { PagedList } from './list.ts'
import { problem } from './notice.ts'

/** An integrator's own names of a transaction and its customer. */
export type Reference = Omit<TransactionReference, 'transaction_id'>

/** The integrator's own names of the rows of a list. */
export interface References<T> {
  /** Null where it was not read yet, or is erased. */
  readonly find: (id: string) => T | null
  /** Reads those that were not read yet; resolves with their ids. */
  readonly read: (ids: readonly string[]) => Promise<readonly string[]>
}

/** One call reads at most this many. */
const maxIds = 100

/** The audit log records each reading, so that none is read again while its list changes. */
function readOnce<T>(load: (ids: string) => Promise<readonly (readonly [id: string, found: T])[]>): References<T> {
  const known = new Map<string, T | null>()
  return {
    find: id => known.get(id) ?? null,
    async read(ids) {
      const missing = ids.filter(id => !known.has(id))
      if (missing.length === 0) return missing
      for (const id of missing) known.set(id, null)
      try {
        for (let from = 0; from < missing.length; from += maxIds)
          for (const [id, found] of await load(missing.slice(from, from + maxIds).join(','))) known.set(id, found)
      } catch (error) {
        for (const id of missing) known.delete(id)
        throw error
      }
      return missing
    },
  }
}

/** The references of transactions. */
export function createReferences(signal: AbortSignal): References<Reference> {
  return readOnce(async transaction_id => {
    const { data } = await get<{ data: readonly TransactionReference[] }>('/reference', { transaction_id }, signal)
    return data.map(({ transaction_id, ...one }) => [transaction_id, one] as const)
  })
}

/** The external ids of customers. */
export function createExternalIds(signal: AbortSignal): References<string> {
  return readOnce(async customer_id => {
    const { data } = await get<{ data: readonly ExternalId[] }>('/external-id', { customer_id }, signal)
    return data.map(one => [one.customer_id, one.external_customer_id] as const)
  })
}

/** Reads the references of the rows that are shown. A failure is shown below the list. */
export async function showReferences<Row>(
  list: PagedList<Row>,
  references: References<unknown>,
  rowId: (row: Row) => string,
  signal: AbortSignal,
): Promise<void> {
  try {
    list.redraw(await references.read(list.rows().map(rowId)))
  } catch (error) {
    if (!signal.aborted) list.element.append(problem(error))
  }
}
