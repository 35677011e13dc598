import test, { type ExecutionContext } from 'ava'
import { ConfigError } from '../../src/base/setting.ts'
import { poll } from '../awaited.ts'
import { oneDialect, sqlite, type TestEngine } from '../database.ts'
import { inLongTier } from '../tier.ts'
import { type FaultyProxy, startFaultyProxy } from '../verification/captures/faulty_proxy.ts'
import { hasSwift, type Swift, startSwift } from '../verification/captures/swift.ts'
import { kyc, picture } from './client.ts'
import { getResult, verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

const withSwift = hasSwift ? test.serial : test.serial.skip
const swift: Swift | null = hasSwift ? await startSwift() : null
const proxy: FaultyProxy | null = swift && (await startFaultyProxy(swift.client.endpoint))
// The SDK reads them itself.
Object.assign(process.env, swift?.environment, { AWS_ENDPOINT_URL_S3: proxy?.endpoint })
test.after.always(async () => {
  await proxy?.stop()
  await swift?.stop()
})

const settings = { CAPTURE_STORE: 's3://captures/images', CAPTURE_STORE_PATH_STYLE: 'on' }
const minute = 60_000
const probeMs = 5000

/** A rig whose images are objects, and the names of those objects. */
async function opened(t: ExecutionContext, engine: TestEngine, more = {}) {
  if (swift === null || proxy === null) throw new Error('Swift is not installed')
  proxy.fault = 'none'
  const earlier = await swift.list()
  const rig = await openRig(engine, { ...settings, ...more })
  t.teardown(async () => {
    proxy.fault = 'none'
    await rig.close()
  })
  const listImages = async () =>
    (await swift.list()).filter(name => !earlier.includes(name) && name !== 'images/probe').sort()
  return { rig, proxy, listImages }
}

async function named(rig: Rig): Promise<string[]> {
  return (await rig.rows('SELECT id FROM captures WHERE content IS NULL')).map(({ id }) => `images/${id}`).sort()
}

async function call(rig: Rig, method: string, path: string) {
  return rig.call(method, `${kyc}${path}`, { token: await rig.token() })
}

/** Advances the clock to each probe of the store, which talks to a real server, until one succeeds. */
async function recover(rig: Rig): Promise<void> {
  const { contents } = rig.node().service
  while (!contents.isAvailable()) {
    let over = false
    const failed = rig.waiting(probeMs).then(() => {
      over = true
    })
    await rig.clock.advance(probeMs)
    await Promise.race([failed, poll(() => over || contents.isAvailable())])
  }
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  withSwift(`${on}images are objects from upload to erasure, and a picture is shown from there`, async t => {
    const { rig, listImages } = await opened(t, engine)
    const { id } = await verify(rig)
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
    t.true((await named(rig)).length >= 3)
    t.deepEqual(await listImages(), await named(rig))
    const { data } = (await call(rig, 'GET', `/transaction/${id}/captures`)).body as { data: { id: string }[] }
    const { body } = await call(rig, 'POST', `/transaction/${id}/captures/${data[0]?.id}/link`)
    t.is((await fetch(String(body.url))).status, 200)

    t.is((await call(rig, 'DELETE', `/transaction/${id}`)).status, 200)
    t.deepEqual(await listImages(), [])
    t.deepEqual(await rig.rows('SELECT * FROM object_removals'), [])
  })

  withSwift(`${on}a retake and a drop delete the objects within a minute`, async t => {
    const { rig, listImages } = await opened(t, engine)
    const { phone } = await rig.open()
    await phone.start()
    await phone.upload('document/front', await picture(1))
    await phone.upload('document/front', await picture(2))
    await phone.upload('document/back', await picture(3))
    t.is((await listImages()).length, 3)
    await phone.drop('document_back')
    await rig.advance(minute)
    t.is((await listImages()).length, 1)
    t.deepEqual(await listImages(), await named(rig))
  })

  withSwift(
    `${on}while the store is away uploads are answered 503, nothing is lost, and all goes on afterwards`,
    async t => {
      const { rig, proxy: away, listImages } = await opened(t, engine)
      const begun = await rig.open()
      await begun.phone.capture()
      const waiting = await rig.open()
      await waiting.phone.start()
      away.fault = 'status 403'
      const refused = await waiting.phone.upload('document/front', await picture(1))
      t.is(refused.status, 503)
      t.is(refused.headers.get('retry-after'), '5')
      t.is(refused.headers.get('x-error-code'), 'unavailable')
      t.regex(String(refused.body.error), /images can’t be stored or read at the moment/)
      t.true(rig.lines.some(({ message, error }) => message === 'the capture store fails' && /403/.test(String(error))))
      t.is((await begun.phone.complete()).status, 202)
      await rig.idle()
      await rig.advance(10 * minute)
      t.is((await rig.view(begun.id)).status, 'COMPLETED', 'where no deadline runs')

      away.fault = 'none'
      await recover(rig)
      // The next poll takes the jobs up again.
      await rig.advance(minute)
      const view = await rig.view(begun.id)
      t.is(view.status, 'FINISHED')
      t.is(getResult(view).decision, 'APPROVED')
      t.is((await waiting.phone.upload('document/front', await picture(1))).status, 200)
      await rig.advance(62 * minute)
      t.deepEqual(await listImages(), await named(rig), 'what the refused upload left is collected')
    },
  )

  withSwift(`${on}an erasure is complete when its objects are deleted, and not before`, async t => {
    const { rig, proxy: away, listImages } = await opened(t, engine)
    const { id } = await verify(rig)
    const images = await listImages()
    away.fault = 'status 403'
    t.is((await call(rig, 'DELETE', `/transaction/${id}`)).status, 503)
    const receipt = async () =>
      (await rig.rows('SELECT completed_at FROM erasures WHERE subject_id = ?', id))[0]?.completed_at
    t.is(await receipt(), null)
    t.is((await call(rig, 'GET', `/transaction/${id}`)).status, 404, 'nobody finds it any more')
    t.deepEqual(await listImages(), images)
    away.fault = 'none'
    await recover(rig)
    await rig.advance(4 * minute)
    t.not(await receipt(), null)
    t.deepEqual(await listImages(), [])
  })

  inLongTier(withSwift)(`${on}retention deletes objects too`, async t => {
    const { rig, listImages } = await opened(t, engine, { RETENTION_CAPTURES_DAYS: '1' })
    await verify(rig)
    await rig.advance(23 * 60 * minute)
    t.true((await listImages()).length >= 3)
    await rig.advance(2 * 60 * minute)
    t.deepEqual(await listImages(), [])
    t.deepEqual(await rig.rows('SELECT * FROM object_removals'), [])
  })
}

inLongTier(withSwift)('images are not given up by a changed setting', async t => {
  const { rig } = await opened(t, sqlite)
  await verify(rig)
  const { config } = rig.node().service
  const restart = async (more: object) => {
    await rig.end(true)
    Object.assign(config, more)
    await rig.begin()
  }
  const back = { CAPTURE_STORE: config.CAPTURE_STORE }
  for (const elsewhere of [null, { bucket: 'captures', prefix: 'other/' }]) {
    const error = await t.throwsAsync(restart({ CAPTURE_STORE: elsewhere }), { instanceOf: ConfigError })
    t.is(
      error?.message,
      'CAPTURE_STORE: images are stored at s3://captures/images/: set it so, or copy all objects to the new place first',
    )
    await t.notThrowsAsync(async () => {
      Object.assign(config, back)
      await rig.begin()
    })
  }
})

withSwift('a bucket that is not there prevents the start, a store that does not answer does not', async t => {
  const { rig, proxy: away } = await opened(t, sqlite)
  const { config } = rig.node().service
  const { CAPTURE_STORE } = config
  await rig.end(true)
  Object.assign(config, { CAPTURE_STORE: { bucket: 'no-such-bucket', prefix: '' } })
  const error = await t.throwsAsync(rig.begin(), { instanceOf: ConfigError })
  t.regex(error?.message ?? '', /^CAPTURE_STORE: s3:\/\/no-such-bucket\/ can't be used: PUT: NoSuchBucket/)

  Object.assign(config, { CAPTURE_STORE })
  away.fault = 'status 500'
  const started = rig.begin()
  for (const backoff of [100, 200]) {
    await rig.waiting(backoff)
    await rig.clock.advance(backoff)
  }
  await started
  t.true(rig.lines.some(({ message }) => message === 'the capture store does not answer'))
  away.fault = 'none'
  await verify(rig)
})
