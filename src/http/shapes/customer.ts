import { z } from 'zod'
import { isEmail, isPhoneShaped, isPossiblePhone } from '../../identity/customers/contact.ts'
import type { CreatedCustomer, CustomerView } from '../../identity/customers/customers.ts'
import { id, stored_at } from '../../schemas/common.ts'
import { meaning, rule, textField } from '../../schemas/fields.ts'

const emailMeaning = meaning(
  'The person’s e-mail address, in which letter case makes no difference; null where there is none.',
  'alexis@example.com',
)

const phoneMeaning = meaning(
  'The person’s telephone number: `+`, a country code that exists, and 7 to 15 digits in all; null where there is none.',
  '+442079460123',
)

const notAnEmail = 'must be an e-mail address'
const notAPhone = 'must be a telephone number: + and 7 to 15 digits'
const impossiblePhone =
  'must be a possible telephone number: there is no such country code, or its numbers have another length'

const externalIdMeaning = meaning(
  'Your own id of the person, unique in your account; upper and lower case differ, ways in which Unicode composes a letter do not.',
  'c-1',
)

export const external_customer_id = textField(1, 255).meta(externalIdMeaning)

export const email = z
  .string({ error: rule(notAnEmail) })
  .refine(isEmail, { error: notAnEmail })
  .meta({ override: { format: 'email' } })
  .nullish()
  .meta(emailMeaning)

export const phone_number = z
  .string({ error: rule(notAPhone) })
  .refine(isPhoneShaped, { error: notAPhone, abort: true })
  .refine(isPossiblePhone, { error: impossiblePhone })
  .meta({ override: { pattern: '^\\+\\d{7,15}$' } })
  .nullish()
  .meta(phoneMeaning)

export const registeredCustomer = z
  .object({
    external_customer_id: z.string().meta(externalIdMeaning),
    customer_id: id.meta(meaning('Identifies the customer in other calls.')),
    created_at: stored_at,
  })
  .meta({ id: 'RegisteredCustomer' }) satisfies z.ZodType<CreatedCustomer['customer']>

export const customer = z
  .object({
    ...registeredCustomer.shape,
    email: z.string().nullable().meta(emailMeaning),
    phone_number: z.string().nullable().meta(phoneMeaning),
  })
  .meta({ id: 'Customer' }) satisfies z.ZodType<CustomerView>
