import type Router from '@koa/router'
import { z } from 'zod'
import { isId } from '../base/ids.ts'
import { Refusal } from '../base/refusal.ts'
import { isEmail, isPhoneNumber } from '../customers/contact.ts'
import { createCustomer, viewCustomer } from '../customers/customers.ts'
import { readJson } from './bodies.ts'
import { checkFields, ignoredFieldsHeader, rule, textField, unknownMembers } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor } from './front_door.ts'

const says_email = 'must be an e-mail address'
const says_phone = 'must be a telephone number: + and 7 to 15 digits'

/** spec, "Create customer"; decisions.md, "Customer": null is absent. */
const customer_body = z.object({
  external_customer_id: textField(1, 255),
  email: z
    .string({ error: rule(says_email) })
    .refine(isEmail, { error: says_email })
    .nullish()
    .transform(email => email ?? null),
  phone_number: z
    .string({ error: rule(says_phone) })
    .refine(isPhoneNumber, { error: says_phone })
    .nullish()
    .transform(phone_number => phone_number ?? null),
})

/** spec, "Create customer". */
/** spec, "Create customer", and reading one. */
export const customerRoutes = (router: Router, door: FrontDoor): void => {
  router.post(`${api_prefix}/customer`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const body = await readJson(ctx)
    const profile = checkFields(customer_body, body)
    const { customer, created } = await createCustomer(door.customers, account_id, profile)
    ctx.status = created ? 201 : 200
    ctx.set(ignoredFieldsHeader(unknownMembers(body, Object.keys(customer_body.shape))))
    ctx.set('Location', `${door.base_url}${api_prefix}/customer/${customer.customer_id}`)
    ctx.body = customer
  })

  router.get(`${api_prefix}/customer/:customer_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const customer_id = ctx.params.customer_id ?? ''
    if (!isId(customer_id)) throw new Refusal('not_found', 'customer_id: not found')
    ctx.body = await viewCustomer(door.customers, account_id, customer_id)
  })
}
