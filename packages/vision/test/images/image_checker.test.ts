import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { systemClock } from '../../../../src/base/clock.ts'
import { silentLog } from '../../../../src/base/log.ts'
import { sqlite } from '../../../../test/database.ts'
import { openDoor } from '../../../../test/http/door.ts'
import { patientLimits } from '../../../../test/image_checker.ts'
import { openTransaction, sdk } from '../../../../test/service/client.ts'
import { inLongTier } from '../../../../test/tier.ts'
import { type ImageChecker, type ImageCheckerOptions, startImageChecker } from '../../images/image_checker.ts'
import type { PoolLimits } from '../../processes/pool_limits.ts'
import { timersClock } from '../processes/timers_clock.ts'

const limits = { max_bytes: 2_000_000, max_megapixels: 4 }
const entry = new URL('image_checker_child.ts', import.meta.url)

const jpeg = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()

/** Returns a picture with an order to the child after the JPEG's end, where it is no part of the picture. */
function imageThat(deed: string): Buffer {
  return Buffer.concat([jpeg, Buffer.from(`{${deed}}`)])
}

const poison = { name: 'ImageError', code: 'unusable_capture', message: 'image: is damaged or incomplete' } as const

function openChecker(
  t: ExecutionContext,
  { limits: own = {}, ...options }: Partial<ImageCheckerOptions> = {},
): ImageChecker {
  const imageChecker = startImageChecker({
    clock: systemClock,
    entry,
    children: 1,
    limits: { ...patientLimits, ...own },
    ...options,
  })
  t.teardown(imageChecker.stop)
  return imageChecker
}

function check(imageChecker: ImageChecker, content: Buffer, accountId = 'account') {
  return imageChecker.check({ content, limits, subject: 'selfie', accountId })
}

const pool: Partial<PoolLimits> = { memoryLimitMb: 300 }

for (const deed of ['abort', 'grow'])
  inLongTier(test)(
    `a photo that makes its process ${deed} is rejected, and every other one at that moment is accepted`,
    async t => {
      const imageChecker = openChecker(t, { limits: pool })
      const before = Array.from({ length: 3 }, () => check(imageChecker, jpeg))
      const poisoned = [check(imageChecker, imageThat(deed)), check(imageChecker, imageThat(deed))]
      const after = Array.from({ length: 3 }, () => check(imageChecker, jpeg))
      for (const one of poisoned) await t.throwsAsync(one, poison)
      for (const one of await Promise.all([...before, ...after])) t.like(one, { width: 300, media_type: 'image/jpeg' })
      t.is((await imageChecker.stats()).restarts, 2)
    },
  )

test('a photo is not to blame if no image can be decoded: checks are unavailable, and the log says why', async t => {
  const lines: string[] = []
  const log = { ...silentLog, error: (_fields: object, message: string) => void lines.push(message) }
  const imageChecker = openChecker(t, { log })
  t.like(await check(imageChecker, jpeg), { width: 300 })
  await t.throwsAsync(check(imageChecker, imageThat('exhaust')), { code: 'unavailable' })
  t.deepEqual(lines, ['no image can be decoded'])
})

test('a photo that takes too long ends its process, and is rejected', async t => {
  const clock = timersClock()
  const imageChecker = openChecker(t, { clock, limits: { timeLimitMs: 4_321 } })
  const rejected = t.throwsAsync(check(imageChecker, imageThat('hang')), poison)
  const fire = await clock.whenSet(4_321)
  fire()
  await rejected
  t.is((await imageChecker.stats()).restarts, 1)
})

test('a process that decodes images is denied what it does not need, and inherits no environment', async t => {
  process.env.MASTER_KEY = 'secret'
  const imageChecker = openChecker(t)
  for (const deed of ['write', 'readme', 'keys', 'spawn'])
    await t.throwsAsync(check(imageChecker, imageThat(deed)), { message: /restricted/ }, deed)
  const refusal = await t.throwsAsync(check(imageChecker, imageThat('environment')))
  const names = refusal.message.replace('done: ', '').split(',')
  t.deepEqual(
    names.filter(name => !/^(MALLOC_.*|NODE_COMPILE_CACHE|VIPSHOME|TZ|PWD|OLDPWD|SHLVL|_)$/.test(name)),
    [],
  )
})

test('more images than may wait are rejected for a retry, and so are those of a node that stops', async t => {
  const imageChecker = openChecker(t, { limits: { maxQueue: 1 } })
  const busy = { name: 'ImageError', code: 'unavailable' } as const
  const waits = check(imageChecker, jpeg)
  await t.throwsAsync(check(imageChecker, jpeg), { ...busy, message: 'too many images at once' })
  t.is((await waits).height, 200)
  const running = t.throwsAsync(check(imageChecker, imageThat('hang')), busy)
  await imageChecker.stop()
  await running
  await t.throwsAsync(check(imageChecker, jpeg), busy)
})

test('however many images of one account wait, those of others are checked', async t => {
  const imageChecker = openChecker(t, { children: 2, limits: { maxQueue: 4 } })
  await imageChecker.ready
  const costly = Array.from({ length: 12 }, () => check(imageChecker, imageThat('hang'), 'costly'))
  const outcomes = costly.map(one =>
    one.then(
      () => 'taken',
      ({ message }: Error) => message,
    ),
  )
  for (let n = 0; n < 3; n++) t.like(await check(imageChecker, jpeg, 'other'), { width: 300 })
  // Two run and four wait; only the further ones of the same account are rejected.
  const refused = await Promise.all(outcomes.slice(6))
  t.deepEqual(new Set(refused), new Set(['too many images at once']))
  await imageChecker.stop()
  t.deepEqual(await Promise.all(outcomes.slice(0, 2)), Array(2).fill('images cannot be checked now'))
})

test('images that wait are checked account by account', async t => {
  const imageChecker = openChecker(t)
  const order: string[] = []
  const of = async (account_id: string): Promise<void> => {
    await check(imageChecker, jpeg, account_id)
    order.push(account_id)
  }
  await Promise.all([...Array.from({ length: 8 }, () => of('many')), of('one'), of('other')])
  t.true(order.indexOf('one') < 4 && order.indexOf('other') < 6, order.join())
})

test('an image that its first bytes give away is rejected before any process sees it', async t => {
  const imageChecker = openChecker(t, { entry: new URL('no_such_child.ts', import.meta.url) })
  await t.throwsAsync(check(imageChecker, Buffer.from('GIF89a')), { code: 'unsupported_media_type' })
  await t.throwsAsync(check(imageChecker, Buffer.alloc(limits.max_bytes + 1)), { code: 'too_large' })
  await t.throwsAsync(check(imageChecker, jpeg), { code: 'unavailable' })
})

test('uploads of many sessions beside one that kills its process are all accepted', async t => {
  const imageChecker = startImageChecker({ clock: systemClock, entry, children: 1, limits: patientLimits })
  const door = await openDoor(sqlite, { imageChecker })
  t.teardown(async () => {
    await door.close()
    await imageChecker.stop()
  })
  const { token } = door
  const session = async (): Promise<string> => {
    const { sdk_token } = await openTransaction(door.call, token)
    await door.call('POST', `${sdk}/start`, { token: sdk_token, json: { consent: true } })
    return sdk_token
  }
  const tokens = await Promise.all(Array.from({ length: 5 }, session))
  const upload = (sdk_token: string, raw: Buffer) =>
    door.call('PUT', `${sdk}/selfie`, { token: sdk_token, raw, type: 'image/jpeg' })
  const answers = await Promise.all(tokens.map((one, n) => upload(one, n === 2 ? imageThat('abort') : jpeg)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 422, 200, 200],
  )
  t.is(answers[2]?.body.error, 'image: is damaged or incomplete')
  t.is((await upload(tokens[2] ?? '', jpeg)).status, 200)
})
