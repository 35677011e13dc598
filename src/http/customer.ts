import type Router from '@koa/router'
import { z } from 'zod'
import { isId } from '../base/ids.ts'
import { Refusal } from '../base/refusal.ts'
import { isEmail, isPhoneNumber } from '../customers/contact.ts'
import { type CreatedCustomer, createCustomer, findCustomer, viewCustomer } from '../customers/customers.ts'
import type { KeptAnswer } from '../store/idempotency_keys.ts'
import { checkFields, ignoredFieldsHeader, rule, textField, unknownMembers } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor, located } from './front_door.ts'
import { answerOnce } from './idempotency.ts'
import { readQuery, single } from './query.ts'

const says_email = 'must be an e-mail address'
const says_phone = 'must be a telephone number: + and 7 to 15 digits'

/** spec, "Create customer"; decisions.md, "Customer": null is absent. */
export const customer_body = z.object({
  external_customer_id: textField(1, 255),
  email: z
    .string({ error: rule(says_email) })
    .refine(isEmail, { error: says_email })
    .meta({ override: { format: 'email' } })
    .nullish()
    .transform(email => email ?? null),
  phone_number: z
    .string({ error: rule(says_phone) })
    .refine(isPhoneNumber, { error: says_phone })
    .meta({ override: { pattern: '^\\+\\d{7,15}$' } })
    .nullish()
    .transform(phone_number => phone_number ?? null),
})

/** How a customer is found. */
export const customer_query = z.object({ external_customer_id: single.pipe(textField(1, 255)) })

/** spec, "Create customer", and reading one, by our id or by the integrator's. */
export const customerRoutes = (router: Router, door: FrontDoor): void => {
  router.post(`${api_prefix}/customer`, async ctx => {
    const account_id = await callerOf(door, ctx)
    await answerOnce(door, ctx, account_id, async (body, keep) => {
      const profile = checkFields(customer_body, body)
      const ignored = ignoredFieldsHeader(unknownMembers(body, Object.keys(customer_body.shape)))
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
    const { external_customer_id } = readQuery(ctx, customer_query)
    ctx.body = await findCustomer(door.customers, account_id, external_customer_id)
  })

  router.get(`${api_prefix}/customer/:customer_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const customer_id = ctx.params.customer_id ?? ''
    if (!isId(customer_id)) throw new Refusal('not_found', 'customer_id: not found')
    ctx.body = await viewCustomer(door.customers, account_id, customer_id)
  })
}
