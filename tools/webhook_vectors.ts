/**
 * `node tools/webhook_vectors.ts` writes clients/webhook_vectors.json: webhooks as the service signs them, altered
 * ones, and the verdict that a receiver must reach on each. Every run makes keys for the file alone; their private
 * halves are not kept.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JWK } from 'jose'
import { generateSigningKey, openSigningKey, type SigningKeyPair } from '../src/identity/keys/sign.ts'
import { prepareDelivery } from '../src/webhooks/delivery_request.ts'

/** A received webhook, its time, the answer of the key set's address then (null: 503), and the expected verdict. */
interface Step {
  readonly name: string
  readonly at: string
  readonly published: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `verified`, `unavailable` where the keys can't be read, or the reason for the rejection. */
  readonly expected: string
  /** Whether the key set is requested for it. */
  readonly fetches: boolean
}

const [rsa, rsaNext, stranger, ec, ed] = await Promise.all([
  generateSigningKey('RS256'),
  generateSigningKey('RS256'),
  generateSigningKey('RS256'),
  generateSigningKey('ES256'),
  generateSigningKey('EdDSA'),
])

/** Entries that a receiver must pass over. */
const unusable: readonly JWK[] = [
  { kty: 'oct', kid: 'symmetric', alg: 'HS256', k: 'c2VjcmV0' },
  { ...rsa.public_jwk, kid: 'without an algorithm', alg: 'none' },
  { ...rsa.public_jwk, kid: 'of another type', alg: 'ES256' },
]
const key_sets: Readonly<Record<string, { readonly keys: readonly JWK[] }>> = {
  usual: { keys: [rsa.public_jwk, ec.public_jwk, ed.public_jwk, ...unusable] },
  before: { keys: [rsa.public_jwk] },
  rotated: { keys: [rsaNext.public_jwk, rsa.public_jwk] },
  retired: { keys: [rsaNext.public_jwk] },
}

const start = Date.parse('2026-11-21T05:00:00.007Z')
const transaction_id = '01a20427-6dcf-775b-bec7-c0c4e0fcddec'
const minute = 60_000

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns the service's request at `ms`. */
async function send(pair: SigningKeyPair, ms = start): Promise<Sent> {
  const { headers, body } = await prepareDelivery({
    notification: {
      transaction_id,
      status: 'FINISHED',
      event_id: '01a20427-7d0f-7000-8000-0000000000e1',
      sequence: 4,
      occurred_at: ms - 1200,
    },
    delivery_id: '01a20427-7d0f-7000-8000-0000000000d1',
    attempt: 1,
    key: openSigningKey(pair),
    now: ms,
    version: '0',
  })
  const { 'User-Agent': _, ...kept } = headers
  return { headers: kept, body }
}

const usual = await send(rsa)

function without({ headers, body }: Sent, name: string): Sent {
  const { [name]: _, ...rest } = headers
  return { headers: rest, body }
}

function withHeader({ headers, body }: Sent, name: string, value: string): Sent {
  return {
    headers: { ...headers, [name]: value },
    body,
  }
}

function withBody({ headers }: Sent, body: string): Sent {
  return { headers, body }
}

function withMembers(sent: Sent, members: object): Sent {
  return withBody(sent, JSON.stringify({ ...JSON.parse(sent.body), ...members }))
}

/** One webhook for a receiver that was just started. */
function one(name: string, sent: Sent, expected = 'verified', at = start): Step {
  const unread = /^(missing|malformed|timestamp)/.test(expected)
  return { name, at: iso(at), published: 'usual', ...sent, expected, fetches: !unread }
}

const signature = usual.headers['X-Signature'] ?? ''
const lowered = Object.fromEntries(Object.entries(usual.headers).map(([name, value]) => [name.toLowerCase(), value]))

const accepted: readonly Step[] = [
  one('RS256', usual),
  one('ES256', await send(ec)),
  one('EdDSA', await send(ed)),
  one('names of headers in lower case', { headers: lowered, body: usual.body }),
  one('without X-Key-Id', without(usual, 'X-Key-Id')),
  one('ES256 without X-Key-Id', without(await send(ec), 'X-Key-Id')),
  one('5 minutes old', usual, 'verified', start + 5 * minute),
  one('5 minutes from the future', usual, 'verified', start - 5 * minute),
  one('the status is not signed', withMembers(usual, { status: 'A_STATUS_OF_LATER' })),
  one('members that nobody knows', withMembers(usual, { later: [{ a: null }], TRANSACTION_ID: 'another' })),
]

const rejected: readonly Step[] = [
  one('without X-Timestamp', without(usual, 'X-Timestamp'), 'missing_header'),
  one('without X-Signature', without(usual, 'X-Signature'), 'missing_header'),
  one('an empty signature', withHeader(usual, 'X-Signature', ''), 'missing_header'),
  one('a timestamp of seconds', withHeader(usual, 'X-Timestamp', String(start / 1000)), 'malformed_timestamp'),
  one('a timestamp in words', withHeader(usual, 'X-Timestamp', 'now'), 'malformed_timestamp'),
  one(
    'a timestamp without its zone',
    withHeader(usual, 'X-Timestamp', '2026-11-21T05:00:00.007'),
    'malformed_timestamp',
  ),
  one('a month 13', withHeader(usual, 'X-Timestamp', '2026-13-21T05:00:00.007Z'), 'malformed_timestamp'),
  one('a millisecond older than 5 minutes', usual, 'timestamp_out_of_range', start + 5 * minute + 1),
  one('a millisecond newer than 5 minutes', usual, 'timestamp_out_of_range', start - 5 * minute - 1),
  one('another timestamp', withHeader(usual, 'X-Timestamp', iso(start + 1)), 'wrong_signature'),
  one('no base64', withHeader(usual, 'X-Signature', `${signature.slice(0, -3)}*==`), 'malformed_signature'),
  one(
    'base64 without its padding',
    withHeader(usual, 'X-Signature', signature.replace(/=+$/, '')),
    'malformed_signature',
  ),
  one('a signature that is too short', withHeader(usual, 'X-Signature', 'c2hvcnQ='), 'wrong_signature'),
  one('ES256: too short', withHeader(await send(ec), 'X-Signature', 'c2hvcnQ='), 'wrong_signature'),
  one('EdDSA: too short', withHeader(await send(ed), 'X-Signature', 'c2hvcnQ='), 'wrong_signature'),
  one('no JSON', withBody(usual, 'transaction_id=1'), 'malformed_body'),
  one('no body', withBody(usual, ''), 'malformed_body'),
  one('a list', withBody(usual, '[]'), 'malformed_body'),
  one('null', withBody(usual, 'null'), 'malformed_body'),
  one('an id that is a number', withMembers(usual, { transaction_id: 7 }), 'malformed_body'),
  one('an id that is a list', withMembers(usual, { transaction_id: [transaction_id] }), 'malformed_body'),
  one('no status', withBody(usual, JSON.stringify({ transaction_id })), 'malformed_body'),
  one('lists without end', withBody(usual, '['.repeat(3000)), 'malformed_body'),
  one(
    'another transaction',
    withMembers(usual, { transaction_id: transaction_id.replace('01a2', '01a3') }),
    'wrong_signature',
  ),
  one(
    'half a character as an id',
    withBody(usual, '{"transaction_id":"\\ud800","status":"FINISHED"}'),
    'wrong_signature',
  ),
  one('signed by a stranger', await send(stranger), 'unknown_key'),
  one('signed by a stranger, without X-Key-Id', without(await send(stranger), 'X-Key-Id'), 'wrong_signature'),
  one(
    'signed by a stranger who names our key',
    withHeader(await send(stranger), 'X-Key-Id', rsa.kid),
    'wrong_signature',
  ),
  one('signed by another key than the one named', withHeader(usual, 'X-Key-Id', ed.kid), 'wrong_signature'),
  ...unusable.map(({ kid = '' }) => one(`a key ${kid}`, withHeader(usual, 'X-Key-Id', kid), 'unknown_key')),
]

/** Webhooks for one receiver, one after the other. */
async function sequence(...steps: readonly (readonly [minutes: number, SigningKeyPair, Omit<Partial<Step>, 'at'>])[]) {
  return Promise.all(
    steps.map(async ([minutes, pair, { name = '', published = 'before', expected = 'verified', fetches = false }]) => {
      const at = start + minutes * minute
      return { name, at: iso(at), published, ...(await send(pair, at)), expected, fetches } satisfies Step
    }),
  )
}

const rotation = await sequence(
  [0, rsa, { name: 'the first webhook reads the key set', fetches: true }],
  [1, rsa, { name: 'the key set is kept' }],
  [59, rsa, { name: 'for an hour' }],
  [60, rsaNext, { name: 'a new key is looked for', published: 'rotated', fetches: true }],
  [60.1, stranger, { name: 'not again within 10 seconds', published: 'rotated', expected: 'unknown_key' }],
  [60.2, stranger, { name: 'but after them', published: 'rotated', expected: 'unknown_key', fetches: true }],
  [60.3, rsa, { name: 'the key before is still good', published: 'rotated' }],
  [120, rsa, { name: 'within the hour', published: 'retired' }],
  [
    121,
    rsa,
    { name: 'after it, a key that is gone is not', published: 'retired', expected: 'unknown_key', fetches: true },
  ],
  [121.1, rsaNext, { name: 'and the new one is', published: 'retired' }],
)

const outage = await sequence(
  [0, rsa, { name: 'without keys nothing is said', published: null, expected: 'unavailable', fetches: true }],
  [0, rsa, { name: 'and they are asked for again at once', fetches: true }],
  [
    2,
    stranger,
    { name: 'a new key id, while the keys are away', published: null, expected: 'unavailable', fetches: true },
  ],
  [2, rsa, { name: 'a known one needs no request', published: null }],
)

const file = join(import.meta.dirname, '../clients/webhook_vectors.json')

function text(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

const single = [...accepted, ...rejected].map(step => ({ name: step.name, steps: [step] }))
writeFileSync(
  file,
  `${text({
    about:
      'Webhooks as Attestor signs them, and altered ones. Each entry of "receivers" is a receiver that was just started; ' +
      'its "steps" reach it in order, at the time "at". "published" names what the address of the key set answers then; ' +
      'null is 503. "expected" is "verified", "unavailable" or the reason for a rejection; "fetches" says whether the key ' +
      'set is requested. The keys were made for this file and sign nothing else.',
    key_sets,
    receivers: [...single, { name: 'rotation', steps: rotation }, { name: 'outage', steps: outage }],
  })}\n`,
)
