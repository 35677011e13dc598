import { type GlossaryEntry, reportedFields, resultFields } from './result_words.ts'

const cursor: GlossaryEntry = [
  'The `next_cursor` of the page before. Good for this list alone, with the same parameters.',
  null,
]
const policyEntry = (what: string, example: string): GlossaryEntry => [`The reaction to ${what}.`, example]
const page: GlossaryEntry = ['The page.', []]

const customers = {
  external_customer_id: ['Your own id of the person.', 'c-1'],
  email: ['An e-mail address; letter case makes no difference.', 'alexis@example.com'],
  phone_number: ['`+` and 7 to 15 digits, of a country that exists.', '+442079460123'],
  erased_by: ['The client of the account, or `command_line`.', 'command_line'],
  subject: ['What was erased.', 'customer'],
  counts: ['How much of each was erased.', {}],
  cancelled: ['Transactions that were open, and ended as FAILED.', 0],
  transactions: ['Transactions.', 2],
  captures: ['Images and reported signals.', 9],
  faces: ['Enrolled faces.', 1],
  answers: ['Answers kept for an `Idempotency-Key`.', 2],
} as const satisfies Record<string, GlossaryEntry>

const tokens = {
  access_token: ['Opaque. Goes into `Authorization: Bearer` of every call of the backend.', 'dG9rZW4'],
  expires_in: ['Seconds.', 3600],
  token_type: ['Always `Bearer`.', 'Bearer'],
  error_description: ['What is wrong, for people.', 'client authentication failed'],
  'OAuthError.error': ['A code of RFC 6749 §5.2.', 'invalid_client'],
  grant_type: ['The only grant (RFC 6749 §4.4).', 'client_credentials'],
  client_id: ['The client, unless Basic authentication names it.', '0198a1c0-7e5a-7c3e-9f00-0123456789ab'],
  client_secret: ['Its secret, unless Basic authentication gives it.', 's3cret'],
  scope: ['The only scope.', 'account-integration-api/account-api-access'],
  keys: ['JSON Web Keys (RFC 7517), public members only.', []],
  sdk_token: ['For the device, of this one transaction. Opaque.', 'c2RrLXRva2Vu'],
} as const satisfies Record<string, GlossaryEntry>

const transactions = {
  transaction_type: [
    '`DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up.',
    'DOCUMENT_AND_BIOMETRIC',
  ],
  config: [
    'Every member is optional.',
    { webhook: { url: 'https://receiver.example/hook' }, transaction_ttl_minutes: 30, locale: 'pt-BR' },
  ],
  webhook: ['Where status changes are sent to; absent: nowhere.', {}],
  url: ['An https URL; no private address.', 'https://receiver.example/hook'],
  events: ['The statuses to be notified of; absent: all after CREATED.', ['FINISHED', 'FAILED', 'EXPIRED']],
  transaction_ttl_minutes: [
    'Lifetime of the transaction and of its `sdk_token`, in minutes. The operator sets the default by `TRANSACTION_TTL_MINUTES`.',
    60,
  ],
  device_policy: ['The reaction to each device signal; an absent member has its default.', {}],
  on_compromised_device: policyEntry('a rooted or jailbroken device, or an attached debugger', 'REJECT'),
  on_developer_mode: policyEntry('developer mode', 'WARN'),
  on_emulator: policyEntry('an emulator or a simulator', 'REJECT'),
  on_vpn_or_proxy: policyEntry('a VPN, a proxy or Tor', 'WARN'),
  on_gps_mock_location: policyEntry('a simulated location', 'REJECT'),
  on_gps_ip_location_mismatch: policyEntry('coordinates in another country than the IP address', 'WARN'),
  reference: ['Your own id of the transaction.', 'order-7'],
  locale: ['The person’s language, a BCP 47 tag, for their device.', 'pt-BR'],
  redirect_url: [
    'Where the capture page sends the person at the end, with `transaction_id` in the query; null where nowhere.',
    'https://shop.example/verified',
  ],
  verify_url: [
    'The capture page, its token or code in the fragment: a link for the person.',
    'https://id.example/verify#c2RrLXRva2Vu',
  ],
  expected_data: ['What the document is expected to say.', {}],
  test: ['For a test account: the outcome of the transaction.', {}],
  'test.decision': ['The decision.', 'REJECTED'],
  'test.issues': ['Codes of issues that the analysis finds.', ['EXPIRED_DOCUMENT']],
  failure: ['How the analysis fails; null where it does not.', null],
  delay_seconds: ['How long the analysis takes, on the account’s own clock.', 0],
  'test.webhook': ['How the first attempts of each delivery end, without a call.', null],
  'webhook.attempts': ['How many attempts end so.', 2],
  'webhook.answer': ['How they end.', 'TIMEOUT'],
  status: ['The status.', 'FINISHED'],
  decision: ['The decision; null in a list until there is one.', 'APPROVED'],
  initiated_at: ['When the device started the session; null before.', '2026-11-17T12:01:00.000Z'],
  completed_at: ['When the person finished the capture; null before.', '2026-11-17T12:03:00.000Z'],
  processing_at: ['When the analysis started; null before.', '2026-11-17T12:03:00.100Z'],
  finished_at: ['When it ended as FINISHED or FAILED; null before.', '2026-11-17T12:03:02.000Z'],
  result_data: ['The result; null until the status is FINISHED or FAILED.', null],
  sequence: ['Counts from 1.', 1],
  event: ['The event.', 'START'],
  sent_by: ['Who sent the event.', 'device'],
  created_from: ['Not before this time.', '2026-11-17T00:00:00.000Z'],
  created_to: ['Before this time.', '2026-11-18T00:00:00.000Z'],
  customer_id: ['The customer.', '0198a1c0-7e5a-7c3e-9f00-0123456789ab'],
  transaction_id: ['The transaction.', '0198a1c0-7e5a-7c3e-9f00-0123456789ac'],
  limit: ['How many at most.', 20],
  cursor,
  data: page,
  next_cursor: ['Where the next page begins; null at the end.', null],
} as const satisfies Record<string, GlossaryEntry>

const sessions = {
  steps: ['Every step of this transaction’s type.', []],
  step: ['The step.', 'document_front'],
  required: ['Whether the capture can’t end without it.', true],
  'steps.state': ['Whether it was taken.', 'missing'],
  attempts_left: ['Takes that are left, retakes included.', 10],
  next_step: ['The next required step that is missing; null where none is.', 'selfie'],
  'Session.document_type': [
    'What the person chose to show; null before the start, and where nothing was chosen.',
    'PASSPORT',
  ],
  may_capture: ['False where another device has taken the capture over: this one can only read.', true],
  handoff: ['Whether another device goes on, or may.', { state: 'none', expires_at: null }],
  'Handoff.state': ['`offered`: a code is open. `taken`: another device captures.', 'none'],
  'Handoff.expires_at': ['When the open code expires; null without one.', null],
  version: ['Changes whenever the session does; for `seen`.', 7],
  seen: ['The `version` that is known: an answer is wanted when there is another.', 7],
  'getSession.wait': ['Seconds to wait for another version than `seen`, 0 to 60.', 0],
  'offerHandoff.code': ['For one use, for ten minutes; the link has it too.', 'Q29kZQ'],
  'claimHandoff.code': ['The code, as the link has it after `handoff=`.', 'Q29kZQ'],
  'claimHandoff.sdk_token': ['A new token, of this device.', 'c2RrLXRva2Vu'],
  'Branding.name': ['Who asks the person.', 'Attestor'],
  logo_url: ['The logo’s URL, relative to the service’s; null where there is none.', 'verify/logo'],
  accent: ['The colour of what is to be pressed, `#rrggbb`; null where the page’s own is used.', '#0b5fff'],
  texts: ['Texts in place of the page’s own, by language and key.', { en: { 'consent.title': 'Welcome' } }],
  accepted_media_types: ['What images may be, by their content.', ['image/jpeg', 'image/png', 'image/webp']],
  max_image_bytes: ['Size of an image in bytes.', 10485760],
  max_image_megapixels: ['Size of an image in megapixels.', 50],
  accepted: ['It was taken.', true],
  warnings: ['Advice for the person, who can retake at once. New codes may come.', []],
  actions: [
    'What is asked for, seen from the person; image `n` answers action `n`.',
    ['TURN_LEFT', 'BLINK', 'TURN_RIGHT'],
  ],
  n: ['The index of the action, from 0.', '0'],
  kind: ['Which capture.', 'selfie'],
  wait: ['Seconds to wait for the end, 0 to 60.', 0],
  submitted: ['The capture was submitted.', true],
  outcome: ['The decision, never its reasons; null before.', 'APPROVED'],
  final: ['True ends the transaction; else the person may come back.', true],
} as const satisfies Record<string, GlossaryEntry>

const records = {
  media_type: ['By its content.', 'image/jpeg'],
  byte_count: ['Its size in bytes.', 183422],
  link: ['What the link ends with.', 'bGluaw'],
  payload: ['The evidence, in base64url.', 'e30'],
  protected: ['The header, in base64url.', 'e30'],
  signature: ['The signature, in base64url.', 'c2ln'],
} as const satisfies Record<string, GlossaryEntry>

const deliveries = {
  state: ['How the delivery is.', 'DELIVERED'],
  next_attempt_at: ['When it is tried next; null where it is not.', null],
  origin: ['Scheme, host and port of the receiver.', 'https://receiver.example:443'],
  'Delivery.attempts': ['Every attempt, the last ones last.', []],
  attempt: ['Counts from 1, and from 1 again after a redelivery.', 1],
  duration_ms: ['Milliseconds.', 120],
  http_status: ['What the receiver answered; null where it did not.', 204],
  address: ['The IP address that was dialled.', '203.0.113.7'],
  'DeliveryAttempt.error': ['Why it failed; null where it did not.', null],
  'DeliveryAttempt.outcome': ['How it ended.', 'delivered'],
  answer: ['The first bytes of the answer, at most 1 KiB.', null],
  redelivered: ['How many are sent again.', 3],
  from: ['Statuses reached not before this time.', '2026-11-17T00:00:00.000Z'],
  to: ['Statuses reached before this time.', '2026-11-18T00:00:00.000Z'],
} as const satisfies Record<string, GlossaryEntry>

const testMode = {
  advance_seconds: ['How far to advance the clock.', 3600],
  expires_in_seconds: ['Instead: how long before the transaction’s expiry the clock is set.', 1],
  'advanceTestClock.transaction_id': ['Only this transaction’s clock; absent: the account’s.', null],
  advanced_seconds: ['How far the clock was advanced.', 3600],
  wait_seconds: ['How long to wait for one, 0 to 20.', 20],
  delivery: ['An attempt to make; null where none is due.', null],
  lease: ['Identifies the attempt; send it with the report.', '0198a1c0.0198a1c1'],
  headers: ['The request’s headers, with their signature.', { 'Content-Type': 'application/json' }],
  body: ['The request’s body.', '{"status":"FINISHED"}'],
  'advanceTestClock.requestBody': ['', { advance_seconds: 3600 }],
  'reportAttempt.requestBody': ['', { lease: '0198a1c0.0198a1c1', status: 204, duration_ms: 120 }],
  'reportAttempt.status': ['What the receiver answered; absent where it did not.', 204],
  'reportAttempt.error': ['Why there was no answer.', 'connection refused'],
  retry_after: ['The answer’s `Retry-After`.', '60'],
} as const satisfies Record<string, GlossaryEntry>

const exampleId = '0198a1c0-7e5a-7c3e-9f00-0123456789ab'
const exampleTime = '2026-11-17T12:00:00.000Z'

const idsAndTimes = {
  id: ['Its identifier.', exampleId],
  delivery_id: ['The delivery.', exampleId],
  event_id: ['The same on every attempt.', exampleId],
  challenge_id: ['The challenge.', exampleId],
  capture_id: ['The image.', exampleId],
  erasure_id: ['The receipt.', exampleId],
  subject_id: ['The customer or the transaction that was erased.', exampleId],
  created_at: ['When it was created.', exampleTime],
  expires_at: ['When it expires.', exampleTime],
  server_time: ['Now, by the server’s clock.', exampleTime],
  occurred_at: ['When it happened.', exampleTime],
  started_at: ['When it began.', exampleTime],
  erased_at: ['When it was erased.', exampleTime],
  now: ['The account’s time, or the transaction’s.', exampleTime],
} as const satisfies Record<string, GlossaryEntry>

const operations = {
  error: [
    'The first rule broken: `<field path>: <rule violated>` where a field is to blame.',
    'email: must be an e-mail address',
  ],
} as const satisfies Record<string, GlossaryEntry>

/** Every field of the API by its name, or by `owner.name` where an owner has a meaning of its own for it. */
export const glossary: Readonly<Record<string, GlossaryEntry>> = {
  ...customers,
  ...tokens,
  ...transactions,
  ...resultFields,
  ...reportedFields,
  ...sessions,
  ...records,
  ...deliveries,
  ...testMode,
  ...idsAndTimes,
  ...operations,
}
