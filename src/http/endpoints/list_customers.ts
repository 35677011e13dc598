import { z } from 'zod'
import { findCustomer } from '../../identity/customers/customers.ts'
import { type CustomerPosition, listCustomers as listPage } from '../../identity/customers/list_customers.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning, textField } from '../fields.ts'
import { createdParameters, cursorParameter, limitParameter, single } from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { pageOf } from '../shapes/common.ts'
import { customer } from '../shapes/customer.ts'

export const listCustomers = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/customer`,
  operationId: 'listCustomers',
  summary: 'List customers, or find one',
  description: 'With `external_customer_id` the one that has it; else a page of all, newest first.',
  tag: 'Customers',
  authentication: 'access_token',
  request: {
    query: {
      external_customer_id: single
        .pipe(textField(1, 255))
        .optional()
        .meta(meaning('Your own id of the person, as you registered it; upper and lower case differ.', 'c-1')),
      limit: limitParameter(100, 20),
      cursor: cursorParameter,
      ...createdParameters,
    },
  },
  responses: { 200: json('The customer, or a page.', z.union([customer, pageOf(customer)])) },
  errors: [404],
  async handler({ caller: { account_id }, query }, { customers, cursors }) {
    const { external_customer_id, limit, cursor, created_from = null, created_to = null } = query
    if (external_customer_id !== undefined)
      return { status: 200, body: await findCustomer(customers, account_id, external_customer_id) }
    const list = ['customers', account_id, created_from, created_to]
    const after = cursors.read<CustomerPosition>(list, cursor)
    const { data, next } = await listPage(customers, account_id, { created_from, created_to, after, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})
