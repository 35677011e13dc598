import type Router from '@koa/router'
import { z } from 'zod'
import { changeCustomer } from '../customers/change.ts'
import { isEmail, isPhoneShaped, isPossiblePhone } from '../customers/contact.ts'
import { type CreatedCustomer, createCustomer, findCustomer, viewCustomer } from '../customers/customers.ts'
import { type CustomerPosition, listCustomers } from '../customers/list.ts'
import type { KeptAnswer } from '../database/idempotency_keys.ts'
import { checkFields, ignoredFieldsHeader, ignoredMembers, readFields, rule, textField } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor, located } from './front_door.ts'
import { respondOnce } from './idempotency.ts'
import { idIn, instantParameter, limitParameter, readQuery, single } from './query.ts'

const says_email = 'must be an e-mail address'
const says_phone = 'must be a telephone number: + and 7 to 15 digits'
const says_impossible =
  'must be a possible telephone number: there is no such country code, or its numbers have another length'

const email = z
  .string({ error: rule(says_email) })
  .refine(isEmail, { error: says_email })
  .meta({ override: { format: 'email' } })
  .nullish()

const phone_number = z
  .string({ error: rule(says_phone) })
  .refine(isPhoneShaped, { error: says_phone, abort: true })
  .refine(isPossiblePhone, { error: says_impossible })
  .meta({ override: { pattern: '^\\+\\d{7,15}$' } })
  .nullish()

/** spec, "Create customer"; decisions.md, "Customer": null is absent. */
export const customer_body = z.object({
  external_customer_id: textField(1, 255),
  email: email.transform(given => given ?? null),
  phone_number: phone_number.transform(given => given ?? null),
})

/** `PATCH /customer/{customer_id}`: what is absent stays as it is, null takes it away (RFC 7396). */
export const customer_change = z.object({ email, phone_number })

/** Which customers: the one with the integrator's own id, or a page of all. */
export const customer_query = z.object({
  external_customer_id: single.pipe(textField(1, 255)).optional(),
  limit: limitParameter(100, 20),
  cursor: single.optional(),
  created_from: instantParameter.optional(),
  created_to: instantParameter.optional(),
})

const customerPage = async (
  { customers, cursors }: FrontDoor,
  account_id: string,
  query: z.infer<typeof customer_query>,
) => {
  const { limit, cursor } = query
  const [created_from, created_to] = [query.created_from ?? null, query.created_to ?? null]
  const list = ['customers', account_id, created_from, created_to]
  const after = cursor === undefined ? null : cursors.open<CustomerPosition>(list, cursor)
  const { data, next } = await listCustomers(customers, account_id, { created_from, created_to, after, limit })
  return { data, next_cursor: next === null ? null : cursors.give(list, next) }
}

/** spec, "Create customer"; reading, listing and changing customers. */
export const customerRoutes = (router: Router, door: FrontDoor): void => {
  router.post(`${api_prefix}/customer`, async ctx => {
    const account_id = await callerOf(door, ctx)
    await respondOnce(door, ctx, account_id, async (body, keep) => {
      const profile = checkFields(customer_body, body)
      const ignored = ignoredFieldsHeader(ignoredMembers(customer_body, body))
      const answer = ({ customer, created }: CreatedCustomer): KeptAnswer => ({
        status: created ? 201 : 200,
        subject_id: customer.customer_id,
        headers: { ...ignored, ...located(door, 'customer', customer.customer_id) },
        body: customer,
      })
      return answer(await createCustomer(door.customers, account_id, profile, made => keep(answer(made))))
    })
  })

  router.get(`${api_prefix}/customer`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const query = readQuery(ctx, customer_query)
    const { external_customer_id } = query
    ctx.body =
      external_customer_id === undefined
        ? await customerPage(door, account_id, query)
        : await findCustomer(door.customers, account_id, external_customer_id)
  })

  router.patch(`${api_prefix}/customer/:customer_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const customer_id = idIn(ctx.params, 'customer_id')
    const change = await readFields(ctx, customer_change)
    ctx.body = await changeCustomer(door.customers, account_id, customer_id, change)
  })

  router.get(`${api_prefix}/customer/:customer_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    ctx.body = await viewCustomer(door.customers, account_id, idIn(ctx.params, 'customer_id'))
  })
}
