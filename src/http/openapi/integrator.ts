import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { CreatedCustomer, CustomerView } from '../../customers/customers.ts'
import type { ListedTransaction } from '../../transactions/list.ts'
import type { TimelineEvent } from '../../transactions/timeline.ts'
import { customer_body, customer_change, customer_query } from '../customer.ts'
import { api_prefix } from '../front_door.ts'
import { transactionBody } from '../transaction_body.ts'
import { events_query, list_query } from '../transaction_list.ts'
import { erase_customer, erase_transaction, record_paths } from './records.ts'
import { transaction } from './result_shapes.ts'
import {
  body,
  id,
  json,
  made,
  pageOf,
  refusals,
  with_access_token as security,
  status,
  timestamp,
  transaction_type,
} from './shapes.ts'
import { test_mode_paths } from './test_mode.ts'

const registered = z
  .object({ external_customer_id: z.string(), customer_id: id, created_at: timestamp })
  .meta({ id: 'RegisteredCustomer' }) satisfies z.ZodType<CreatedCustomer['customer']>

const customer = z
  .object({ ...registered.shape, email: z.string().nullable(), phone_number: z.string().nullable() })
  .meta({ id: 'Customer' }) satisfies z.ZodType<CustomerView>

const opened = z
  .object({
    transaction_id: id,
    sdk_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int().meta({ description: 'Seconds.' }),
  })
  .meta({ id: 'OpenedTransaction' })

const stage_times = {
  created_at: timestamp,
  initiated_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  processing_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
}
const listed = z
  .object({
    id,
    customer_id: id,
    transaction_type,
    reference: z.string().nullable(),
    status,
    decision: z.enum(['APPROVED', 'REJECTED', 'UNDETERMINED']).nullable(),
    ...stage_times,
  })
  .meta({ id: 'ListedTransaction' }) satisfies z.ZodType<ListedTransaction>

const timeline_event = z
  .object({
    sequence: z.number().int(),
    occurred_at: timestamp,
    event: z.string(),
    told_by: z.enum(['device', 'integrator', 'timer', 'job', 'erasure']),
    status,
  })
  .meta({ id: 'TimelineEvent' }) satisfies z.ZodType<TimelineEvent>

const once = z.object({
  'Idempotency-Key': z.string().optional().meta({ description: 'Kept 24 h: the same key answers the same again.' }),
})
const of_customer = { path: z.object({ customer_id: id }) }
const of_transaction = { path: z.object({ transaction_id: id }) }

const customers: ZodOpenApiPathsObject = {
  [`${api_prefix}/customer`]: {
    post: {
      ...{ operationId: 'createCustomer', summary: 'Create customer', tags: ['Customers'], security },
      requestParams: { header: once },
      requestBody: body(customer_body),
      responses: {
        200: made('The same data were registered already.', registered),
        201: made('Registered.', registered),
        ...refusals(401, 403, 409, 413, 415, 422),
      },
    },
    get: {
      ...{ operationId: 'listCustomers', summary: 'List customers, or find one', tags: ['Customers'], security },
      description: 'With `external_customer_id` the one that has it; else a page of all, newest first.',
      requestParams: { query: customer_query },
      responses: {
        200: json('The customer, or a page.', z.union([customer, pageOf(customer)])),
        ...refusals(401, 403, 404),
      },
    },
  },
  [`${api_prefix}/customer/{customer_id}`]: {
    get: {
      ...{ operationId: 'getCustomer', summary: 'Get customer', tags: ['Customers'], security },
      requestParams: of_customer,
      responses: { 200: json('The customer.', customer), ...refusals(401, 403, 404) },
    },
    patch: {
      ...{ operationId: 'changeCustomer', summary: 'Change customer', tags: ['Customers'], security },
      description: 'A member that is absent stays as it is; null takes the value away.',
      requestParams: of_customer,
      requestBody: body(customer_change),
      responses: { 200: json('The customer as it is now.', customer), ...refusals(401, 403, 404, 413, 415) },
    },
    delete: erase_customer,
  },
}

const transactions: ZodOpenApiPathsObject = {
  [`${api_prefix}/transaction`]: {
    post: {
      ...{ operationId: 'createTransaction', summary: 'Create transaction', tags: ['Transactions'], security },
      requestParams: { header: once },
      requestBody: body(transactionBody({ default_ttl_minutes: 60, checkDestination: () => null })),
      responses: { 201: made('Opened.', opened), ...refusals(401, 403, 404, 409, 413, 415, 422) },
    },
    get: {
      ...{ operationId: 'listTransactions', summary: 'List transactions', tags: ['Transactions'], security },
      requestParams: { query: list_query },
      responses: { 200: json('A page, newest first.', pageOf(listed)), ...refusals(401, 403) },
    },
  },
  [`${api_prefix}/transaction/{transaction_id}`]: {
    get: {
      ...{ operationId: 'getTransaction', summary: 'Get transaction', tags: ['Transactions'], security },
      requestParams: of_transaction,
      responses: { 200: json('The transaction.', transaction), ...refusals(401, 403, 404) },
    },
    delete: erase_transaction,
  },
  [`${api_prefix}/transaction/{transaction_id}/events`]: {
    get: {
      ...{ operationId: 'listEvents', summary: 'What happened to a transaction', tags: ['Transactions'], security },
      requestParams: { ...of_transaction, query: events_query },
      responses: { 200: json('A page, oldest first.', pageOf(timeline_event)), ...refusals(401, 403, 404) },
    },
  },
  [`${api_prefix}/transaction/{transaction_id}/cancel`]: {
    post: {
      ...{ operationId: 'cancelTransaction', summary: 'Cancel a transaction', tags: ['Transactions'], security },
      requestParams: of_transaction,
      requestBody: body(z.looseObject({}), false),
      responses: {
        200: json('The transaction, as it is now.', transaction),
        ...refusals(401, 403, 404, 409, 413, 415),
      },
    },
  },
}

/** What an integrator's backend calls. */
export const integrator_paths: ZodOpenApiPathsObject = {
  ...customers,
  ...transactions,
  ...record_paths,
  ...test_mode_paths,
}
