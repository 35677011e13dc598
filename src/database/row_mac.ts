import { hash } from 'node:crypto'
import type { Value } from 'durable-xstate-sql/sql'
import { deriveKey, hmac, type ServiceKeys } from '../base/encryption.ts'
import type { tables } from './tables.ts'

/** The key of all rows' MACs: somebody who can write to the database, but has no master key, can't make one. */
export function deriveRowKey({ lookup }: Pick<ServiceKeys, 'lookup'>): Uint8Array {
  return deriveKey(lookup, 'row_mac')
}

/** An HMAC over columns of one row, which says that nothing but the service wrote them. Large bytes count by their hash. */
export function computeRowMac(key: Uint8Array, table: keyof typeof tables, values: readonly Value[]): string {
  const covered = values.map(value => (value instanceof Uint8Array ? hash('sha256', value) : value))
  return hmac(key, JSON.stringify([table, ...covered])).digest('base64url')
}
