import { z } from 'zod'
import { type CreatedCustomer, createCustomer as registerCustomer } from '../../identity/customers/customers.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix, createLocation } from '../paths.ts'
import { email, external_customer_id, phone_number, registeredCustomer } from '../shapes/customer.ts'

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
