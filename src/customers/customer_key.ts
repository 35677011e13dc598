import { deriveKey, newKey, seal, unseal } from '../base/seal.ts'

const place = (customer_id: string): string => `customers/${customer_id}/data_key`

/**
 * The key that seals all that is personal of one customer. Destroying its row erases all that it sealed.
 * @throws {SealBroken} under another master key, or for another customer's
 */
export const openCustomerKey = (master: Uint8Array, customer_id: string, data_key: Uint8Array): Buffer =>
  unseal(deriveKey(master, 'customer_keys'), place(customer_id), data_key)

/** A new customer's key, plain and as it is kept. */
export const newCustomerKey = (master: Uint8Array, customer_id: string): { key: Buffer; data_key: Buffer } => {
  const key = newKey()
  return { key, data_key: seal(deriveKey(master, 'customer_keys'), place(customer_id), key) }
}
