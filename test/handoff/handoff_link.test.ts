import { Buffer } from 'node:buffer'
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import test from 'ava'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/settings.ts'
import { startNode } from '../../src/node/start_node.ts'
import type { Answer } from '../calls.ts'
import { oneDialect, sqlite } from '../database.ts'
import { sdk } from '../service/client.ts'
import type { Received } from '../service/hook.ts'
import { openRig, type Rig } from '../service/rig.ts'

/** Whether the key set that the node publishes verifies a request as the guide says: over its time and its whole body. */
async function isSigned(rig: Rig, { headers }: Received, text: string): Promise<boolean> {
  const { body } = await rig.call('GET', '/.well-known/jwks.json')
  const key = (body.keys as (JsonWebKey & { kid: string })[]).find(({ kid }) => kid === headers['x-key-id'])
  if (key === undefined) return false
  const signature = Buffer.from(String(headers['x-signature']), 'base64')
  const signed = Buffer.from(`${headers['x-timestamp']}:${text}`)
  const publicKey = createPublicKey({ key, format: 'jwk' })
  return verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
}

function openSender(engine = sqlite): Promise<Rig> {
  return openRig(engine, hook => ({ HANDOFF_WEBHOOK: `${hook.url}?for=links`, RATE_LIMIT_HANDOFF_FAILURES: '0' }))
}

function sent({ status, headers, body }: Answer) {
  return [status, headers.get('x-error-code'), body.error ?? null]
}

const accepted = [204, null, null]
const undelivered = [502, 'undelivered', 'recipient: the link could not be sent']

for (const engine of oneDialect) {
  test(`${engine.name}: the link of the code goes to the operator’s receiver, signed, three times at most`, async t => {
    const rig = await openSender(engine)
    t.teardown(rig.close)
    const { id, sdk_token: token } = await rig.open({ locale: 'pt-BR' })
    const { body: offer } = await rig.call('POST', `${sdk}/handoff`, { token })
    t.true(offer.may_send)
    const { code, verify_url, expires_at } = offer
    const send = (recipient: string) => {
      const json = { code, recipient, ...(recipient.startsWith('+') && { locale: 'uk' }) }
      return rig.call('POST', `${sdk}/handoff/send`, { token, json })
    }

    const people = ['alexis@example.com', '+442079460123', 'sam@example.org', 'late@example.org']
    const answers = await Promise.all(people.map(send))
    const refused = answers.filter(({ status }) => status !== 204)
    t.deepEqual(refused.map(sent), [[409, 'not_allowed_in_state', 'handoff: its link was sent 3 times']])

    const links = rig.hook.received.filter(({ path }) => path.endsWith('?for=links'))
    t.is(links.length, 3)
    for (const link of links) {
      const { recipient } = link.body
      const [channel, locale] = recipient === '+442079460123' ? ['SMS', 'uk'] : ['EMAIL', 'pt-BR']
      t.deepEqual(link.body, { account: 'Acme', locale, expires_at, channel, recipient, link: verify_url })
      t.true(await isSigned(rig, link, link.text))
      t.false(await isSigned(rig, link, link.text.replace('Acme', 'Evil')), 'the whole body is signed')
      t.false(await isSigned(rig, link, id), 'no signature of a webhook fits')
    }

    const journal = await rig.rows('SELECT event FROM journal WHERE actor_id = ?', id)
    t.is(journal.filter(({ event }) => String(event).includes('HANDOFF_SENT')).length, 3)
    const kept = JSON.stringify([rig.lines, journal, await rig.rows('SELECT * FROM transactions')])
    for (const person of [...people, String(code)]) t.false(kept.includes(person))

    const claimed = await rig.call('POST', '/api/sdk/v1/handoff', {
      json: { code: new URL(String(links[0]?.body.link)).hash.replace('#handoff=', '') },
    })
    t.is(claimed.status, 200, 'the link carries what the QR code does')
  })
}

test('a receiver that refuses, breaks off or is silent is an error of its own, and each try counts', async t => {
  const rig = await openSender()
  t.teardown(rig.close)
  const { sdk_token: token } = await rig.open()
  const { code } = (await rig.call('POST', `${sdk}/handoff`, { token })).body
  const send = () => rig.call('POST', `${sdk}/handoff/send`, { token, json: { code, recipient: 'alexis@example.com' } })
  rig.hook.answer(() => ({ status: 500, text: 'alexis@example.com bounced' }))
  t.deepEqual(sent(await send()), undelivered)
  await rig.hook.down()
  t.deepEqual(sent(await send()), undelivered)
  await rig.hook.up()
  let answer = (): void => {}
  const silence = new Promise<void>(resolve => {
    answer = resolve
  })
  rig.hook.answer(() => silence.then(() => ({ status: 202 })))
  const known = rig.hook.received.length
  const waiting = send()
  await rig.hook.seen(one => rig.hook.received.indexOf(one) >= known)
  await rig.advance(5000)
  t.deepEqual(sent(await waiting), undelivered)
  answer()
  t.is((await send()).status, 409)
  const warnings = rig.lines.filter(({ message }) => message === 'the receiver of HANDOFF_WEBHOOK took no link')
  t.is(warnings.length, 3)
  t.notRegex(JSON.stringify(rig.lines), /alexis/)
})

test('an invalid recipient or code, or a device that captures no more, sends nothing', async t => {
  const rig = await openSender()
  t.teardown(rig.close)
  const { sdk_token: token } = await rig.open()
  const offer = async () => (await rig.call('POST', `${sdk}/handoff`, { token })).body.code
  const send = (code: unknown, recipient: unknown) =>
    rig.call('POST', `${sdk}/handoff/send`, { token, json: { code, recipient } })
  const old = await offer()
  const code = await offer()
  const rule = 'recipient: must be an e-mail address, or a telephone number: + and 7 to 15 digits'
  for (const recipient of [
    '',
    'alexis',
    '442079460123',
    '+44 20 7946 0123',
    '+9991234567',
    'a@b@c.de',
    'a@b.c\nBcc: d@e.fr',
    7,
  ])
    t.deepEqual(sent(await send(code, recipient)), [400, 'invalid_field', rule])
  const gone = [410, 'gone', 'code: is unknown, expired or already used']
  t.deepEqual(sent(await send(old, 'alexis@example.com')), gone)
  const other = await rig.open()
  const { body } = await rig.call('POST', `${sdk}/handoff`, { token: other.sdk_token })
  t.deepEqual(sent(await send(body.code, 'alexis@example.com')), gone, 'another transaction’s')
  await rig.call('POST', '/api/sdk/v1/handoff', { json: { code } })
  t.is((await send(code, 'alexis@example.com')).status, 409)
  t.deepEqual(rig.hook.received, [])
})

test('sending links is not offered without the setting; the limit by address holds, and a URL within is refused', async t => {
  const rig = await openRig(sqlite)
  t.teardown(rig.close)
  const { sdk_token: token } = await rig.open()
  const { body: offer } = await rig.call('POST', `${sdk}/handoff`, { token })
  t.false(offer.may_send)
  const json = { code: offer.code, recipient: 'alexis@example.com' }
  t.deepEqual(sent(await rig.call('POST', `${sdk}/handoff/send`, { token, json })), [
    409,
    'not_allowed_in_state',
    'handoff: no link is sent here',
  ])

  const strict = await openRig(sqlite, hook => ({ HANDOFF_WEBHOOK: hook.url, RATE_LIMIT_HANDOFF_FAILURES: '1' }))
  t.teardown(strict.close)
  const statuses: unknown[] = []
  for (let n = 0; n < 2; n++) {
    const { sdk_token } = await strict.open()
    const { code } = (await strict.call('POST', `${sdk}/handoff`, { token: sdk_token })).body
    const call = { token: sdk_token, json: { code, recipient: 'alexis@example.com' } }
    statuses.push(sent(await strict.call('POST', `${sdk}/handoff/send`, call)))
  }
  t.deepEqual(statuses, [
    accepted,
    [429, 'rate_limited', 'rate limit: at most 1 hand-off links sent a minute per address'],
  ])

  for (const HANDOFF_WEBHOOK of ['http://sender.example/', 'https://10.0.0.1/'])
    await t.throwsAsync(
      startNode({ config: readConfig({ HANDOFF_WEBHOOK, ROLES: 'api' }), clock: rig.clock, log: silentLog }),
      { message: /^HANDOFF_WEBHOOK: must/ },
    )
})
