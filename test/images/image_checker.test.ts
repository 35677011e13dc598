import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { systemClock } from '../../src/base/clock.ts'
import { type Photos, type PhotosOptions, startPhotos } from '../../src/images/image_checker.ts'
import { createFairQueue } from '../../src/processes/fair_queue.ts'
import type { PoolLimits } from '../../src/processes/limits.ts'
import { manualClock } from '../clock.ts'
import { databases } from '../database.ts'
import { kyc, openDoor, sdk } from '../http/door.ts'
import { patientLimits } from '../photos.ts'

const limits = { max_bytes: 2_000_000, max_megapixels: 4 }
const entry = new URL('image_checker_child.ts', import.meta.url)

const jpeg = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()
/** What follows a JPEG's end is no part of the picture. */
const photoThat = (deed: string): Buffer => Buffer.concat([jpeg, Buffer.from(`{${deed}}`)])

const poison = { name: 'ApiError', code: 'unusable_capture', message: 'image: is damaged or incomplete' } as const

const opened = (t: ExecutionContext, { limits: own = {}, ...options }: Partial<PhotosOptions> = {}): Photos => {
  const photos = startPhotos({
    clock: systemClock,
    entry,
    children: 1,
    limits: { ...patientLimits, ...own },
    ...options,
  })
  t.teardown(photos.stop)
  return photos
}

const check = (photos: Photos, content: Buffer, account_id = 'account') =>
  photos.check({ content, declared_type: null, limits, subject: 'selfie', account_id })

const pool: Partial<PoolLimits> = { memory_limit_mb: 300 }

for (const deed of ['abort', 'grow'])
  test(`a photo that makes its process ${deed} is refused, and every other one at that moment is taken`, async t => {
    const photos = opened(t, { limits: pool })
    const before = Array.from({ length: 3 }, () => check(photos, jpeg))
    const poisoned = [check(photos, photoThat(deed)), check(photos, photoThat(deed))]
    const after = Array.from({ length: 3 }, () => check(photos, jpeg))
    for (const one of poisoned) await t.throwsAsync(one, poison)
    for (const one of await Promise.all([...before, ...after])) t.like(one, { width: 300, media_type: 'image/jpeg' })
    // Both may have been in one process at first; the second time each has one to itself.
    t.true((await photos.processes()).restarts >= 3)
  })

test('a photo that takes too long ends its process, twice, and is refused', async t => {
  const clock = manualClock()
  const photos = opened(t, { clock, limits: { time_limit_ms: 4_321 } })
  await photos.ready
  const refused = t.throwsAsync(check(photos, photoThat('hang')), poison)
  let over = false
  void refused.finally(() => {
    over = true
  })
  while (!over) {
    await new Promise(setImmediate)
    if ((await photos.processes()).warm > 0) await clock.turn(4_321)
  }
  await refused
  t.is((await photos.processes()).restarts, 2)
})

for (const deed of ['write', 'readme', 'keys', 'spawn'])
  test(`a process that decodes photos is kept from what it has no need of: ${deed}`, async t => {
    await t.throwsAsync(check(opened(t), photoThat(deed)), { message: /restricted/ })
  })

test('a process that decodes photos has nothing of the environment', async t => {
  process.env.MASTER_KEY = 'secret'
  const refusal = await t.throwsAsync(check(opened(t), photoThat('environment')))
  const names = refusal.message.replace('done: ', '').split(',')
  t.deepEqual(
    names.filter(name => !/^(MALLOC_.*|VIPSHOME|TZ|PWD|OLDPWD|SHLVL|_)$/.test(name)),
    [],
  )
})

test('more photos than may wait are told to come again, and so are those of a node that stops', async t => {
  const photos = opened(t, { limits: { queue: 1 } })
  const busy = { name: 'ApiError', code: 'unavailable' } as const
  const waits = check(photos, jpeg)
  const refusal = await t.throwsAsync(check(photos, jpeg), busy)
  t.like(refusal, { status: 503, headers: { 'Retry-After': '2' } })
  t.is((await waits).height, 200)
  const running = t.throwsAsync(check(photos, photoThat('hang')), busy)
  await photos.stop()
  await running
  await t.throwsAsync(check(photos, jpeg), busy)
})

test('however many photos of one account wait, and for however long, those of others are looked at', async t => {
  const photos = opened(t, { children: 2, limits: { queue: 4 } })
  while ((await photos.processes()).warm < 2) await new Promise(setImmediate)
  const costly = Array.from({ length: 12 }, () => check(photos, photoThat('hang'), 'costly'))
  const outcomes = costly.map(one =>
    one.then(
      () => 'taken',
      ({ message }: Error) => message,
    ),
  )
  for (let n = 0; n < 3; n++) t.like(await check(photos, jpeg, 'other'), { width: 300 })
  // Two are looked at and four wait; those beyond were refused, and not those of the others.
  const refused = await Promise.all(outcomes.slice(6))
  t.deepEqual(new Set(refused), new Set(['too many images at once']))
  await photos.stop()
  t.deepEqual(await Promise.all(outcomes.slice(0, 2)), Array(2).fill('images cannot be checked by now'))
})

test('an account has a process fewer beside others, until they have sent nothing for a minute', t => {
  let now = 0
  const queue = createFairQueue({ limit: 9, share: { alone: 3, beside: 2 }, now: () => now })
  const ends: (() => void)[] = []
  const begunOf = (owner: string): number => {
    for (let n = 0; n < 4; n++) queue.add({ owner, permits: () => 1 })
    let begun = 0
    for (let job = queue.next(); job !== null; job = queue.next()) {
      ends.push(queue.begin(job))
      if (job.owner === owner) begun++
    }
    for (const end of ends.splice(0)) end()
    queue.removeAll()
    return begun
  }
  t.deepEqual([begunOf('one'), begunOf('one')], [3, 3])
  t.deepEqual([begunOf('two'), begunOf('one')], [2, 2])
  now = 59_999
  t.is(begunOf('one'), 2)
  now = 60_000
  t.is(begunOf('one'), 3)
  now = -60_000
  t.is(begunOf('one'), 3, 'a clock that is put back holds nobody up')
})

test('photos that wait are looked at account by account', async t => {
  const photos = opened(t)
  const order: string[] = []
  const of = async (account_id: string): Promise<void> => {
    await check(photos, jpeg, account_id)
    order.push(account_id)
  }
  await Promise.all([...Array.from({ length: 8 }, () => of('many')), of('one'), of('other')])
  t.true(order.indexOf('one') < 4 && order.indexOf('other') < 6, order.join())
})

test('what its first bytes give away is refused before any process sees it', async t => {
  const photos = opened(t, { entry: new URL('no_such_child.ts', import.meta.url) })
  await t.throwsAsync(check(photos, Buffer.from('GIF89a')), { code: 'unsupported_media_type' })
  await t.throwsAsync(check(photos, Buffer.alloc(limits.max_bytes + 1)), { code: 'too_large' })
  await t.throwsAsync(check(photos, jpeg), { code: 'unavailable' })
})

test('uploads of many sessions beside one that kills its process are all taken, and the service goes on', async t => {
  const [engine] = databases
  if (engine === undefined) throw new Error('no database')
  const photos = startPhotos({ clock: systemClock, entry, children: 1, limits: patientLimits })
  const door = await openDoor(engine, { photos })
  t.teardown(async () => {
    await door.close()
    await photos.stop()
  })
  const { token } = door
  const session = async (): Promise<string> => {
    const { body: customer } = await door.call('POST', `${kyc}/customer`, {
      token,
      json: { external_customer_id: crypto.randomUUID() },
    })
    const json = { customer_id: customer.customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    const sdk_token = String((await door.call('POST', `${kyc}/transaction`, { token, json })).body.sdk_token)
    await door.call('POST', `${sdk}/start`, { token: sdk_token, json: { consent: true } })
    return sdk_token
  }
  const tokens = await Promise.all(Array.from({ length: 5 }, session))
  const upload = (sdk_token: string, raw: Buffer) =>
    door.call('PUT', `${sdk}/selfie`, { token: sdk_token, raw, type: 'image/jpeg' })
  const answers = await Promise.all(tokens.map((one, n) => upload(one, n === 2 ? photoThat('abort') : jpeg)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 422, 200, 200],
  )
  t.is(answers[2]?.body.error, 'image: is damaged or incomplete')
  t.is((await upload(tokens[2] ?? '', jpeg)).status, 200)
})
