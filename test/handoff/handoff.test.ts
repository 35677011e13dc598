import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { handoffMs } from '../../src/handoff/handoff.ts'
import { type AccountMode, createAccount } from '../../src/identity/accounts/accounts.ts'
import { advanceTestClock } from '../../src/verification/transactions/test_clock.ts'
import { anyText } from '../any_text.ts'
import { poll } from '../awaited.ts'
import type { Answer } from '../calls.ts'
import { oneDialect, sqlite } from '../database.ts'
import { type Door, openTestDoor } from '../http/door.ts'
import { kyc, openTransaction, requestToken, sdk } from '../service/client.ts'

const handoff = '/api/sdk/v1/handoff'
const gone = [410, { error: 'code: is unknown, expired or already used' }]
const elsewhere = [409, { error: 'sdk_token: the capture continues on another device' }]

const signals = { json: { network: { vpn_detected: false } } }

function said({ status, body }: Answer) {
  return [status, body] as const
}

/** A device of a transaction, through whichever node it calls. */
interface Device {
  readonly sdk_token: string
  call(method: string, path: string, more?: object): Promise<Answer>
}

function deviceOf(door: Door, sdk_token: string): Device {
  return {
    sdk_token,
    call: (method, path, more = {}) => door.call(method, sdk + path, { token: sdk_token, ...more }),
  }
}

/** Opens a transaction of an account of that mode; resolves with its first device. */
async function open(door: Door, mode: AccountMode = 'live') {
  const account = await createAccount(door.service, { name: 'Acme', mode })
  const token = await requestToken(door.call, account)
  const opened = await openTransaction(door.call, token, { transaction_type: 'BIOMETRIC_ONLY' })
  const { account_id } = account
  return { id: opened.transaction_id, account_id, token, device: deviceOf(door, opened.sdk_token) }
}

async function offer(device: Device): Promise<string> {
  return String((await device.call('POST', '/handoff')).body.code)
}

function claim(door: Door, code: unknown): Promise<Answer> {
  return door.call('POST', handoff, { json: { code } })
}

async function claimed(t: ExecutionContext, door: Door, code: string): Promise<Device> {
  const answer = await claim(door, code)
  t.is(answer.status, 200, answer.text)
  return deviceOf(door, String(answer.body.sdk_token))
}

/** Actions of a test, in any order. */
const deed = fc.record({
  what: fc.constantFrom('offer', 'claim', 'claim', 'capture', 'wait', 'back'),
  which: fc.nat(5),
  node: fc.nat(1),
  at_once: fc.boolean(),
})

/** Tokens and codes so far, the newest last. */
interface Play {
  readonly t: ExecutionContext
  readonly nodes: readonly [Door, Door]
  readonly tokens: string[]
  readonly codes: string[]
}

type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never

async function act({ t, nodes, tokens, codes }: Play, { what, which, node: n }: Deed): Promise<void> {
  const node = nodes[n] ?? nodes[0]
  const caller = deviceOf(node, tokens[which % tokens.length] ?? '')
  if (what === 'wait') return node.clock.advance(handoffMs / 2)
  if (what === 'capture') {
    t.true([204, 401, 409, 410].includes((await caller.call('PUT', '/signals', signals)).status))
    return
  }
  if (what === 'back') {
    t.true([200, 410].includes((await deviceOf(node, tokens[0] ?? '').call('DELETE', '/handoff')).status))
    return
  }
  const isOffer = what === 'offer'
  const answer = await (isOffer ? caller.call('POST', '/handoff') : claim(node, codes.at(-1 - (which % codes.length))))
  t.true((isOffer ? [201, 401, 409, 410] : [200, 410]).includes(answer.status), answer.text)
  if (answer.status === 201) codes.push(String(answer.body.code))
  if (answer.status === 200) tokens.push(String(answer.body.sdk_token))
}

const capturingCalls = [
  ['POST', '/start'],
  ['PUT', '/signals', signals],
  ['PUT', '/document/front', { raw: 'x' }],
  ['PUT', '/selfie', { raw: 'x' }],
  ['POST', '/liveness/challenge'],
  ['DELETE', '/captures/selfie'],
  ['POST', '/complete'],
  ['POST', '/cancel', { json: { final: true } }],
] as const

for (const engine of oneDialect) {
  test(`${engine.name}: a phone takes the capture over, and the desktop follows it to the end`, async t => {
    const door = await openTestDoor(t, engine)
    const { id, token, device: desktop } = await open(door)
    const before = await desktop.call('GET', '')
    t.like(before.body, { may_capture: true, handoff: { state: 'none', expires_at: null } })
    const offered = await desktop.call('POST', '/handoff')
    t.is(offered.status, 201)
    const { code, verify_url, expires_at } = offered.body
    t.regex(String(code), /^[\w-]{43}$/)
    t.is(verify_url, `${door.url}/verify#handoff=${code}`)
    t.is(Date.parse(String(expires_at)), door.clock.now() + handoffMs)
    t.like((await desktop.call('GET', '')).body, { may_capture: true, handoff: { state: 'offered', expires_at } })

    const answer = await claim(door, code)
    t.deepEqual(Object.keys(answer.body).sort(), ['expires_at', 'sdk_token', 'transaction_id'])
    t.like(answer.body, { transaction_id: id, expires_at: before.body.expires_at })
    const phone = deviceOf(door, String(answer.body.sdk_token))
    t.like((await phone.call('GET', '')).body, { status: 'CREATED', may_capture: true, handoff: { state: 'none' } })
    t.like((await desktop.call('GET', '')).body, { may_capture: false, handoff: { state: 'taken', expires_at: null } })

    t.deepEqual(said(await desktop.call('POST', '/start')), elsewhere)
    t.is((await phone.call('POST', '/start')).status, 200)
    for (const [method, path, more] of capturingCalls)
      t.deepEqual(said(await desktop.call(method, path, more)), elsewhere, `${method} ${path}`)
    t.is((await phone.call('PUT', '/signals', signals)).status, 204)
    t.is((await phone.call('POST', '/cancel', { json: { final: true } })).status, 200)
    for (const device of [desktop, phone])
      t.deepEqual((await device.call('GET', '/result')).body, {
        status: 'FAILED',
        outcome: 'UNDETERMINED',
        waiting_for: null,
        advice: [],
      })

    const { body } = await door.call('GET', `${kyc}/transaction/${id}/events`, { token })
    t.deepEqual(
      (body.data as { event: string; sent_by: string }[]).map(({ event, sent_by }) => `${event} ${sent_by}`),
      [
        'CREATE integrator',
        'HANDOFF_OFFERED device',
        'HANDED_OFF device',
        'START device',
        'SIGNALS device',
        'CANCEL device',
      ],
    )
  })

  test(`${engine.name}: the first device takes the capture back from any other, and may then offer it again`, async t => {
    const door = await openTestDoor(t, engine)
    const { id, token, device: desktop } = await open(door)
    const scanner = await claimed(t, door, await offer(desktop))
    t.is((await scanner.call('POST', '/start')).status, 200)
    const open_offer = await offer(scanner)
    const onlyFirst = [409, { error: 'sdk_token: only the first device takes the capture back' }]
    t.deepEqual(said(await scanner.call('DELETE', '/handoff')), onlyFirst)

    const code = await offer(desktop)
    t.is((await scanner.call('GET', '')).status, 401, 'another offer voids the device that has the capture')
    t.deepEqual(said(await claim(door, open_offer)), gone, 'and its own offer')
    t.like((await desktop.call('GET', '')).body, { may_capture: true, handoff: { state: 'offered' } })
    const phone = await claimed(t, door, code)
    t.like((await phone.call('GET', '')).body, { status: 'INITIATED', may_capture: true })

    const back = await desktop.call('DELETE', '/handoff')
    t.is(back.status, 200, back.text)
    t.like(back.body, { may_capture: true, handoff: { state: 'none', expires_at: null } })
    t.is((await desktop.call('PUT', '/signals', signals)).status, 204)
    for (const [method, path, more] of [...capturingCalls, ['GET', ''], ['GET', '/result']] as const)
      t.is((await phone.call(method, path, more)).status, 401, `${method} ${path}`)
    t.is((await desktop.call('DELETE', '/handoff')).status, 200, 'again is the same')
    const { body } = await door.call('GET', `${kyc}/transaction/${id}/events`, { token })
    t.deepEqual(
      (body.data as { event: string }[]).map(({ event }) => event).filter(event => event.startsWith('HAND')),
      [
        'HANDOFF_OFFERED',
        'HANDED_OFF',
        'HANDOFF_OFFERED',
        'HANDED_BACK',
        'HANDOFF_OFFERED',
        'HANDED_OFF',
        'HANDED_BACK',
        'HANDED_BACK',
      ],
    )

    const last = await claimed(t, door, await offer(desktop))
    const attempts = [
      last.call('PUT', '/signals', signals),
      desktop.call('DELETE', '/handoff'),
      last.call('POST', '/handoff'),
    ]
    const [, taken] = await Promise.all(attempts)
    t.is(taken?.status, 200)
    t.is((await last.call('PUT', '/signals', signals)).status, 401)
    t.is((await desktop.call('POST', '/cancel', { json: { final: true } })).status, 200)
    t.is((await desktop.call('DELETE', '/handoff')).status, 409, 'nothing is captured any more')
  })

  test(`${engine.name}: a code is good once, on whichever node, and a newer one voids it`, async t => {
    const door = await openTestDoor(t, engine)
    const beside = await openTestDoor(t, engine, {}, { beside: door })
    const { id, device } = await open(door)
    const voided = await offer(device)
    const code = await offer(device)
    t.deepEqual(said(await claim(door, voided)), gone)
    const answers = await Promise.all([door, beside, door, beside, beside].map(node => claim(node, code)))
    t.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410, 410, 410])
    t.deepEqual(said(await claim(beside, code)), gone, 'a thief comes too late')
    const rows = await door.service.store.read({ sql: 'SELECT * FROM handoffs', values: [] })
    t.is(rows.length, 1)
    const kept = JSON.stringify([rows, await door.service.store.read({ sql: 'SELECT event FROM journal', values: [] })])
    const sdk_token = answers.find(({ status }) => status === 200)?.body.sdk_token
    for (const secret of [code, voided, sdk_token]) t.false(kept.includes(String(secret)), 'only hashes are stored')
    const phone = deviceOf(door, String(sdk_token))
    const offers = await Promise.all([phone, deviceOf(beside, phone.sdk_token), phone].map(offer))
    const claims = await Promise.all(offers.map((one, n) => claim(n % 2 === 0 ? door : beside, one)))
    t.deepEqual(claims.map(({ status }) => status).sort(), [200, 410, 410], 'one offer is left')
    const [row] = await door.service.store.read({ sql: 'SELECT snapshot FROM transactions WHERE id = ?', values: [id] })
    t.is(JSON.parse(String(row?.snapshot)).context.device, 2)
  })

  test(`${engine.name}: exactly one device captures, in any order of offers, claims and captures`, async t => {
    const door = await openTestDoor(t, engine)
    const beside = await openTestDoor(t, engine, {}, { beside: door })
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 14 }), async deeds => {
        const { device } = await open(door)
        await device.call('POST', '/start')
        const play: Play = { t, nodes: [door, beside], tokens: [device.sdk_token], codes: ['never was'] }
        const { tokens } = play
        for (const [n, one] of deeds.entries()) {
          await Promise.all(one.at_once ? deeds.slice(n, n + 3).map(each => act(play, each)) : [act(play, one)])
          const views = await Promise.all(tokens.map(token => deviceOf(door, token).call('GET', '')))
          if (views.some(({ status }) => status === 410)) return
          const capturer = views.findLastIndex(({ status }) => status === 200)
          t.deepEqual(
            views.map(({ status, body }) => status === 200 && body.may_capture),
            views.map((_, index) => index === capturer),
          )
          const puts = await Promise.all(tokens.map(token => deviceOf(beside, token).call('PUT', '/signals', signals)))
          t.deepEqual(
            puts.map(({ status }) => status),
            views.map(({ status }, index) => (index === capturer ? 204 : status === 200 ? 409 : 401)),
          )
        }
      }),
      { numRuns: 12 },
    )
  })
}

test('a code ends with its ten minutes, by the clock of the transaction, or with the capture', async t => {
  const door = await openTestDoor(t, sqlite)
  const { device } = await open(door)
  const late = await offer(device)
  await door.clock.advance(handoffMs)
  t.deepEqual(said(await claim(door, late)), gone)
  t.like((await device.call('GET', '')).body, { may_capture: true, handoff: { state: 'none' } })
  const inTime = await offer(device)
  await door.clock.advance(handoffMs - 1)
  await claimed(t, door, inTime)

  const { id, account_id, device: other } = await open(door, 'test')
  const code = await offer(other)
  const clock = { account_id, transaction_id: id }
  await advanceTestClock(door.service.transactions, { ...clock, by_ms: handoffMs })
  t.deepEqual(said(await claim(door, code)), gone, 'a test account turned its clock')
  const last = await offer(other)
  await other.call('POST', '/cancel', { json: { final: true } })
  t.deepEqual(said(await claim(door, last)), gone)
  t.deepEqual(said(await other.call('POST', '/handoff')), [409, { error: 'transaction: takes no captures any more' }])
})

test('a hand-off may follow another; a device that captured before can only read, and an erasure ends them all', async t => {
  const door = await openTestDoor(t, sqlite)
  const { id, token, device: desktop } = await open(door)
  const phone = await claimed(t, door, await offer(desktop))
  const tablet = await claimed(t, door, await offer(phone))
  t.deepEqual(said(await phone.call('PUT', '/signals', signals)), elsewhere)
  t.is((await tablet.call('POST', '/start')).status, 200)
  const views = await Promise.all([desktop, phone, tablet].map(device => device.call('GET', '')))
  t.deepEqual(
    views.map(({ body }) => [body.status, body.may_capture]),
    [
      ['INITIATED', false],
      ['INITIATED', false],
      ['INITIATED', true],
    ],
  )
  t.is((await door.call('DELETE', `${kyc}/transaction/${id}`, { token })).status, 200)
  for (const device of [desktop, phone, tablet])
    t.deepEqual(said(await device.call('GET', '')), [410, { error: 'sdk_token: the transaction was erased' }])
})

test('the desktop is notified at once of the phone’s steps', async t => {
  const door = await openTestDoor(t, sqlite)
  const { device: desktop } = await open(door)
  const code = await offer(desktop)
  const { version } = (await desktop.call('GET', '')).body
  const waiting = desktop.call('GET', `?wait=60&seen=${version}`)
  const phone = await claimed(t, door, code)
  const heard = (await waiting).body
  t.like(heard, { may_capture: false, handoff: { state: 'taken' } })
  const next = desktop.call('GET', `?wait=60&seen=${heard.version}`)
  await phone.call('POST', '/start')
  t.is((await next).body.status, 'INITIATED')
  t.is((await desktop.call('GET', '?wait=60')).status, 200, 'without a version there is nothing to wait for')
  t.is(
    (await desktop.call('GET', `?wait=60&seen=${version}`)).body.status,
    'INITIATED',
    'an older one is answered at once',
  )
  const last = (await desktop.call('GET', '')).body.version
  let isOver = false
  const quiet = desktop.call('GET', `?wait=2&seen=${last}`).finally(() => {
    isOver = true
  })
  await poll(
    () => isOver,
    async () => {
      await new Promise(setImmediate)
      await door.clock.advance(100)
    },
  )
  t.is((await quiet).body.version, last, 'nothing happened, so the time was over')
})

test('any text that is no code claims nothing, and wrong codes have a limit by address', async t => {
  const door = await openTestDoor(t, sqlite, {}, { per_minute: { handoff_failures: 400 } })
  const { device } = await open(door)
  const code = await offer(device)
  const odd = fc.oneof(
    fc.json().map(text => JSON.parse(text) as unknown),
    anyText({ maxLength: 300 }),
    fc.constantFrom(
      code.slice(1),
      `${code} `,
      code.toLowerCase(),
      `handoff=${code}`,
      [code],
      { code },
      '%',
      `${code}\0`,
    ),
  )
  await fc.assert(
    fc.asyncProperty(odd, async value => {
      const { status, body } = await claim(door, value)
      t.true([400, 410].includes(status), `${status}`)
      t.regex(String(body.error), /^code: /)
    }),
    { numRuns: 150 },
  )
  const { body } = await device.call('GET', '')
  t.like(body, { may_capture: true, handoff: { state: 'offered' } })
  for (let tries = 0; tries < 400; tries++) if ((await claim(door, 'wrong')).status === 429) break
  const limited = await claim(door, 'wrong')
  t.is(limited.status, 429)
  t.regex(limited.headers.get('retry-after') ?? '', /^\d+$/)
  await claimed(t, door, code)
})
