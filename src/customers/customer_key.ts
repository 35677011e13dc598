import { deriveKey, newKey, seal, unseal } from '../base/seal.ts'

/**
 * A key per customer, sealed with one derived from the master key: destroying it erases all that it sealed, wherever a
 * copy may lie.
 */
export interface CustomerKeys {
  /** A new key, as it is used and as it is stored in `customers.data_key`. */
  make(customer_id: string): { readonly key: Buffer; readonly data_key: Buffer }
  /** @throws {SealBroken} */
  open(customer_id: string, data_key: Uint8Array): Buffer
}

const place = (customer_id: string): string => `customers/${customer_id}/data_key`

export const createCustomerKeys = (master: Uint8Array): CustomerKeys => {
  const wrapping = deriveKey(master, 'customer_keys')
  return {
    make(customer_id) {
      const key = newKey()
      return { key, data_key: seal(wrapping, place(customer_id), key) }
    },
    open: (customer_id, data_key) => unseal(wrapping, place(customer_id), data_key),
  }
}
