import { z } from 'zod'
import { changeCustomer as writeChange } from '../../identity/customers/change_customer.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { customer_id } from '../shapes/common.ts'
import { customer, email, phone_number } from '../shapes/customer.ts'

export const changeCustomer = defineEndpoint({
  method: 'patch',
  path: `${apiPrefix}/customer/{customer_id}`,
  operationId: 'changeCustomer',
  summary: 'Change customer',
  // RFC 7396.
  description: 'A member that is absent stays as it is; null takes the value away.',
  tag: 'Customers',
  authentication: 'access_token',
  request: { path: { customer_id }, body: jsonBody(z.object({ email, phone_number })) },
  responses: { 200: json('The customer as it is now.', customer) },
  errors: [404],
  async handler({ caller, path, body }, { customers }) {
    return { status: 200, body: await writeChange(customers, caller.account_id, path.customer_id, body) }
  },
})
