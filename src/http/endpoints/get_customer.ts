import { readCustomer } from '../../identity/customers/customers.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { customer_id } from '../shapes/common.ts'
import { customer } from '../shapes/customer.ts'

export const getCustomer = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/customer/{customer_id}`,
  operationId: 'getCustomer',
  summary: 'Get customer',
  description: 'The customer as you registered or changed it.',
  tag: 'Customers',
  authentication: 'access_token',
  request: { path: { customer_id } },
  responses: { 200: json('The customer.', customer) },
  errors: [404],
  async handler({ caller, path }, { customers }) {
    return { status: 200, body: await readCustomer(customers, caller.account_id, path.customer_id) }
  },
})
