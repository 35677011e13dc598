import { createHmac } from 'node:crypto'
import { decrypt, encrypt } from '../base/encryption.ts'
import type { DestroyableKey } from '../customers/customer_key.ts'
import type { TableRow } from '../database/schema.ts'
import type { TransactionDeps } from './deps.ts'
import { findDataKey, transactionAad } from './rows.ts'

/** It may name a person, and stays in backups: it is found by its HMAC, and only its customer's key opens it. */
const hashReference = (reference_key: Uint8Array, account_id: string, reference: string): string =>
  `hmac:${createHmac('sha256', reference_key).update(`${account_id}/${reference}`).digest('base64url')}`

/** Whose reference it is. */
export interface ReferenceOwner {
  readonly id: string
  readonly account_id: string
}

/** The columns that keep an integrator's own id of a transaction; `key` is the customer's. */
export const encryptReference = (
  { referenceKey: reference_key }: Pick<TransactionDeps, 'reference_key'>,
  key: Uint8Array,
  { id, account_id }: ReferenceOwner,
  reference: string | null,
): { readonly reference: string | null; readonly sealed_reference: Buffer | null } => ({
  reference: reference === null ? null : hashReference(reference_key, account_id, reference),
  sealed_reference: reference === null ? null : encrypt(key, transactionAad(id, 'reference'), reference),
})

/** What the column `reference` may hold of it: rows from before it was sealed have it as it is. */
export const referenceColumns = (
  { referenceKey: reference_key }: Pick<TransactionDeps, 'reference_key'>,
  account_id: string,
  reference: string,
): readonly string[] => [hashReference(reference_key, account_id, reference), reference]

/** The reference in a row that has its customer's `data_key`; null where there is none, or the customer is gone. */
export const decryptReference = (
  deps: Pick<TransactionDeps, 'customerKey'>,
  row: Pick<TableRow<'transactions'>, 'id' | 'reference' | 'sealed_reference'> & DestroyableKey,
): string | null => {
  const sealed = row.sealed_reference
  if (sealed === null) return row.reference
  const key = findDataKey(deps, row)
  return key === null ? null : decrypt(key, transactionAad(row.id, 'reference'), sealed).toString('utf8')
}
