import { readAll, type Store } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import { computeRowMac } from '../database/row_mac.ts'
import { columnsOf, type TableRow } from '../database/schema.ts'

type Covered<N extends 'accounts' | 'account_settings' | 'clients' | 'operators', C extends keyof TableRow<N>> = Pick<
  TableRow<N>,
  C
>

const forged = 'was added or changed by something else'

export const accountMacNames = [
  'id',
  'name',
  'mode',
  'review',
  'resubmission',
  'signed_captures',
  'apps',
  'created_at',
] as const

/**
 * Returns `mac` of an account: a live one must not become a test account, whose results anybody may script, nor lose
 * its reviews.
 */
export function computeAccountMac(
  rowKey: Uint8Array,
  account: Covered<'accounts', (typeof accountMacNames)[number]>,
): string {
  return computeRowMac(
    rowKey,
    'accounts',
    accountMacNames.map(name => account[name]),
  )
}

/**
 * Returns `mac` of an account's settings: the name that people see, the allowed webhooks, and the effect of others'
 * documents on a decision.
 */
export function computeSettingsMac(
  rowKey: Uint8Array,
  { id, version, settings, logo }: Covered<'account_settings', 'id' | 'version' | 'settings' | 'logo'>,
): string {
  return computeRowMac(rowKey, 'account_settings', [id, version, settings, logo])
}

/** Returns `mac` of a client: it acts for one account, until it is revoked. */
export function computeClientMac(
  rowKey: Uint8Array,
  client: Covered<'clients', 'id' | 'account_id' | 'secret_hmac' | 'created_at' | 'revoked_at'>,
): string {
  const { id, account_id, secret_hmac, created_at, revoked_at } = client
  return computeRowMac(rowKey, 'clients', [id, account_id, secret_hmac, created_at, revoked_at])
}

/** Returns `mac` of an operator: permissions, and password. */
export function computeOperatorMac(
  rowKey: Uint8Array,
  operator: Covered<'operators', 'id' | 'name' | 'role' | 'password' | 'disabled_at'>,
): string {
  const { id, name, role, password, disabled_at } = operator
  return computeRowMac(rowKey, 'operators', [id, name, role, password, disabled_at])
}

const customerNames = ['id', 'account_id', 'lookup', 'lookup_path', 'profile', 'created_at'] as const

/** Returns `mac` of a customer: owner, names to find them by, and the integrator's data about them. */
export function computeCustomerMac(
  rowKey: Uint8Array,
  customer: Pick<TableRow<'customers'>, (typeof customerNames)[number]>,
): string {
  return computeRowMac(rowKey, 'customers', ['customer', ...customerNames.map(name => customer[name])])
}

/** Returns `face_mac` of a customer: an analysis enrols the face, without reading the rest of the row. */
export function computeFaceMac(
  rowKey: Uint8Array,
  { id, face, face_transaction_id }: Pick<TableRow<'customers'>, 'id' | 'face' | 'face_transaction_id'>,
): string {
  return computeRowMac(rowKey, 'customers', ['face', id, face, face_transaction_id])
}

/** The columns that a customer's MACs are checked with. */
export const customerMacColumns = columnsOf(
  'customers',
  ...customerNames,
  'face',
  'face_transaction_id',
  'mac',
  'face_mac',
)

/** Returns in words the part of a customer's row that something other than the service wrote; null for none. */
export function findForgery(rowKey: Uint8Array, row: RowOf<typeof customerMacColumns>): string | null {
  if (row.mac !== computeCustomerMac(rowKey, row)) return `customer ${row.id}: ${forged}`
  if (row.face_mac !== computeFaceMac(rowKey, row)) return `customer ${row.id}: the enrolled face ${forged}`
  return null
}

const accountColumns = columnsOf('accounts', ...accountMacNames, 'clock_offset_ms', 'mac')
const clientColumns = columnsOf('clients', 'id', 'account_id', 'secret_hmac', 'created_at', 'revoked_at', 'mac')
const settingsColumns = columnsOf('account_settings', 'id', 'version', 'settings', 'logo', 'mac')
const operatorColumns = columnsOf('operators', 'id', 'name', 'role', 'password', 'disabled_at', 'mac')

/** Lists, in words, the accounts, clients and operators that something other than the service wrote. */
export async function findForgedIdentities(store: Store, rowKey: Uint8Array): Promise<readonly string[]> {
  const read = <
    C extends typeof accountColumns | typeof settingsColumns | typeof clientColumns | typeof operatorColumns,
  >(
    table: string,
    columns: C,
  ) =>
    readAll(store, { sql: `SELECT ${Object.keys(columns).join(', ')} FROM ${table} ORDER BY id`, values: [], columns })
  const accounts = await read('accounts', accountColumns)
  const settings = await read('account_settings', settingsColumns)
  const clients = await read('clients', clientColumns)
  const operators = await read('operators', operatorColumns)
  return [
    ...accounts.filter(row => row.mac !== computeAccountMac(rowKey, row)).map(({ id }) => `account ${id}: ${forged}`),
    ...accounts
      .filter(row => row.mode === null && row.clock_offset_ms !== null)
      .map(({ id }) => `account ${id}: is live, and its clock was turned`),
    ...settings
      .filter(row => row.mac !== computeSettingsMac(rowKey, row))
      .map(({ id }) => `settings of account ${id}: ${forged}`),
    ...clients.filter(row => row.mac !== computeClientMac(rowKey, row)).map(({ id }) => `client ${id}: ${forged}`),
    ...operators
      .filter(row => row.mac !== computeOperatorMac(rowKey, row))
      .map(({ id }) => `operator ${id}: ${forged}`),
  ]
}
