import { randomBytes, randomUUID } from 'node:crypto'
import { ImageError } from '@attestor/vision'
import test from 'ava'
import sharp from 'sharp'
import { createUploadMemory } from '../../src/http/upload_memory.ts'
import { drawActions } from '../../src/verification/transactions/challenge.ts'
import type { Answer } from '../calls.ts'
import { manualClock } from '../clock.ts'
import { oneDialect, sqlite } from '../database.ts'
import { sharedImageChecker } from '../image_checker.ts'
import { kyc, openTransaction, sdk } from '../service/client.ts'
import { type Door, openDoor, openTestDoor } from './door.ts'
import { hold, type Place, transcriptSettings, transcripts } from './transcripts.ts'

const jpeg = await sharp({ create: { width: 320, height: 240, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()
const image = { raw: jpeg, type: 'image/jpeg' }

/** Other bytes each time, as frames must be. */
function anotherImage() {
  return { raw: Buffer.concat([jpeg, randomBytes(16)]), type: 'image/jpeg' }
}

/** Opens a transaction; the returned function calls as its device. */
async function openDevice(door: Door, transaction_type = 'DOCUMENT_AND_BIOMETRIC', config = {}) {
  const { transaction_id: id, sdk_token } = await openTransaction(door.call, door.token, {
    transaction_type,
    config: { transaction_ttl_minutes: 10, ...config },
  })
  const call = (method: string, path: string, more = {}): Promise<Answer> =>
    door.call(method, sdk + path, { token: sdk_token, ...more })
  return { call, id }
}

/** A door: nothing is done there but what is called. */
function placeAt(door: Door): Place {
  return {
    name: 'door',
    async open(transaction_type) {
      const { call, id } = await openDevice(door, transaction_type, { transaction_ttl_minutes: 60 })
      return { id, call }
    },
    advance: door.clock.advance,
    readStatus: async id => (await door.call('GET', `${kyc}/transaction/${id}`, { token: door.token })).body.status,
    rows: (sql, id) => door.service.store.read({ sql, values: [id] }),
  }
}

for (const engine of oneDialect) {
  test(`${engine.name}: the transcripts of a device are answered line by line at the door`, async t => {
    const door = await openTestDoor(t, engine, {}, { settings: transcriptSettings })
    for (const transcript of transcripts) await hold(t, placeAt(door), transcript)
  })

  test(`${engine.name}: takes and drops at the same time leave only the transaction's captures in storage`, async t => {
    const door = await openTestDoor(t, engine)
    const { call } = await openDevice(door)
    await call('POST', '/start')
    const front = () => call('PUT', '/document/front', image)
    const issue = () => call('POST', '/liveness/challenge')
    const report = () => call('PUT', '/signals', { json: { network: { vpn_detected: false } } })
    const { challenge_id } = (await issue()).body
    const frame = () => call('PUT', `/liveness/${challenge_id}/0`, anotherImage())
    await Promise.all([front, front, front, report, report, report, frame, frame].map(deed => deed()))
    await Promise.all([front, () => call('DELETE', '/captures/document_front'), front, issue].map(deed => deed()))
    const [row] = await door.service.store.read({ sql: 'SELECT snapshot FROM transactions', values: [] })
    const held = [...String(row?.snapshot).matchAll(/"capture_id":"([^"]+)"/g)].map(([, id]) => id)
    const stored = await door.service.store.read({ sql: 'SELECT id FROM captures', values: [] })
    t.deepEqual(stored.map(({ id }) => String(id)).sort(), held.map(String).sort())
  })

  test(`${engine.name}: side by side no more challenges are issued than may be`, async t => {
    const door = await openTestDoor(t, engine)
    const { call } = await openDevice(door)
    await call('POST', '/start')
    const issued = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/liveness/challenge')))
    t.deepEqual(issued.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 409, 409, 409])
  })

  test(`${engine.name}: an image of the largest size is accepted`, async t => {
    const limits = { max_bytes: 10 * 2 ** 20, max_megapixels: 50 }
    const door = await openTestDoor(t, engine, { imageLimits: limits })
    const { call } = await openDevice(door)
    await call('POST', '/start')
    const largest = Buffer.concat([jpeg, Buffer.alloc(limits.max_bytes - jpeg.length)])
    t.is((await call('PUT', '/document/front', { raw: largest })).status, 200)
  })
}

test('a challenge has both turns, from three actions on a blink or an open mouth, and is drawn in every way', t => {
  const key = randomBytes(32)
  for (const [count, orders, all] of [
    [2, 2, 2],
    [3, 6, 12],
    [4, 24, 60],
    [5, 120, 60],
  ] as const) {
    const ways = new Set<string>()
    // Each way is missed by so many fair draws once in 10^17.
    for (let n = 0; n < 180 * orders; n++) {
      const actions = drawActions({ key, transaction_id: String(n) }, count)
      t.true(actions.includes('TURN_LEFT') && actions.includes('TURN_RIGHT'))
      t.is(new Set(actions).size, count)
      t.is(actions.includes('BLINK') || actions.includes('OPEN_MOUTH'), count > 2)
      const up = actions.indexOf('LOOK_UP')
      t.true(up < 0 || actions.indexOf('OPEN_MOUTH') < up, 'a mouth is asked for before a look upwards')
      ways.add(String(actions))
    }
    t.is(ways.size, all)
    const again = Array.from({ length: 60 * orders }, () => drawActions({ key, transaction_id: 'one' }, count))
    t.is(new Set(again.map(actions => String(actions.toSorted()))).size, 1, 'one transaction asks for the same ones')
    const hasBoth = again[0]?.includes('LOOK_UP') && again[0].includes('OPEN_MOUTH')
    t.is(new Set(again.map(String)).size, hasBoth ? orders / 2 : orders, 'in every order')
  }
  const drawn = (other: Buffer) =>
    Array.from({ length: 99 }, (_, n) => String(drawActions({ key: other, transaction_id: String(n) }, 4).toSorted()))
  t.notDeepEqual(drawn(key), drawn(randomBytes(32)), 'nobody knows them without the key')
})

test('the declared type of a picture does not matter', async t => {
  const door = await openTestDoor(t, sqlite)
  const { call } = await openDevice(door)
  await call('POST', '/start')
  const types = ['image/jpg', 'image/pjpeg', 'image/*', 'binary/octet-stream', 'image/png', 'IMAGE/JPEG; x=1', 'odd']
  for (const [count, type] of types.entries()) {
    const raw = Buffer.concat([jpeg, Buffer.from([count])])
    t.is((await call('PUT', '/document/front', { raw, type })).status, 200, type)
  }
})

test('an upload that is no usable picture changes nothing', async t => {
  const door = await openTestDoor(t, sqlite)
  const { call } = await openDevice(door)
  await call('POST', '/start')
  const type = 'image/jpeg'
  // No bytes, and those of another type, are of every endpoint: see `endpoints.test.ts`.
  const cases = [
    ['cut', { raw: jpeg.subarray(0, jpeg.length - 200), type }, 422],
    ['large', { raw: new Uint8Array(1_000_001), type }, 413],
    ['an SVG that says it is a JPEG', { raw: '<svg xmlns="http://www.w3.org/2000/svg"/>', type }, 415],
  ] as const
  for (const [title, upload, status] of cases) {
    const answer = await call('PUT', '/document/front', upload)
    t.is(answer.status, status, title)
    t.deepEqual(Object.keys(answer.body), ['error'], title)
  }
  const chunks = `4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(70)
  const bearer = 'Authorization: Bearer nobody\r\n'
  const head = `PUT ${sdk}/selfie HTTP/1.1\r\nHost: x\r\n${bearer}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
  t.true((await door.raw(`${head}${chunks}0\r\n\r\n`)).startsWith('HTTP/1.1 401 '))
  t.like((await call('GET', '')).body, { next_step: 'document_front' })
  const rows = await door.service.store.read({ sql: "SELECT id FROM captures WHERE kind <> 'facts'", values: [] })
  t.deepEqual(rows, [])
})

test('images that fail decoding have a limit, and an image that can be rejected before is not decoded', async t => {
  const door = await openTestDoor(t, sqlite, {}, { per_minute: { refused_images: 2 } })
  const { call } = await openDevice(door)
  await call('POST', '/start', { json: {} })
  const torn = () => ({ ...image, raw: jpeg.subarray(0, jpeg.length - 200) })
  const answers = await Promise.all([1, 2, 3, 4].map(() => call('PUT', '/document/front', torn())))
  t.deepEqual(answers.map(({ status }) => status).sort(), [422, 422, 429, 429])
  const limited = await call('PUT', '/selfie', image)
  t.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '30'])
  t.is(limited.body.error, 'rate limit: at most 2 refused or repeated images and chip files a minute per transaction')
  t.is((await call('PUT', `/liveness/${randomUUID()}/0`, torn())).status, 410, 'no challenge, and so no look at it')
  await door.clock.advance(30_000)
  t.is((await call('PUT', '/selfie', image)).status, 200)
  const frame = anotherImage()
  const { challenge_id } = (await call('POST', '/liveness/challenge')).body
  const taken = await call('PUT', `/liveness/${challenge_id}/0`, frame)
  t.is(taken.status, 200, taken.text)
  t.is((await call('PUT', '/document/back', torn())).status, 422)
  for (const path of [`/liveness/${challenge_id}/1`, '/selfie'])
    t.is((await call('PUT', path, frame)).status, 422, 'a picture that was used is known without being decoded')
  t.is((await call('PUT', '/document/back', torn())).status, 429)
  await door.clock.advance(60_000)
  for (const status of [200, 200, 429])
    t.is((await call('PUT', `/liveness/${challenge_id}/0`, frame)).status, status, 'sent again')
})

test('the checker’s refusal is an answer: the image’s fault for its sender, a node that can check none for a retry', async t => {
  const imageChecker = sharedImageChecker()
  t.teardown(imageChecker.stop)
  let error = new Error()
  const door = await openDoor(sqlite, { imageChecker: { ...imageChecker, check: () => Promise.reject(error) } })
  t.teardown(door.close)
  const { call } = await openDevice(door)
  await call('POST', '/start')
  for (const [code, status, retry] of [
    ['too_large', 413, null],
    ['unsupported_media_type', 415, null],
    ['unusable_capture', 422, null],
    ['unavailable', 503, '2'],
  ] as const) {
    error = new ImageError(code, `image: ${code}`)
    const { body, headers, ...answer } = await call('PUT', '/document/front', { raw: jpeg })
    t.is(answer.status, status)
    t.deepEqual(body, { error: `image: ${code}` })
    t.is(headers.get('x-error-code'), code)
    t.is(headers.get('retry-after'), retry)
  }
})

test('images under way take no more of the memory than they may, and give it back', async t => {
  const imageChecker = sharedImageChecker()
  const gate = Promise.withResolvers<void>()
  t.teardown(imageChecker.stop)
  const check: typeof imageChecker.check = async image => {
    await gate.promise
    return imageChecker.check(image)
  }
  const door = await openDoor(sqlite, {
    uploadMemory: createUploadMemory(800_000, manualClock()),
    imageChecker: { ...imageChecker, check },
  })
  t.teardown(door.close)
  const { call } = await openDevice(door)
  await call('POST', '/start')
  const large = { raw: Buffer.concat([jpeg, Buffer.alloc(300_000)]) }
  const put = () => call('PUT', '/document/front', large)
  const refused: Answer[] = []
  const puts = Array.from({ length: 12 }, async () => {
    const answer = await put()
    if (answer.status === 503) refused.push(answer)
    // All but the one that is looked at.
    if (refused.length === 11) gate.resolve()
    return answer.status
  })
  t.is((await Promise.all(puts)).filter(status => status === 200).length, 1)
  for (const { body, headers } of refused) {
    t.deepEqual(body, { error: 'too many uploads at once' })
    t.is(headers.get('x-error-code'), 'unavailable')
    t.truthy(headers.get('retry-after'))
  }
  t.is((await put()).status, 200)
  t.is((await call('PUT', '/document/front', { raw: Buffer.concat([jpeg, Buffer.alloc(500_000)]) })).status, 503)
  t.is((await put()).status, 200)
})

test('a chip is accepted only if it is requested, and refused ones count against the token', async t => {
  const door = await openTestDoor(t, sqlite, {}, { per_minute: { refused_images: 3 } })
  const { call } = await openDevice(door)
  await call('POST', '/start')
  const put = (of: typeof call, raw: string) => of('PUT', '/document/chip', { raw, type: 'application/json' })
  const unread = await put(call, '[')
  t.deepEqual([unread.status, unread.body.error], [409, 'document_chip: this transaction reads no chip'])
  const { call: asked } = await openDevice(door, undefined, { document_policy: { chip: 'REQUIRE' } })
  await asked('POST', '/start')
  const many = `{${Array.from({ length: 90_000 }, (_, n) => `"m${n}":1`)}}`
  const answers = []
  for (const raw of [
    many,
    '['.repeat(1_000_000),
    '{"sod":"AQID","dg1":"AQID","dg2":"AQID"}',
    '{"unavailable":"NO_NFC"}',
  ]) {
    const { status, body } = await put(asked, raw)
    answers.push([status, body.error])
  }
  t.deepEqual(answers, [
    [400, 'body: must have at most 1000 members'],
    [400, 'body: must be a JSON object'],
    [422, 'sod: cannot be read'],
    [429, 'rate limit: at most 3 refused or repeated images and chip files a minute per transaction'],
  ])
  await door.clock.advance(60_000)
  t.is((await put(asked, '{"unavailable":"NO_NFC"}')).status, 200)
})

test('bodies of every kind count in the memory of uploads', async t => {
  const door = await openTestDoor(t, sqlite, { uploadMemory: createUploadMemory(40_000, manualClock()) })
  const { call } = await openDevice(door)
  await call('POST', '/start')
  const signals = { json: { device: { sdk_platform: 'x'.repeat(200), more: 'y'.repeat(30_000) } } }
  const refused = await call('PUT', '/signals', signals)
  t.deepEqual([refused.status, refused.body.error], [503, 'too many uploads at once'])
  t.is((await call('PUT', '/signals', { json: {} })).status, 204)
})

test('images of one account, and of one address, take half of the memory for them at most, so that others are accepted', t => {
  const busy = { message: 'too many uploads at once' }
  for (const share of ['account_id', 'network'] as const) {
    const uploads = createUploadMemory(1000, manualClock())
    const begin = (transaction_id: string, who: string) =>
      uploads.begin({ transaction_id: null, account_id: transaction_id, network: transaction_id, [share]: who })
    const held = ['one', 'two'].map(transaction_id => begin(transaction_id, 'costly'))
    held[0]?.hold(300)
    t.throws(() => held[1]?.hold(300), busy)
    const other = begin('three', 'other')
    other.hold(500)
    t.throws(() => other.hold(1), busy)
    held[0]?.end()
    held[1]?.hold(500)
  }
})

test('uploads that have stalled give way if memory is short, the slowest first, and no others', async t => {
  const clock = manualClock()
  const uploads = createUploadMemory(1_000_000, clock)
  const begin = (name: string) => uploads.begin({ transaction_id: null, account_id: name, network: name })
  const [whole, silent, slow, fast] = ['whole', 'silent', 'slow', 'fast'].map(begin)
  if (!whole || !silent || !slow || !fast) return t.fail()
  for (const one of [whole, silent, slow, fast]) one.hold(200_000)
  whole.complete()
  t.throws(() => begin('early').hold(300_000), { message: 'too many uploads at once' }, 'none of them has stalled yet')
  for (let seconds = 0; seconds < 4; seconds++) {
    await clock.advance(1000)
    slow.hold(1)
    fast.hold(20_000)
  }
  const newcomer = begin('newcomer')
  const aborted = () => [whole, silent, slow, fast].map(({ signal }) => signal.aborted)
  newcomer.hold(300_000)
  t.deepEqual(aborted(), [false, true, false, false])
  t.throws(() => silent.hold(1), { message: 'too many uploads at once' })
  newcomer.hold(150_000)
  t.deepEqual(aborted(), [false, true, true, false])
  t.throws(() => newcomer.hold(100_000), { message: 'too many uploads at once' }, 'nobody else is slow')
  silent.end()
  t.false(whole.signal.aborted, 'an image that is there is decoded')
})

test('a step that there is none of is not found, and a parameter is given once', async t => {
  const door = await openTestDoor(t, sqlite)
  const { call } = await openDevice(door)
  t.is((await call('GET', '/result?wait=1&wait=2')).status, 400)
  await call('POST', '/start')
  for (const n of ['-1', '100']) t.is((await call('PUT', `/liveness/${randomUUID()}/${n}`, image)).status, 404, n)
})
