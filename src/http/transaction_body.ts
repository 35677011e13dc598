import { z } from 'zod'
import { completeDevicePolicy, defaultDevicePolicy } from '../decision/device_policy.ts'
import { scriptedCodes } from '../engines/scenarios.ts'
import { type OpenTransaction, scripted_answers, scripted_failures } from '../transactions/config.ts'
import type { JsonObject } from './bodies.ts'
import { checkFields, idField, ignoredMembers, objectField, rule, textField, wordField } from './fields.ts'

/** What the rules of a body depend on. */
export interface TransactionRules {
  readonly default_ttl_minutes: number
  readonly checkDestination: (url: string) => string | null
}

const says_url = 'must be an https URL'
const says_ttl = 'must be an integer from 1 to 1440'
const says_locale = 'must be a language tag such as en or pt-BR'
const says_date = 'must be a date, YYYY-MM-DD'

const isLocale = (text: string): boolean => {
  try {
    return text.length <= 35 && Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const isDate = (text: string): boolean => /^(19|20)\d\d-\d\d-\d\d$/.test(text) && z.iso.date().safeParse(text).success

const policy_member = wordField(['REJECT', 'WARN', 'IGNORE']).optional()
const policy_members = Object.keys(defaultDevicePolicy)

/** spec, "Device policy". Unknown members are refused: a misspelt rule would silently not hold. */
const device_policy = z.strictObject(Object.fromEntries(policy_members.map(name => [name, policy_member])), {
  error: issue => (issue.code === 'unrecognized_keys' ? 'unknown member' : rule('must be an object')(issue)),
})

const url = (checkDestination: TransactionRules['checkDestination']) =>
  z
    .string({ error: rule(says_url) })
    .superRefine((text, context) => {
      const broken = checkDestination(text)
      if (broken !== null) context.addIssue({ code: 'custom', message: broken })
    })
    .meta({ override: { format: 'uri', maxLength: 2048 } })

const told_statuses = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED'] as const
const says_events = 'must be a list of 1 to 6 statuses'

const expected_data = objectField({
  first_name: textField(1, 255).nullish(),
  last_name: textField(1, 255).nullish(),
  date_of_birth: z
    .string({ error: rule(says_date) })
    .refine(isDate, { error: says_date })
    .meta({ override: { format: 'date' } })
    .nullish(),
})

const webhook = (rules: TransactionRules) =>
  objectField({
    url: url(rules.checkDestination),
    events: z
      .array(wordField(told_statuses), { error: rule(says_events) })
      .min(1, { error: says_events })
      .max(told_statuses.length, { error: says_events })
      .nullish(),
  })

const says_attempts = 'must be an integer from 1 to 50'
const says_delay = 'must be an integer from 0 to 3600'
const says_issues = 'must be a list of at most 20 issue codes'

/** README, "Test mode". Unknown members are refused: what a test does not do should be seen. */
const test = z.strictObject(
  {
    decision: wordField(['APPROVED', 'REJECTED', 'UNDETERMINED']).nullish(),
    issues: z
      .array(wordField(scriptedCodes), { error: rule(says_issues) })
      .max(20, { error: says_issues })
      .nullish(),
    failure: wordField(scripted_failures).nullish(),
    delay_seconds: z
      .int({ error: rule(says_delay) })
      .min(0, { error: says_delay })
      .max(3600, { error: says_delay })
      .nullish(),
    webhook: objectField({
      attempts: z
        .int({ error: rule(says_attempts) })
        .min(1, { error: says_attempts })
        .max(50, { error: says_attempts }),
      answer: wordField(scripted_answers),
    }).nullish(),
  },
  { error: issue => (issue.code === 'unrecognized_keys' ? 'unknown member' : rule('must be an object')(issue)) },
)

const askedOf = (given: z.infer<typeof test> | null | undefined): OpenTransaction['asked_test'] => {
  if (given === null || given === undefined) return null
  const { decision = null, issues = null, failure = null, delay_seconds = null, webhook = null } = given
  return { decision, issues: issues ?? [], failure, delay_seconds: delay_seconds ?? 0, webhook }
}

const config = (rules: TransactionRules) =>
  objectField({
    webhook: webhook(rules).nullish(),
    transaction_ttl_minutes: z
      .int({ error: rule(says_ttl) })
      .min(1, { error: says_ttl })
      .max(1440, { error: says_ttl })
      .nullish(),
    device_policy: device_policy.nullish(),
    reference: textField(1, 255).nullish(),
    locale: z
      .string({ error: rule(says_locale) })
      .refine(isLocale, { error: says_locale })
      .nullish(),
    expected_data: expected_data.nullish(),
    test: test.nullish(),
  })

/** spec, "Create transaction": the body. */
export const transactionBody = (rules: TransactionRules) =>
  z.object({
    customer_id: idField(),
    transaction_type: wordField(['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY']),
    config: config(rules).nullish(),
  })

type Body = z.infer<ReturnType<typeof transactionBody>>

const expectedOf = (given: z.infer<typeof expected_data> | null | undefined): OpenTransaction['expected_data'] => {
  if (given === null || given === undefined) return null
  const { first_name = null, last_name = null, date_of_birth = null } = given
  return first_name === null && last_name === null && date_of_birth === null
    ? null
    : { first_name, last_name, date_of_birth }
}

const callOf = ({ customer_id, transaction_type, config: given }: Body, default_ttl: number): OpenTransaction => ({
  customer_id,
  transaction_type,
  webhook: given?.webhook ? { url: given.webhook.url, events: given.webhook.events ?? null } : null,
  transaction_ttl_minutes: given?.transaction_ttl_minutes ?? default_ttl,
  device_policy: completeDevicePolicy(given?.device_policy),
  reference: given?.reference ?? null,
  locale: given?.locale ?? null,
  expected_data: expectedOf(given?.expected_data),
  asked_test: askedOf(given?.test),
})

/** A checked Create transaction call, and the members that were ignored. */
export interface CheckedTransaction {
  readonly call: OpenTransaction
  readonly ignored: readonly string[]
}

/** Makes the check of spec, "Create transaction". */
export const transactionChecker = (rules: TransactionRules): ((body: JsonObject) => CheckedTransaction) => {
  const schema = transactionBody(rules)
  return body => ({
    call: callOf(checkFields(schema, body), rules.default_ttl_minutes),
    ignored: ignoredMembers(schema, body),
  })
}
