import { LRUCache } from 'lru-cache'
import { newKey, type ServiceKeys } from '../../base/encryption.ts'
import { decryptColumn, encryptColumn } from '../../database/root_columns.ts'

const openKeys = new WeakMap<ServiceKeys, LRUCache<string, Buffer>>()
const maxOpenKeys = 500

/**
 * Decrypts a customer's data key, which encrypts all personal data of that customer. Deleting the row erases that data.
 * Calls for a customer come close together, so the latest keys are cached. The cache is looked up by the encrypted key,
 * which is gone with the row.
 * @throws {DecryptionError} under another master key, or for another customer
 */
export function openCustomerKey(serviceKeys: ServiceKeys, customer_id: string, data_key: Uint8Array): Buffer {
  const known = openKeys.get(serviceKeys) ?? new LRUCache<string, Buffer>({ max: maxOpenKeys })
  openKeys.set(serviceKeys, known)
  const name = `${customer_id}/${Buffer.from(data_key).toString('latin1')}`
  const key = known.get(name) ?? decryptColumn(serviceKeys, 'customers', customer_id, data_key)
  known.set(name, key)
  return key
}

/** A customer's encrypted key; null if it was destroyed. */
export interface DestroyableKey {
  readonly customer_id: string
  readonly data_key: Uint8Array | null
}

/** Creates a data key: `key` is plain, `data_key` encrypted. */
export function createCustomerKey(serviceKeys: ServiceKeys, customer_id: string): { key: Buffer; data_key: Buffer } {
  const key = newKey()
  return { key, data_key: encryptColumn(serviceKeys, 'customers', customer_id, key) }
}
