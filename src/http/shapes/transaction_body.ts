import { z } from 'zod'
import { completeDevicePolicy, defaultDevicePolicy } from '../../decision/device_policy.ts'
import { scriptedCodes } from '../../engines/scenarios.ts'
import { scriptedFailures, scriptedResponses, type TransactionRequest } from '../../verification/transactions/config.ts'
import type { DocumentDeps } from '../deps.ts'
import {
  closedObjectField,
  idField,
  integerField,
  objectField,
  rule,
  textField,
  withDefault,
  wordField,
} from '../fields.ts'

function isLocale(text: string): boolean {
  try {
    return text.length <= 35 && Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const notALocale = 'must be a language tag such as en or pt-BR'

const locale = z.string({ error: rule(notALocale) }).refine(isLocale, { error: notALocale })

function isDate(text: string): boolean {
  return /^(19|20)\d\d-\d\d-\d\d$/.test(text) && z.iso.date().safeParse(text).success
}

const notADate = 'must be a date, YYYY-MM-DD'

const expected_data = objectField({
  first_name: textField(1, 255).nullish(),
  last_name: textField(1, 255).nullish(),
  date_of_birth: z
    .string({ error: rule(notADate) })
    .refine(isDate, { error: notADate })
    .meta({ override: { format: 'date' } })
    .nullish(),
})

const reaction = wordField(['REJECT', 'WARN', 'IGNORE']).optional()

/** Defaults are filled in later, because the whole policy may be absent. */
const device_policy = closedObjectField(
  Object.fromEntries(
    Object.entries(defaultDevicePolicy).map(([name, action]) => [
      name,
      reaction.meta({ override: { default: action } }),
    ]),
  ),
)

/** The rule that a URL breaks, or null. */
type CheckDestination = (url: string) => string | null

function url(checkDestination: CheckDestination) {
  return z
    .string({ error: rule('must be an https URL') })
    .superRefine((text, context) => {
      const broken = checkDestination(text)
      if (broken !== null) context.addIssue({ code: 'custom', message: broken })
    })
    .meta({ override: { format: 'uri', maxLength: 2048 } })
}

const notifiedStatuses = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED'] as const
const notEvents = 'must be a list of 1 to 6 statuses'

function webhook(checkDestination: CheckDestination) {
  return objectField({
    url: url(checkDestination),
    events: z
      .array(wordField(notifiedStatuses), { error: rule(notEvents) })
      .min(1, { error: notEvents })
      .max(notifiedStatuses.length, { error: notEvents })
      .nullish()
      .meta({ override: { default: notifiedStatuses } }),
  })
}

const notIssues = 'must be a list of at most 20 issue codes'

const test = closedObjectField({
  decision: wordField(['APPROVED', 'REJECTED', 'UNDETERMINED']).nullish(),
  issues: withDefault(z.array(wordField(scriptedCodes), { error: rule(notIssues) }).max(20, { error: notIssues }), []),
  failure: wordField(scriptedFailures).nullish(),
  delay_seconds: withDefault(integerField(0, 3600), 0),
  webhook: objectField({ attempts: integerField(1, 50), answer: wordField(scriptedResponses) }).nullish(),
})

/** The body of Create transaction. */
export function transactionBody({ checkDestination, defaultTtlMinutes }: DocumentDeps) {
  return z.object({
    customer_id: idField(),
    transaction_type: wordField(['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY']),
    config: objectField({
      webhook: webhook(checkDestination).nullish(),
      transaction_ttl_minutes: integerField(1, 1440)
        .nullish()
        .meta({ override: { default: defaultTtlMinutes } }),
      device_policy: device_policy.nullish(),
      reference: textField(1, 255).nullish(),
      locale: locale.nullish(),
      redirect_url: url(checkDestination).nullish(),
      expected_data: expected_data.nullish(),
      test: test.nullish(),
    }).nullish(),
  })
}

function toExpectedData(given: z.infer<typeof expected_data> | null | undefined): TransactionRequest['expected_data'] {
  const { first_name = null, last_name = null, date_of_birth = null } = given ?? {}
  return first_name === null && last_name === null && date_of_birth === null
    ? null
    : { first_name, last_name, date_of_birth }
}

function toScript(given: z.infer<typeof test> | null | undefined): TransactionRequest['requested_test'] {
  if (given === null || given === undefined) return null
  const { decision = null, issues, failure = null, delay_seconds, webhook: receiver = null } = given
  return { decision, issues, failure, delay_seconds, webhook: receiver }
}

/** The call, with the defaults of what is absent. */
export function toOpenTransaction(
  { customer_id, transaction_type, config }: z.infer<ReturnType<typeof transactionBody>>,
  defaultTtlMinutes: number,
): TransactionRequest {
  return {
    customer_id,
    transaction_type,
    webhook: config?.webhook ? { url: config.webhook.url, events: config.webhook.events ?? null } : null,
    transaction_ttl_minutes: config?.transaction_ttl_minutes ?? defaultTtlMinutes,
    device_policy: completeDevicePolicy(config?.device_policy),
    reference: config?.reference ?? null,
    locale: config?.locale ?? null,
    redirect_url: config?.redirect_url ?? null,
    expected_data: toExpectedData(config?.expected_data),
    requested_test: toScript(config?.test),
  }
}
