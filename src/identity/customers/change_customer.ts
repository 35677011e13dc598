import { run, selectFirst, type Unit } from 'durable-xstate-sql'
import { listColumns } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { encryptJson } from '../../base/encryption.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { computeCustomerMac, customerMacColumns } from '../row_macs.ts'
import { openCustomerKey } from './customer_key.ts'
import {
  type CustomerDeps,
  type CustomerProfile,
  type CustomerView,
  customerAad,
  customerColumns,
  toCustomerView,
} from './customers.ts'

const columns = { ...customerColumns, ...customerMacColumns } as const

/** A member that is absent stays as it is; null removes the value. */
export interface CustomerChange {
  readonly email?: string | null | undefined
  readonly phone_number?: string | null | undefined
}

/** Changes a customer's contact data, and resolves with the changed customer. @throws {ApiError} `not_found` */
export function changeCustomer(
  { store, serviceKeys }: CustomerDeps,
  account_id: string,
  customer_id: string,
  { email, phone_number }: CustomerChange,
): Promise<CustomerView> {
  return store.commit(function* (): Unit<CustomerView> {
    const row = yield* selectFirst({
      sql: `SELECT ${listColumns(columns)} FROM customers WHERE id = ? AND account_id = ?${store.dialect.forUpdate}`,
      values: [customer_id, account_id],
      columns,
    })
    if (row === null) throw new ApiError('not_found', 'customer_id: not found')
    const view = toCustomerView(serviceKeys, row)
    const profile: CustomerProfile = {
      external_customer_id: view.external_customer_id,
      email: email === undefined ? view.email : email,
      phone_number: phone_number === undefined ? view.phone_number : phone_number,
    }
    const key = openCustomerKey(serviceKeys, customer_id, row.data_key)
    const encrypted = encryptJson(key, customerAad(customer_id, 'profile'), profile)
    const rowKey = deriveRowKey(serviceKeys)
    // A row that something else has written stays recognisable.
    const mac =
      row.mac === computeCustomerMac(rowKey, row) ? computeCustomerMac(rowKey, { ...row, profile: encrypted }) : row.mac
    const sql = 'UPDATE customers SET profile = ?, mac = ? WHERE id = ?'
    yield* run({ sql, values: [encrypted, mac, customer_id] })
    return { ...view, ...profile }
  })
}
