import { defineUndocumented } from '../../http/endpoint.ts'
import { idParameter, limitParameter, single } from '../../http/parameters.ts'
import { id } from '../../schemas/common.ts'
import { textField } from '../../schemas/fields.ts'
import { consoleApi, forOperators } from '../endpoint.ts'
import { type CustomerPosition, findByExternalId, listCustomerRecords, readCustomerRecord } from '../find_customers.ts'

const path = `${consoleApi}/customer`

/** A page of customers of all accounts, the newest first, without anything personal. */
export const findCustomers = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path,
  request: {
    query: {
      external_customer_id: single.pipe(textField(1, 255)).optional(),
      account_id: idParameter.optional(),
      limit: limitParameter(100, 20),
      cursor: single.optional(),
    },
  },
  async handler({ query: { external_customer_id, account_id = null, limit, cursor } }, deps) {
    const { cursors, customers } = deps
    if (external_customer_id !== undefined) {
      const data = await findByExternalId(deps, account_id, external_customer_id)
      return { status: 200, body: { data, next_cursor: null } }
    }
    const list = ['console', 'customers', account_id]
    const after = cursors.read<CustomerPosition>(list, cursor)
    const { data, next } = await listCustomerRecords(customers.store, account_id, { after, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})

/** A customer, without anything personal. */
export const getCustomerRecord = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${path}/{customer_id}`,
  request: { path: { customer_id: id } },
  async handler({ path: { customer_id } }, { customers }) {
    return { status: 200, body: await readCustomerRecord(customers.store, customer_id) }
  },
})
