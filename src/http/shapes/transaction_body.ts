import {
  completePolicy,
  type DevicePolicy,
  type DevicePolicyName,
  decisions,
  defaultDevicePolicy,
  defaultDocumentPolicy,
  defaultFraudPolicy,
  devicePolicyNames,
  documentSources,
  type FraudPolicy,
  findAction,
  policyActions,
  transactionTypes,
  unknownDocumentPolicies,
} from '@attestor/rules'
import { z } from 'zod'
import { featurePolicy, featureReactions, readFeatureConfig } from '../../features.ts'
import { typeMeaning } from '../../schemas/common.ts'
import {
  closedObjectField,
  idField,
  integerField,
  meaning,
  objectField,
  optionalWordField,
  orNull,
  rule,
  textField,
  withDefault,
  wordField,
} from '../../schemas/fields.ts'
import { scriptedFailures, scriptedResponses, type TransactionRequest } from '../../verification/transactions/config.ts'
import { scriptedCodes } from '../../verification/transactions/scenes.ts'
import type { DocumentDeps } from '../deps.ts'

/** Java, Android, Python and POSIX write `pt_BR`. */
function normaliseLocale(text: string): string {
  return text.replaceAll('_', '-')
}

function isLocale(text: string): boolean {
  try {
    return text.length <= 35 && Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const notALocale = 'must be a language tag such as en or pt-BR'

export const locale = z
  .string({ error: rule(notALocale) })
  .overwrite(normaliseLocale)
  .refine(isLocale, { error: notALocale })

function isDate(text: string): boolean {
  return /^(19|20)\d\d-\d\d-\d\d$/.test(text) && z.iso.date().safeParse(text).success
}

const notADate = 'must be a date, YYYY-MM-DD'

const withoutLetter = 'must contain a letter'

/** A name such as `-` would be compared with none, and never found. */
const nameField = textField(1, 255).refine(text => /\p{L}/u.test(text), { error: withoutLetter })

/** A document number must have at least four letters or digits, as printed ones do. */
const numberField = textField(1, 50).refine(text => (text.match(/[A-Z0-9]/gi) ?? []).length >= 4, {
  error: 'must have at least 4 letters or digits',
})

const expected_data = objectField({
  first_name: orNull(nameField).meta(
    meaning('All given names, in Latin or Cyrillic letters; null where they are not compared.', 'ANNA MARIA'),
  ),
  last_name: orNull(nameField).meta(
    meaning('The surname, in Latin or Cyrillic letters; null where it is not compared.', 'ERIKSSON'),
  ),
  date_of_birth: orNull(
    z
      .string({ error: rule(notADate) })
      .refine(isDate, { error: notADate })
      .meta({ override: { format: 'date' } }),
  ).meta(meaning('The day of birth, `YYYY-MM-DD`; null where it is not compared.', '1974-08-12')),
  document_number: orNull(numberField).meta(
    meaning(
      'The number of the document; null where it is not compared. What stands between its letters and digits does not matter.',
      'L898902C3',
    ),
  ),
})

type GivenData = z.output<typeof expected_data>

function toExpectedData(given: GivenData | null | undefined): GivenData | null {
  return given && Object.values(given).some(value => value !== null) ? given : null
}

const reaction = optionalWordField(policyActions)

const signalNames: Readonly<Record<DevicePolicyName, string>> = {
  on_compromised_device: 'a rooted or jailbroken device, or an attached debugger',
  on_developer_mode: 'developer mode',
  on_emulator: 'an emulator or a simulator',
  on_virtual_camera: 'a virtual camera',
  on_vpn_or_proxy: 'a VPN, a proxy or Tor',
  on_gps_mock_location: 'a simulated location',
  on_gps_ip_location_mismatch: 'a location in another country than the IP address',
  ...featureReactions,
}

const withoutDefault = ' Absent: `WARN` where the device reports such a camera, and silent where it reports none.'

function reactionTo(name: DevicePolicyName) {
  const words = `What ${signalNames[name]} does: \`REJECT\` rejects, \`WARN\` adds an issue that decides nothing, \`IGNORE\` is silent.`
  if (name === 'on_virtual_camera') return reaction.meta(meaning(`${words}${withoutDefault}`, 'WARN'))
  const usual = findAction(name, {})
  const isOurs = usual === 'IGNORE'
  return reaction.meta({ ...meaning(words, isOurs ? 'REJECT' : usual), override: { default: usual } })
}

const device_policy = closedObjectField(Object.fromEntries(devicePolicyNames.map(name => [name, reactionTo(name)])))

const sharedNames: Readonly<Record<keyof FraudPolicy, string>> = {
  on_document_of_another_customer: 'a document that another customer of your account has used',
  on_image_of_another_transaction: 'a picture that is in a transaction of another customer of your account',
  on_face_of_another_customer: 'a face that another customer of your account is enrolled with',
}

const fraud_policy = closedObjectField(
  Object.fromEntries(
    (Object.keys(sharedNames) as (keyof FraudPolicy)[]).map(name => {
      const example = defaultFraudPolicy[name]
      const words = `What ${sharedNames[name]} does: \`REJECT\` rejects, \`WARN\` adds an issue that decides nothing, \`IGNORE\` looks for none.`
      return [name, reaction.meta({ ...meaning(words, example), override: { default: example } })]
    }),
  ),
)

const notSources = `must be a list of at most ${documentSources.length} sources`

const document_policy = closedObjectField({
  unknown_document: withDefault(wordField(unknownDocumentPolicies), defaultDocumentPolicy.unknown_document).meta(
    meaning(
      'What a document of a kind that is not known is to the decision: `IGNORE` leaves it open, `MATCH_EXPECTED` takes it where all of `expected_data` is printed on it, both names and the birth at least.',
      'MATCH_EXPECTED',
    ),
  ),
  refused_sources: withDefault(
    z.array(wordField(documentSources), { error: rule(notSources) }).max(documentSources.length, { error: notSources }),
    [],
  ).meta(meaning('What the data of a document may not rest on: such a document is refused.', ['EXPECTED_DATA'])),
  ...featurePolicy,
})

const age = closedObjectField({
  over: integerField(1, 99).meta(meaning('The age in years that the person must have reached, from 1 to 99.', 18)),
})

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

/** An app's own scheme, where the operator has allowed it, or an https URL. */
function checkRedirect({ checkDestination, redirectSchemes }: DocumentDeps): CheckDestination {
  return text =>
    redirectSchemes.some(scheme => text.startsWith(`${scheme}:`)) && URL.canParse(text) && text.length <= 2048
      ? null
      : checkDestination(text)
}

const notOrigins = 'must be a list of at most 10 origins'

function embedOrigins(allowed: readonly string[]) {
  const notAllowed = 'must be an origin that the operator allows by EMBED_ORIGINS'
  const origin = z.string({ error: rule(notAllowed) }).refine(one => allowed.includes(one), { error: notAllowed })
  return withDefault(z.array(origin, { error: rule(notOrigins) }).max(10, { error: notOrigins }), [])
}

const notifiedStatuses = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED'] as const
const notEvents = 'must be a list of 1 to 6 statuses'

function webhook(checkDestination: CheckDestination) {
  return objectField({
    url: url(checkDestination).meta(
      meaning(
        'The URL of your receiver: https, at most 2,048 characters, and no private address unless the operator allows its host.',
        'https://receiver.example/hook',
      ),
    ),
    events: orNull(
      z
        .array(wordField(notifiedStatuses), { error: rule(notEvents) })
        .min(1, { error: notEvents })
        .max(notifiedStatuses.length, { error: notEvents }),
    ).meta({
      ...meaning('The statuses that you want to be notified of.', ['FINISHED', 'FAILED', 'EXPIRED']),
      override: { default: notifiedStatuses },
    }),
  })
}

const notIssues = 'must be a list of at most 20 issue codes'

const testWebhook = objectField({
  attempts: integerField(1, 50).meta(
    meaning('How many attempts of each delivery end like this, before real ones are made.', 2),
  ),
  answer: wordField(scriptedResponses).meta(
    meaning('What those attempts end with, as if your receiver had done so.', 'TIMEOUT'),
  ),
})

const test = closedObjectField({
  decision: orNull(wordField(decisions)).meta(
    meaning('The decision that is made; null: the one that `issues` lead to.', 'REJECTED'),
  ),
  issues: withDefault(
    z.array(wordField(scriptedCodes), { error: rule(notIssues) }).max(20, { error: notIssues }),
    [],
  ).meta(meaning('Codes of the issues that the result has, at most 20.', ['EXPIRED_DOCUMENT'])),
  second_issues: withDefault(
    z.array(wordField(scriptedCodes), { error: rule(notIssues) }).max(20, { error: notIssues }),
    [],
  ).meta(
    meaning(
      'Codes of the issues that the result has once the person has taken again what could not be judged, where the account lets them; at most 20.',
      [],
    ),
  ),
  failure: orNull(wordField(scriptedFailures)).meta(meaning('How the analysis fails; null where it does not.', null)),
  delay_seconds: withDefault(integerField(0, 3600), 0).meta(
    meaning('How long the analysis takes, in seconds of the account’s own clock.', 0),
  ),
  webhook: orNull(testWebhook).meta(
    meaning('How the first attempts of each delivery end, without a call; null: as your receiver answers.'),
  ),
})

/** The body of Create transaction. */
export function transactionBody(deps: DocumentDeps) {
  const { checkDestination, defaultTtlMinutes } = deps
  const config = objectField({
    webhook: orNull(webhook(checkDestination)).meta(
      meaning('Where changes of the status are sent to; absent or null: nowhere.'),
    ),
    transaction_ttl_minutes: withDefault(integerField(1, 1440), defaultTtlMinutes).meta(
      meaning(
        'Lifetime of the transaction and of its `sdk_token`, in minutes. The operator sets the default by `TRANSACTION_TTL_MINUTES`.',
        60,
      ),
    ),
    device_policy: device_policy
      .nullish()
      .transform(given => completePolicy<DevicePolicy>(defaultDevicePolicy, given))
      .meta(meaning('What each signal of a device does to the decision.')),
    fraud_policy: fraud_policy
      .nullish()
      .transform((given): Partial<FraudPolicy> | null => given ?? null)
      .meta(
        meaning(
          'What it does to the decision that another customer of your account shares something. What it does not say is as the operator has set it for your account.',
        ),
      ),
    reference: orNull(textField(1, 255)).meta(
      meaning(
        'Your own id of the transaction, by which you can list it; null for none. It need not be unique.',
        'order-7',
      ),
    ),
    locale: orNull(locale).meta(
      meaning(
        'The person’s language as a BCP 47 tag, for the capture page and your app; null: the browser’s.',
        'pt-BR',
      ),
    ),
    redirect_url: orNull(url(checkRedirect(deps))).meta(
      meaning(
        'Where the capture page sends the person at the end, with `transaction_id` in the query; null for nowhere.',
        'https://shop.example/verified',
      ),
    ),
    document_policy: document_policy
      .nullish()
      .transform(given => given ?? defaultDocumentPolicy)
      .meta(meaning('What is asked of the document beside its pictures.')),
    age: orNull(age).meta(meaning('The age that an `AGE` transaction asks for; absent in every other.', { over: 18 })),
    ...readFeatureConfig({ link: url(checkRedirect(deps)) }),
    embed_origins: embedOrigins(deps.embedOrigins).meta(
      meaning('Whose pages may show the capture page in a frame, of those that the operator allows.', [
        'https://shop.example',
      ]),
    ),
    expected_data: expected_data
      .nullish()
      .transform(toExpectedData)
      .meta(
        meaning(
          'What you know about the person: if the document says otherwise, the transaction is rejected. Null: nothing is compared.',
        ),
      ),
    test: orNull(test).meta(meaning('Only for a test account: how the transaction goes, without an analysis.')),
  })
  return z.object({
    customer_id: idField().meta(
      meaning(
        'The person who is verified, by the id that Create customer returned.',
        '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
      ),
    ),
    transaction_type: wordField(transactionTypes).meta(typeMeaning),
    config: config
      .nullish()
      .transform(given => given ?? config.parse({}))
      .meta(
        meaning('How this transaction is run; every member may be left out.', {
          webhook: { url: 'https://receiver.example/hook' },
          transaction_ttl_minutes: 30,
          locale: 'pt-BR',
        }),
      ),
  })
}

type Body = z.output<ReturnType<typeof transactionBody>>

/** A member of the schema that `TransactionRequest` does not name would be stored and read by nobody. */
type Unread = Exclude<keyof Body['config'], keyof TransactionRequest | 'test'>

/** Keeps every member of `config`, so that none that the schema accepts is lost. */
export function toTransactionRequest({
  config: { test, ...config },
  ...body
}: Body): TransactionRequest & Partial<Record<Unread, never>> {
  return { ...body, ...config, requested_test: test }
}
