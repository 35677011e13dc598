import { z } from 'zod'
import { changeCustomer as writeChange } from '../../identity/customers/change_customer.ts'
import {
  type CreatedCustomer,
  findCustomer,
  readCustomer,
  createCustomer as registerCustomer,
} from '../../identity/customers/customers.ts'
import { type CustomerPosition, listCustomers as listPage } from '../../identity/customers/list_customers.ts'
import { customer_id, pageOf } from '../../schemas/common.ts'
import { meaning, textField } from '../../schemas/fields.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { createdParameters, cursorParameter, limitParameter, single } from '../parameters.ts'
import { apiPrefix, createLocation } from '../paths.ts'
import { customer, email, external_customer_id, phone_number, registeredCustomer } from '../shapes/customer.ts'

export const createCustomer = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/customer`,
  operationId: 'createCustomer',
  summary: 'Create customer',
  description:
    'Registers a person once. Repeated with the same data it returns the existing customer; other data are a conflict, which names it.',
  tag: 'Customers',
  authentication: 'access_token',
  isIdempotent: true,
  request: {
    body: jsonBody(
      z.object({
        external_customer_id,
        email: email.transform(given => given ?? null),
        phone_number: phone_number.transform(given => given ?? null),
      }),
    ),
  },
  responses: {
    200: json('The same data were registered already.', registeredCustomer),
    201: json('Registered.', registeredCustomer),
  },
  async handler({ caller, body, keep }, { customers, baseUrl }) {
    const reply = ({ customer, created }: CreatedCustomer) => ({
      status: created ? (201 as const) : (200 as const),
      headers: createLocation(baseUrl, 'customer', customer.customer_id),
      body: customer,
    })
    const created = await registerCustomer(customers, caller.account_id, body, made =>
      keep(made.customer.customer_id, reply(made)),
    )
    return reply(created)
  },
})

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
