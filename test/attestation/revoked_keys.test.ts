import type { RequestListener } from 'node:http'
import { verifyAndroid } from '@attestor/credentials/attestation'
import { createGuard } from '@attestor/outbound'
import test, { type ExecutionContext } from 'ava'
import { createRevokedKeys } from '../../src/attestation/revoked_keys.ts'
import { readConfig } from '../../src/config/settings.ts'
import { attestedChain, makerRoots } from '../service/attested_phone.ts'
import { makeCertificate, startReceiver, turnedClock } from '../webhooks/receiver.ts'

const certificate = await makeCertificate(['localhost'], ['127.0.0.1'])
const hour = 3_600_000

/** The list at an address on loopback, which the guard allows or not. */
async function setUp(t: ExecutionContext, answer: RequestListener, isAllowed = true) {
  const receiver = await startReceiver(answer, certificate)
  t.teardown(receiver.close)
  const clock = turnedClock()
  const host = `127.0.0.1:${receiver.port}`
  const warnings: unknown[] = []
  const ignore = (): void => {}
  const read = createRevokedKeys({
    url: `https://${host}/status`,
    guard: createGuard({ allow: isAllowed ? [host] : [], ca: certificate.cert }),
    clock,
    log: { debug: ignore, info: ignore, error: ignore, warn: fields => void warnings.push(fields.error) },
  })
  return { read, clock, warnings, receiver }
}

const empty = '{"entries":{}}'
const revokesLeaves = '{"entries":{"1":{"status":"REVOKED","reason":"KEY_COMPROMISE"}}}'

test('a revoked key attests nothing, from the next list on', async t => {
  let list = empty
  let fetched = 0
  const { read, clock } = await setUp(t, (_request, response) => {
    fetched++
    response.end(list)
  })
  const challenge = Buffer.alloc(32, 3)
  const verify = async () =>
    verifyAndroid(attestedChain(challenge), challenge, { roots: makerRoots, revoked: await read(), now: Date.now() })
  t.like(await verify(), { level: 'TRUSTED_ENVIRONMENT' })
  list = revokesLeaves
  clock.advance(6 * hour)
  t.like(await verify(), { level: 'TRUSTED_ENVIRONMENT' }, 'a list is kept for six hours')
  clock.advance(1)
  await t.throwsAsync(verify, { message: 'one of its certificates is revoked' })
  await Promise.all([read(), read()])
  t.is(fetched, 2)
})

test('a source that is unreachable or not understood leaves the list that is there, for a week', async t => {
  let answer: RequestListener = (_request, response) => void response.end(revokesLeaves)
  const { read, clock, warnings } = await setUp(t, (request, response) => answer(request, response))
  const kept = new Set(['1'])
  t.deepEqual(await read(), kept)
  clock.advance(6 * hour + 1)
  for (const broken of [
    (_request, response) => void response.destroy(),
    (_request, response) => void response.writeHead(500).end(),
    (_request, response) => void response.writeHead(302, { Location: 'https://127.0.0.1/' }).end(),
    (_request, response) => void response.end('{"entries":{"x":{}}}'),
    (_request, response) => void response.end(`{"entries":{}}${' '.repeat(8 * 1024 * 1024)}`),
  ] satisfies readonly RequestListener[]) {
    answer = broken
    t.deepEqual(await read(), kept)
    t.deepEqual(await read(), kept, 'no second try within a minute')
    clock.advance(60_001)
  }
  t.deepEqual(warnings, [
    'could not be fetched',
    'answered 500',
    'answered 302',
    'an entry of the list of revoked keys is not understood',
    'is larger than 8388608 bytes',
  ])
  clock.advance(7 * 24 * hour)
  await t.throwsAsync(read, { code: 'unavailable', message: 'the list of revoked keys cannot be fetched' })
  answer = (_request, response) => void response.end(empty)
  clock.advance(60_001)
  t.deepEqual(await read(), new Set())
})

test('the guard is asked: a private address is not called, and a list that is off is not missed', async t => {
  const { read, receiver, warnings } = await setUp(t, (_request, response) => void response.end(empty), false)
  await t.throwsAsync(read, { code: 'unavailable' })
  t.is(receiver.connections(), 0)
  t.regex(String(warnings[0]), /^destination refused: /)
  t.is(readConfig({}).ATTESTATION_STATUS_URL, null)
  const { clock } = await setUp(t, () => {})
  const off = createRevokedKeys({ url: null, guard: null, clock, log: console })
  t.is(await off(), null)
})
