import { decrypt, encrypt, hmac } from '../../base/encryption.ts'
import { makePrefixPath } from '../../database/prefix_path.ts'
import type { TableRow } from '../../database/schema.ts'
import type { DestroyableKey } from '../../identity/customers/customer_key.ts'
import type { TransactionDeps } from './deps.ts'
import { findDataKey, transactionAad } from './rows.ts'

/** A reference may name a person and stays in backups, so the column that finds it holds an HMAC. */
export function hashReference(referenceKey: Uint8Array, account_id: string, reference: string): string {
  return `hmac:${hmac(referenceKey, `${account_id}/${reference}`).digest('base64url')}`
}

export interface ReferenceOwner {
  readonly id: string
  readonly account_id: string
}

/** The columns of an integrator's own id of a transaction; `key` is the customer's. */
export function encryptReference(
  { referenceKey }: Pick<TransactionDeps, 'referenceKey'>,
  key: Uint8Array,
  { id, account_id }: ReferenceOwner,
  reference: string | null,
): Pick<TableRow<'transactions'>, 'reference' | 'reference_path' | 'encrypted_reference'> {
  return {
    reference: reference === null ? null : hashReference(referenceKey, account_id, reference),
    reference_path: reference === null ? null : makePrefixPath(referenceKey, account_id, reference),
    encrypted_reference: reference === null ? null : encrypt(key, transactionAad(id, 'reference'), reference),
  }
}

/** Decrypts the reference; null if there is none or the customer is gone. */
export function decryptReference(
  deps: Pick<TransactionDeps, 'customerKey'>,
  row: Pick<TableRow<'transactions'>, 'id' | 'encrypted_reference'> & DestroyableKey,
): string | null {
  const encrypted = row.encrypted_reference
  if (encrypted === null) return null
  const key = findDataKey(deps, row)
  return key === null ? null : decrypt(key, transactionAad(row.id, 'reference'), encrypted).toString('utf8')
}
