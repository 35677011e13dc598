import { decrypt, deriveKey, encrypt, newKey } from '../base/encryption.ts'

const dataKeyAad = (customer_id: string): string => `customers/${customer_id}/data_key`

const openKeys = new WeakMap<Uint8Array, Map<string, Buffer>>()
const maxOpenKeys = 500

/**
 * The key that seals all that is personal of one customer. Destroying its row erases all that it sealed. A customer's
 * calls come close together, so the last keys stay open; without its row nobody finds one.
 * @throws {DecryptionError} under another master key, or for another customer's
 */
export const openCustomerKey = (master: Uint8Array, customer_id: string, data_key: Uint8Array): Buffer => {
  const known = openKeys.get(master) ?? new Map<string, Buffer>()
  openKeys.set(master, known)
  const name = `${customer_id}/${Buffer.from(data_key).toString('latin1')}`
  const key = known.get(name) ?? decrypt(deriveKey(master, 'customer_keys'), dataKeyAad(customer_id), data_key)
  if (known.size >= maxOpenKeys) known.clear()
  known.set(name, key)
  return key
}

/** A row with a customer's key as it is kept, where neither was destroyed. */
export interface DestroyableKey {
  readonly customer_id: string
  readonly data_key: Uint8Array | null
}

/** A new customer's key, plain and as it is kept. */
export const createCustomerKey = (master: Uint8Array, customer_id: string): { key: Buffer; data_key: Buffer } => {
  const key = newKey()
  return { key, data_key: encrypt(deriveKey(master, 'customer_keys'), dataKeyAad(customer_id), key) }
}
