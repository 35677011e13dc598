import { run, selectFirst, type Unit } from 'durable-xstate-sql'
import { ApiError } from '../../base/api_error.ts'
import { encryptJson } from '../../base/encryption.ts'
import { openCustomerKey } from './customer_key.ts'
import {
  type CustomerDeps,
  type CustomerProfile,
  type CustomerView,
  customerAad,
  selectCustomer,
  toCustomerView,
} from './customers.ts'

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
    const { sql, ...query } = selectCustomer(account_id, customer_id)
    const row = yield* selectFirst({ ...query, sql: sql + store.dialect.forUpdate })
    if (row === null) throw new ApiError('not_found', 'customer_id: not found')
    const view = toCustomerView(serviceKeys, row)
    const profile: CustomerProfile = {
      external_customer_id: view.external_customer_id,
      email: email === undefined ? view.email : email,
      phone_number: phone_number === undefined ? view.phone_number : phone_number,
    }
    const key = openCustomerKey(serviceKeys, customer_id, row.data_key)
    const encrypted = encryptJson(key, customerAad(customer_id, 'profile'), profile)
    yield* run({ sql: 'UPDATE customers SET profile = ? WHERE id = ?', values: [encrypted, customer_id] })
    return { ...view, ...profile }
  })
}
