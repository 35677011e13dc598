import test, { type ExecutionContext } from 'ava'
import { type Clock, systemClock } from '../../../src/base/clock.ts'
import type { ObjectStore } from '../../../src/verification/captures/object_store.ts'
import { openS3Objects } from '../../../src/verification/captures/s3_objects.ts'

import { type FaultyProxy, startFaultyProxy } from './faulty_proxy.ts'
import { bucket, hasSwift, type Swift, startSwift } from './swift.ts'

const withSwift = hasSwift ? test.serial : test.serial.skip
const swift: Swift | null = hasSwift ? await startSwift() : null
test.after.always(() => swift?.stop())

const attempt_ms = 10_000
const content = Buffer.alloc(300_000, 'pixel')

interface Opened {
  readonly objects: ObjectStore
  readonly proxy: FaultyProxy
  readonly requests: string[]
  /** The waits between attempts. */
  readonly pauses: number[]
}

/** Waits between attempts end at once; the time of an attempt ends when its request has arrived and hangs. */
function impatientClock(proxy: FaultyProxy, requests: string[], pauses: number[]): Clock {
  return {
    ...systemClock,
    setTimer(delay_ms, fire) {
      if (delay_ms < attempt_ms) {
        pauses.push(delay_ms)
        setImmediate(fire)
        return () => {}
      }
      proxy.onRequest = method => {
        requests.push(method)
        if (proxy.fault === 'hang') fire()
      }
      return () => {}
    },
  }
}

async function opened(t: ExecutionContext, more: { bucket?: string; secretAccessKey?: string } = {}): Promise<Opened> {
  if (swift === null) throw new Error('Swift is not installed')
  const proxy = await startFaultyProxy(swift.client.endpoint)
  const requests: string[] = []
  const pauses: number[] = []
  const credentials = { accessKeyId: 'attestor:tester', secretAccessKey: more.secretAccessKey ?? 'sesame' }
  const objects = await openS3Objects({
    bucket: more.bucket ?? bucket,
    prefix: '',
    path_style: true,
    attempt_ms,
    clock: impatientClock(proxy, requests, pauses),
    client: { ...swift.client, endpoint: proxy.endpoint, credentials },
  })
  t.teardown(async () => {
    objects.close()
    await proxy.stop()
  })
  return { objects, proxy, requests, pauses }
}

const broken = { name: 'ObjectStoreError', is_temporary: true }

for (const fault of ['refused', 'status 500', 'hang'] as const)
  withSwift(`${fault}: three attempts, and the failure says that it may pass`, async t => {
    const { objects, proxy, requests, pauses } = await opened(t)
    proxy.fault = fault
    const calls: readonly (() => Promise<unknown>)[] = [
      () => objects.put('one', [content]),
      () => objects.get('one', 1),
      () => objects.delete('one'),
    ]
    for (const call of calls) {
      requests.length = 0
      pauses.length = 0
      const error = await t.throwsAsync(call())
      t.like(error, broken)
      t.is(requests.length, 3)
      t.deepEqual(pauses, [100, 200])
      if (fault === 'hang') t.regex(error?.message ?? '', /no answer in 10000 ms/)
    }
  })

withSwift('an attempt that fails is made again, and then succeeds', async t => {
  const { objects, proxy, requests } = await opened(t)
  proxy.failures = 2
  await objects.put('again', [content.subarray(0, 1000), content.subarray(1000)])
  t.true((await objects.get('again', content.length))?.equals(content))
  await objects.delete('again')
  t.is(await objects.get('again', content.length), null)
  t.is(requests.length, 4 + 2)
})

withSwift('nothing is stored that was damaged on its way', async t => {
  const { objects, proxy, requests } = await opened(t)
  proxy.fault = 'damaged upload'
  const error = await t.throwsAsync(objects.put('damaged', [content]))
  t.regex(error?.message ?? '', /^PUT: (BadDigest|XAmzContentSHA256Mismatch)/)
  proxy.fault = 'none'
  t.is(await objects.get('damaged', content.length), null)
  t.deepEqual(requests, ['PUT', 'PUT', 'PUT', 'GET'])
})

withSwift('an answer that is cut is no content', async t => {
  const { objects, proxy } = await opened(t)
  await objects.put('whole', [content])
  proxy.fault = 'cut answer'
  t.like(await t.throwsAsync(objects.get('whole', content.length)), broken)
  proxy.fault = 'none'
  t.true((await objects.get('whole', content.length))?.equals(content))
})

withSwift('an answer that is longer than the content is not read to its end', async t => {
  const { objects, proxy } = await opened(t)
  await objects.put('long', [content])
  proxy.fault = 'endless answer'
  const read = await objects.get('long', content.length)
  t.true((read?.length ?? 0) > content.length && (read?.length ?? 0) < 2 * content.length)
})

withSwift('another secret, no bucket, no right: one attempt, and the failure says that it will not pass', async t => {
  const cases = [
    [await opened(t, { secretAccessKey: 'other' }), /SignatureDoesNotMatch.*403/],
    [await opened(t, { bucket: 'none-such' }), /NoSuchBucket.*404/],
    [await opened(t), /403/],
  ] as const
  cases[2][0].proxy.fault = 'status 403'
  for (const [{ objects, requests }, message] of cases) {
    const error = await t.throwsAsync(objects.put('one', [content]), { message })
    t.like(error, { name: 'ObjectStoreError', is_temporary: false })
    t.is(requests.length, 1)
  }
})
