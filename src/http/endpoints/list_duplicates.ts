import { z } from 'zod'
import { readCustomer } from '../../identity/customers/customers.ts'
import { listDuplicates as list } from '../../verification/analysis/list_duplicates.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { customer_id } from '../shapes/common.ts'
import { duplicate } from '../shapes/customer.ts'

export const listDuplicates = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/customer/{customer_id}/duplicates`,
  operationId: 'listDuplicates',
  summary: 'List what a customer shares with others',
  description:
    'The documents and pictures that transactions of this customer and of another one of your account have in common, as their analyses found them.',
  tag: 'Customers',
  authentication: 'access_token',
  request: { path: { customer_id } },
  responses: {
    200: json(
      'The duplicates.',
      z.object({
        data: z.array(duplicate).meta(meaning('At most 100, the newest first; empty where there are none.')),
      }),
    ),
  },
  errors: [404],
  async handler({ caller: { account_id }, path }, { customers }) {
    await readCustomer(customers, account_id, path.customer_id)
    return { status: 200, body: { data: await list(customers.store, account_id, path.customer_id) } }
  },
})
