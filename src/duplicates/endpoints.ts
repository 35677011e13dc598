import { z } from 'zod'
import { consoleApi, forOperators } from '../console/endpoint.ts'
import { readCustomerRecord } from '../console/find_customers.ts'
import { json } from '../http/content.ts'
import { defineEndpoint, defineUndocumented } from '../http/endpoint.ts'
import { apiPrefix } from '../http/paths.ts'
import { readCustomer } from '../identity/customers/customers.ts'
import { customer_id, id, openWords, stored_at } from '../schemas/common.ts'
import { meaning } from '../schemas/fields.ts'
import { type Duplicate, duplicateKinds, listDuplicates as list } from './rows.ts'

const duplicate = z
  .object({
    kind: openWords(duplicateKinds, 'document').meta(meaning('What both have in common. New kinds may come.')),
    transaction_id: id.meta(meaning('The transaction of the customer whose list it is.')),
    other_customer_id: id.meta(meaning('Who else, of your account, has it.', '0198a1c0-7e5a-7c3e-9f00-0123456789ad')),
    other_transaction_id: id.meta(meaning('Where the other customer has it.', '0198a1c0-7e5a-7c3e-9f00-0123456789ae')),
    found_at: stored_at,
  })
  .meta({ id: 'Duplicate' }) satisfies z.ZodType<Duplicate>

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

/** Lists the data that a customer shares with others of the account, the newest first. */
export const listDuplicatesAsOperator = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/customer/{customer_id}/duplicate`,
  request: { path: { customer_id: id } },
  async handler({ path: { customer_id } }, { customers: { store } }) {
    const { account_id } = await readCustomerRecord(store, customer_id)
    return { status: 200, body: { data: await list(store, account_id, customer_id) } }
  },
})
