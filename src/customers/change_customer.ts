import { ApiError } from '../base/api_error.ts'
import { encryptJson } from '../base/encryption.ts'
import { first, run, type Unit } from '../durable/store/statement.ts'
import { openCustomerKey } from './customer_key.ts'
import {
  type CustomerDeps,
  type CustomerProfile,
  type CustomerView,
  customerAad,
  selectCustomer,
  toCustomerView,
} from './customers.ts'

/** What is to be otherwise. A member that is absent stays as it is; null takes the value away. */
export interface CustomerChange {
  readonly email?: string | null | undefined
  readonly phone_number?: string | null | undefined
}

/** Changes how a customer is reached; resolves with the customer as it is then. @throws {ApiError} `not_found` */
export const changeCustomer = (
  { store, master }: CustomerDeps,
  account_id: string,
  customer_id: string,
  { email, phone_number }: CustomerChange,
): Promise<CustomerView> =>
  store.commit(function* (): Unit<CustomerView> {
    const { sql, ...query } = selectCustomer(account_id, customer_id)
    const row = yield* first({ ...query, sql: sql + store.dialect.forUpdate })
    if (row === null) throw new ApiError('not_found', 'customer_id: not found')
    const view = toCustomerView(master, row)
    const profile: CustomerProfile = {
      external_customer_id: view.external_customer_id,
      email: email === undefined ? view.email : email,
      phone_number: phone_number === undefined ? view.phone_number : phone_number,
    }
    const key = openCustomerKey(master, customer_id, row.data_key)
    const sealed = encryptJson(key, customerAad(customer_id, 'profile'), profile)
    yield* run({ sql: 'UPDATE customers SET profile = ? WHERE id = ?', values: [sealed, customer_id] })
    return { ...view, ...profile }
  })
