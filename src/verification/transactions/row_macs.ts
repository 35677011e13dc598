import { computeRowMac } from '../../database/row_mac.ts'
import type { TableRow } from '../../database/schema.ts'

/** Columns about the transaction's opening, which no event names and no step writes. An erasure removes them. */
export const originNames = [
  'id',
  'account_id',
  'customer_id',
  'transaction_type',
  'token_hash',
  'expires_at',
  'config',
  'expected_data',
  'reference',
  'reference_path',
  'encrypted_reference',
] as const

/** Columns that the analysis and a reviewer write. An erasure removes them. */
export const outcomeNames = ['id', 'result', 'reason', 'country', 'trace', 'review_reason', 'review_template'] as const

type Origin = Pick<TableRow<'transactions'>, (typeof originNames)[number]>
type Outcome = Pick<TableRow<'transactions'>, (typeof outcomeNames)[number]>

/** `origin_mac` of a transaction's row. */
export function computeOriginMac(rowKey: Uint8Array, row: Origin): string {
  return computeRowMac(rowKey, 'transactions', ['origin', ...originNames.map(name => row[name])])
}

/** `outcome_mac` of a transaction's row. */
export function computeOutcomeMac(rowKey: Uint8Array, row: Outcome): string {
  return computeRowMac(rowKey, 'transactions', ['outcome', ...outcomeNames.map(name => row[name])])
}
