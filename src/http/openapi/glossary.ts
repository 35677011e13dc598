import { type GlossaryEntry, reportedFields, resultFields } from './result_words.ts'

const cursor: GlossaryEntry = [
  'The `next_cursor` of the page before. Valid for this list only, with the same parameters.',
  null,
]

function policyEntry(what: string, example: string): GlossaryEntry {
  return [
    `What ${what} does: \`REJECT\` rejects, \`WARN\` adds an issue that decides nothing, \`IGNORE\` is silent.`,
    example,
  ]
}

const page: GlossaryEntry = ['The entries of this page; an empty list where nothing fits.', []]

const customers = {
  external_customer_id: ['Your own id of the person, unique in your account; upper and lower case differ.', 'c-1'],
  email: [
    'The person’s e-mail address, in which letter case makes no difference; null where there is none.',
    'alexis@example.com',
  ],
  phone_number: [
    'The person’s telephone number: `+`, a country code that exists, and 7 to 15 digits in all; null where there is none.',
    '+442079460123',
  ],
  erased_by: ['Who asked for it: a client id of your account, or `command_line` for the operator.', 'command_line'],
  subject: ['Whether a customer was erased, with all of their transactions, or one transaction.', 'customer'],
  counts: ['How much of each was erased.', {}],
  cancelled: ['Transactions that were open, and ended as FAILED.', 0],
  transactions: ['Transactions that were emptied.', 2],
  captures: ['Images and reported signals that were deleted.', 9],
  faces: ['Enrolled faces that were deleted: 0 or 1 of a customer.', 1],
  answers: ['Answers that were kept for an `Idempotency-Key`, and deleted.', 2],
} as const satisfies Record<string, GlossaryEntry>

const tokens = {
  access_token: ['Opaque. Goes into `Authorization: Bearer` of every call of the backend.', 'dG9rZW4'],
  expires_in: ['How long the token is valid, in seconds from now.', 3600],
  token_type: ['Always `Bearer`.', 'Bearer'],
  error_description: ['What is wrong, for people.', 'client authentication failed'],
  'OAuthError.error': ['What went wrong, as a code of RFC 6749 §5.2.', 'invalid_client'],
  grant_type: ['How the token is asked for: always by client credentials (RFC 6749 §4.4).', 'client_credentials'],
  client_id: [
    'Your client’s id, from the operator; left out where Basic authentication names it.',
    '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
  ],
  client_secret: ['Your client’s secret; left out where Basic authentication gives it.', 's3cret'],
  scope: ['What the token is for: the one scope that there is.', 'account-integration-api/account-api-access'],
  keys: ['JSON Web Keys (RFC 7517), public members only.', []],
  sdk_token: [
    'The device’s token, opaque and for this one transaction: it goes into `Authorization: Bearer`.',
    'c2RrLXRva2Vu',
  ],
} as const satisfies Record<string, GlossaryEntry>

const transactions = {
  transaction_type: [
    '`DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up.',
    'DOCUMENT_AND_BIOMETRIC',
  ],
  config: [
    'How this transaction is run; every member may be left out.',
    { webhook: { url: 'https://receiver.example/hook' }, transaction_ttl_minutes: 30, locale: 'pt-BR' },
  ],
  webhook: ['Where changes of the status are sent to; absent or null: nowhere.', {}],
  url: [
    'The URL of your receiver: https, at most 2,048 characters, and no private address unless the operator allows its host.',
    'https://receiver.example/hook',
  ],
  events: ['The statuses that you want to be notified of.', ['FINISHED', 'FAILED', 'EXPIRED']],
  transaction_ttl_minutes: [
    'Lifetime of the transaction and of its `sdk_token`, in minutes. The operator sets the default by `TRANSACTION_TTL_MINUTES`.',
    60,
  ],
  device_policy: ['What each signal of a device does to the decision.', {}],
  on_compromised_device: policyEntry('a rooted or jailbroken device, or an attached debugger', 'REJECT'),
  on_developer_mode: policyEntry('developer mode', 'WARN'),
  on_emulator: policyEntry('an emulator or a simulator', 'REJECT'),
  on_vpn_or_proxy: policyEntry('a VPN, a proxy or Tor', 'WARN'),
  on_gps_mock_location: policyEntry('a simulated location', 'REJECT'),
  on_gps_ip_location_mismatch: policyEntry('coordinates in another country than the IP address', 'WARN'),
  reference: [
    'Your own id of the transaction, by which you can list it; null where you gave none. It need not be unique.',
    'order-7',
  ],
  locale: ['The person’s language as a BCP 47 tag, for the capture page and your app; null: the browser’s.', 'pt-BR'],
  redirect_url: [
    'Where the capture page sends the person at the end, with `transaction_id` in the query; null for nowhere.',
    'https://shop.example/verified',
  ],
  verify_url: [
    'The capture page, its token or code in the fragment: a link for the person.',
    'https://id.example/verify#c2RrLXRva2Vu',
  ],
  expected_data: [
    'What you know about the person: if the document says otherwise, the transaction is rejected. Null: nothing is compared.',
    {},
  ],
  test: ['Only for a test account: how the transaction goes, without an analysis.', {}],
  'test.decision': ['The decision that is made; null: the one that `issues` lead to.', 'REJECTED'],
  'test.issues': ['Codes of the issues that the result has, at most 20.', ['EXPIRED_DOCUMENT']],
  failure: ['How the analysis fails; null where it does not.', null],
  delay_seconds: ['How long the analysis takes, in seconds of the account’s own clock.', 0],
  'test.webhook': ['How the first attempts of each delivery end, without a call.', null],
  'webhook.attempts': ['How many attempts of each delivery end like this, before real ones are made.', 2],
  'webhook.answer': ['What those attempts end with, as if your receiver had done so.', 'TIMEOUT'],
  status: ['Where the transaction is in its life; `FINISHED`, `FAILED` and `EXPIRED` are final.', 'FINISHED'],
  decision: ['What was decided about the person; null until there is a result.', 'APPROVED'],
  initiated_at: ['When the device started the session; null before.', '2026-11-17T12:01:00.000Z'],
  completed_at: ['When the person finished the capture; null before.', '2026-11-17T12:03:00.000Z'],
  processing_at: ['When the analysis started; null before.', '2026-11-17T12:03:00.100Z'],
  finished_at: ['When it ended as FINISHED or FAILED; null before, and where it expired.', '2026-11-17T12:03:02.000Z'],
  result_data: ['The result; null until the status is FINISHED or FAILED.', null],
  sequence: ['The place in the order of this transaction’s entries, from 1.', 1],
  event: ['What happened, by the name that the transaction’s state chart has for it.', 'START'],
  sent_by: ['Who made it happen: the device, your backend, the operator, or the service itself.', 'device'],
  created_from: ['Only what was created at this time or later.', '2026-11-17T00:00:00.000Z'],
  created_to: ['Only what was created before this time.', '2026-11-18T00:00:00.000Z'],
  customer_id: [
    'The person who is verified, by the id that Create customer returned.',
    '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
  ],
  transaction_id: [
    'The verification, by the id that Create transaction returned.',
    '0198a1c0-7e5a-7c3e-9f00-0123456789ac',
  ],
  limit: ['How many entries a page has at most.', 20],
  cursor,
  data: page,
  next_cursor: ['Where the next page begins; null at the end.', null],
} as const satisfies Record<string, GlossaryEntry>

const sessions = {
  steps: ['Every step of this transaction’s type.', []],
  step: ['What the person shows: a side of the document, their face, or movements.', 'document_front'],
  required: ['Whether the capture can’t end without it.', true],
  'steps.state': ['`captured` once there is a usable picture; `missing` before, and after it was dropped.', 'missing'],
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
  seen: ['The `version` that you know: the call returns when there is another.', 7],
  'getSession.wait': ['Seconds to wait for another version than `seen`, 0 to 60.', 0],
  'OfferedHandoff.code': ['For one use, for ten minutes; the link has it too.', 'Q29kZQ'],
  'claimHandoff.code': ['The one-time code, as the link has it after `handoff=`.', 'Q29kZQ'],
  'ClaimedHandoff.sdk_token': [
    'A new token, for this device: the first one may only read from now on.',
    'c2RrLXRva2Vu',
  ],
  accepted_media_types: ['What images may be, by their content.', ['image/jpeg', 'image/png', 'image/webp']],
  max_image_bytes: ['The largest image that is accepted, in bytes.', 10485760],
  max_image_megapixels: ['The largest image that is accepted, in millions of pixels.', 50],
  accepted: ['The image is stored, and the step is captured: always true, as anything else is an error.', true],
  warnings: ['Advice for the person, who can retake at once. New codes may come.', []],
  actions: [
    'What is asked for, seen from the person; image `n` answers action `n`.',
    ['TURN_LEFT', 'BLINK', 'TURN_RIGHT'],
  ],
  n: ['The index of the action, from 0.', '0'],
  kind: ['What the image shows, such as `document_front`, `selfie` or an image of the challenge.', 'selfie'],
  wait: ['Seconds to wait for the end, 0 to 60.', 0],
  submitted: ['Always true: the person is done, and the analysis follows.', true],
  outcome: [
    'What was decided, without reasons, for the person to see; null until the transaction has ended.',
    'APPROVED',
  ],
  final: ['True ends the transaction; else the person may come back.', true],
} as const satisfies Record<string, GlossaryEntry>

const records = {
  media_type: ['The image’s type, found by its content, not by what the device said.', 'image/jpeg'],
  byte_count: ['The image’s size in bytes, as it was uploaded.', 183422],
  link: ['The last part of the link’s URL: a secret that opens one image, for five minutes.', 'bGluaw'],
  payload: ['The evidence: JSON in base64url.', 'e30'],
  protected: ['The header that is signed with it, in base64url: `alg` and the `kid` of the key.', 'e30'],
  signature: ['The signature of header and payload (RFC 7515 §5.1), in base64url.', 'c2ln'],
} as const satisfies Record<string, GlossaryEntry>

const deliveries = {
  state: ['How far the delivery is: `DELIVERED`, `EXHAUSTED` and `GONE` are final until it is repeated.', 'DELIVERED'],
  next_attempt_at: ['When it is tried next; null where an attempt is under way, or none is planned.', null],
  origin: ['Scheme, host and port of the receiver.', 'https://receiver.example:443'],
  'Delivery.attempts': ['Every attempt, the latest last.', []],
  attempt: ['Counts from 1, and from 1 again after a redelivery.', 1],
  duration_ms: ['How long the call took, in milliseconds.', 120],
  http_status: ['What the receiver answered; null where it did not.', 204],
  address: ['The IP address that was dialled; null where no connection was tried.', '203.0.113.7'],
  'DeliveryAttempt.error': ['Why it failed; null where it did not.', null],
  'DeliveryAttempt.outcome': [
    '`delivered` by a 2xx; `gone` by a 410, after which nothing more is sent; else `failed`.',
    'delivered',
  ],
  answer: ['The first bytes that your receiver answered, at most 1 KiB; null where there was no answer.', null],
  redelivered: ['How many are sent again.', 3],
  from: ['Statuses reached not before this time.', '2026-11-17T00:00:00.000Z'],
  to: ['Statuses reached before this time.', '2026-11-18T00:00:00.000Z'],
} as const satisfies Record<string, GlossaryEntry>

const testMode = {
  advance_seconds: ['How far to advance the clock, in seconds, up to ten years.', 3600],
  expires_in_seconds: [
    'Instead of `advance_seconds`: how many seconds before the transaction’s expiry its clock is set.',
    1,
  ],
  'advanceTestClock.transaction_id': ['Only this transaction’s clock; absent: the account’s.', null],
  advanced_seconds: ['How far the clock was advanced, in seconds.', 3600],
  wait_seconds: ['How many seconds to wait until an attempt is due.', 20],
  delivery: ['An attempt to make; null where none is due.', null],
  lease: ['Identifies the attempt; send it with the report.', '0198a1c0.0198a1c1'],
  headers: ['The request’s headers, with their signature.', { 'Content-Type': 'application/json' }],
  body: ['The request’s body, to be sent to your receiver byte by byte.', '{"status":"FINISHED"}'],
  'advanceTestClock.requestBody': ['', { advance_seconds: 3600 }],
  'reportAttempt.requestBody': ['', { lease: '0198a1c0.0198a1c1', status: 204, duration_ms: 120 }],
  'reportAttempt.status': ['What the receiver answered; absent where it did not.', 204],
  'reportAttempt.error': ['Why there was no answer, in words; absent where there was one.', 'connection refused'],
  retry_after: ['The `Retry-After` header of the answer, as it came; absent where it had none.', '60'],
} as const satisfies Record<string, GlossaryEntry>

const exampleId = '0198a1c0-7e5a-7c3e-9f00-0123456789ab'
const exampleTime = '2026-11-17T12:00:00.000Z'

const idsAndTimes = {
  id: ['Identifies the entry in other calls.', exampleId],
  delivery_id: ['One status on its way to one receiver; the same on every attempt.', exampleId],
  event_id: ['Identifies the change of the status, the same on every attempt: repetitions are known by it.', exampleId],
  challenge_id: ['Names the challenge in the paths that its images are uploaded to.', exampleId],
  capture_id: ['One image, by the `id` that the list of images has for it.', exampleId],
  erasure_id: ['Names the receipt, by which it can be read later.', exampleId],
  subject_id: ['The customer or the transaction that was erased.', exampleId],
  created_at: ['When the service stored it.', exampleTime],
  expires_at: ['From when on it is no longer valid.', exampleTime],
  server_time: ['Now, by the server’s clock: a countdown needs no right clock on the device.', exampleTime],
  occurred_at: ['When it happened, by the account’s clock.', exampleTime],
  started_at: ['When the call was begun.', exampleTime],
  erased_at: ['From when on no call finds it any more.', exampleTime],
  now: ['What the clock of the account shows now, or of the transaction that was named.', exampleTime],
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
