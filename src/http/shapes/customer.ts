import { z } from 'zod'
import { isEmail, isPhoneShaped, isPossiblePhone } from '../../identity/customers/contact.ts'
import type { CreatedCustomer, CustomerView } from '../../identity/customers/customers.ts'
import { rule } from '../fields.ts'
import { id, timestamp } from './common.ts'

const notAnEmail = 'must be an e-mail address'
const notAPhone = 'must be a telephone number: + and 7 to 15 digits'
const impossiblePhone =
  'must be a possible telephone number: there is no such country code, or its numbers have another length'

export const email = z
  .string({ error: rule(notAnEmail) })
  .refine(isEmail, { error: notAnEmail })
  .meta({ override: { format: 'email' } })
  .nullish()

export const phone_number = z
  .string({ error: rule(notAPhone) })
  .refine(isPhoneShaped, { error: notAPhone, abort: true })
  .refine(isPossiblePhone, { error: impossiblePhone })
  .meta({ override: { pattern: '^\\+\\d{7,15}$' } })
  .nullish()

export const registeredCustomer = z
  .object({ external_customer_id: z.string(), customer_id: id, created_at: timestamp })
  .meta({ id: 'RegisteredCustomer' }) satisfies z.ZodType<CreatedCustomer['customer']>

export const customer = z
  .object({ ...registeredCustomer.shape, email: z.string().nullable(), phone_number: z.string().nullable() })
  .meta({ id: 'Customer' }) satisfies z.ZodType<CustomerView>
