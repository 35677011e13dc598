import { createPublicKey, verify, webcrypto } from 'node:crypto'
import test from 'ava'
import { CompactSign, calculateJwkThumbprint, importJWK } from 'jose'
import { type KeySet, type PublishedKey, verifyWebhook } from '../../../clients/typescript/src/verify_webhook.ts'
import {
  generateSigningKey,
  openSigningKey,
  type SigningAlgorithm,
  signDelivery,
} from '../../../src/identity/keys/sign.ts'
import { prepareDelivery } from '../../../src/webhooks/delivery_request.ts'

const algorithms: readonly SigningAlgorithm[] = ['RS256', 'ES256', 'EdDSA']
const pairs = new Map(await Promise.all(algorithms.map(async alg => [alg, await generateSigningKey(alg)] as const)))

function pairOf(alg: SigningAlgorithm) {
  const pair = pairs.get(alg)
  if (pair === undefined) throw new Error(alg)
  return pair
}

const now = Date.parse('2026-11-21T05:00:00.007Z')
const transaction_id = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'

const webCryptoNames = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
}

for (const alg of algorithms) {
  test(`${alg}: the signature over timestamp, colon and id verifies with WebCrypto from the public JWK alone`, async t => {
    const pair = pairOf(alg)
    const headers = await signDelivery({ key: openSigningKey(pair), timestamp: now, subject: transaction_id })
    t.is(headers['X-Timestamp'], '2026-11-21T05:00:00.007Z')
    t.is(headers['X-Key-Id'], pair.kid)
    const text = headers['X-Signature'] ?? ''
    const signature = Buffer.from(text, 'base64')
    t.is(signature.toString('base64'), text)
    t.is(signature.length, alg === 'RS256' ? 256 : 64)
    const { subtle } = webcrypto
    const key = await subtle.importKey('jwk', { ...pair.public_jwk }, webCryptoNames[alg], false, ['verify'])
    const signed = Buffer.from(`2026-11-21T05:00:00.007Z:${transaction_id}`)
    t.true(await subtle.verify(webCryptoNames[alg], key, signature, signed))
    for (const other of [`${signed}\n`, `2026-11-21T05:00:00.008Z:${transaction_id}`, transaction_id]) {
      t.false(await subtle.verify(webCryptoNames[alg], key, signature, Buffer.from(other)))
    }
  })

  test(`${alg}: the pair says its algorithm, is named by its thumbprint, and publishes no private member`, async t => {
    const { public_jwk, private_jwk, kid } = pairOf(alg)
    t.like(public_jwk, { alg, kid, use: 'sig' })
    t.is(await calculateJwkThumbprint(private_jwk), kid)
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) t.false(secret in public_jwk, secret)
    t.true('d' in private_jwk)
    // A JOSE library reads both halves as they are.
    const token = await new CompactSign(Buffer.from('x')).setProtectedHeader({ alg }).sign(await importJWK(private_jwk))
    t.is(token.split('.').length, 3)
  })
}

test('RS256 verifies with the default call of node:crypto, and two attempts differ in timestamp and signature', async t => {
  const pair = pairOf('RS256')
  const key = openSigningKey(pair)
  const first = await signDelivery({ key, timestamp: now, subject: transaction_id })
  const second = await signDelivery({ key, timestamp: now + 5000, subject: transaction_id })
  t.not(first['X-Signature'], second['X-Signature'])
  const publicKey = createPublicKey({ key: { ...pair.public_jwk }, format: 'jwk' })
  for (const headers of [first, second]) {
    const signed = Buffer.from(`${headers['X-Timestamp']}:${transaction_id}`)
    t.true(verify('sha256', signed, publicKey, Buffer.from(headers['X-Signature'] ?? '', 'base64')))
  }
})

const notification = {
  transaction_id,
  status: 'FINISHED',
  event_id: 'e-1',
  sequence: 4,
  occurred_at: now - 1000,
} as const

function prepare(alg: SigningAlgorithm, at = now) {
  return prepareDelivery({
    notification,
    delivery_id: 'd-1',
    attempt: 2,
    key: openSigningKey(pairOf(alg)),
    now: at,
    version: '0.1.0',
  })
}

test('a delivery says what is documented and nothing more', async t => {
  const { headers, body } = await prepare('RS256')
  t.deepEqual(JSON.parse(body), { ...notification, occurred_at: '2026-11-21T04:59:59.007Z' })
  const { 'X-Signature': signature, ...rest } = headers
  t.is(typeof signature, 'string')
  t.deepEqual(rest, {
    'X-Timestamp': '2026-11-21T05:00:00.007Z',
    'X-Key-Id': pairOf('RS256').kid,
    'X-Delivery-Id': 'd-1',
    'X-Delivery-Attempt': '2',
    'User-Agent': 'Attestor-Webhook/0.1.0',
    'Content-Type': 'application/json',
  })
})

test('the client of integrators verifies what is signed now, by each algorithm', async t => {
  const keys: KeySet = {
    now: () => now,
    find: async kid => [...pairs.values()].map(pair => pair.public_jwk as PublishedKey).filter(key => key.kid === kid),
  }
  for (const alg of algorithms) {
    const sent = await prepare(alg)
    t.like(await verifyWebhook(sent, keys), { verified: true, notification: { transaction_id, status: 'FINISHED' } })
    const altered = { ...sent, body: sent.body.replace(transaction_id, transaction_id.replace('019a', '019b')) }
    t.deepEqual(await verifyWebhook(altered, keys), { verified: false, reason: 'wrong_signature' })
  }
})
