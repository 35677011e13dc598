import { PassThrough } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { type Pool, startPool } from '../../src/engines/local/pool.ts'
import { defaultLimits } from '../../src/engines/local/pool_limits.ts'
import { AnalysisError, type AnalysisRequest, EngineUnavailableError } from '../../src/engines/port.ts'
import { onFrame, sendFrame } from '../../src/processes/frames.ts'
import type { PoolLimits } from '../../src/processes/limits.ts'
import { patientLimits } from '../photos.ts'

const request = (transaction_id: string, selfie: Uint8Array | null = null): AnalysisRequest => ({
  transaction_id,
  transaction_type: 'BIOMETRIC_ONLY',
  document_front: null,
  document_back: null,
  selfie,
  challenge: null,
  enrolled_face: null,
})

const never = new AbortController().signal

interface AdvancedClock extends Clock {
  /** Resolves with the firing of the timers of this delay as soon as there are so many. */
  whenSet(delay_ms: number, count?: number): Promise<() => void>
  /** Fires all timers of this delay. */
  fire(delay_ms: number): void
}

const turnedClock = (): AdvancedClock => {
  const timers: { readonly delay_ms: number; readonly fire: () => void }[] = []
  const hearers = new Set<() => void>()
  const of = (delay_ms: number) => timers.filter(timer => timer.delay_ms === delay_ms)
  const fireAll = (delay_ms: number): void => {
    for (const timer of of(delay_ms)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.fire()
    }
  }
  const whenSet = (delay_ms: number, count = 1): Promise<() => void> =>
    new Promise(resolve => {
      const look = (): void => {
        if (of(delay_ms).length < count) return
        hearers.delete(look)
        resolve(() => fireAll(delay_ms))
      }
      hearers.add(look)
      look()
    })
  return {
    now: () => 0,
    monotonic: () => 0,
    setTimer: (delay_ms, fire) => {
      const timer = { delay_ms, fire }
      timers.push(timer)
      for (const hear of [...hearers]) hear()
      return () => {
        if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1)
      }
    },
    whenSet,
    fire: fireAll,
  }
}

interface Given extends Partial<PoolLimits> {
  readonly size?: number
  readonly clock?: Clock
  readonly entry?: string
}

const testPool = (
  t: ExecutionContext,
  { size = 1, clock = systemClock, entry = 'pool_child.ts', ...limits }: Given = {},
): Pool => {
  const pool = startPool({
    ...{ clock, size, log: silentLog, limits: { ...defaultLimits, ...patientLimits, ...limits } },
    entry: new URL(entry, import.meta.url),
  })
  t.teardown(pool.stop)
  return pool
}

const pidOf = async (pool: Pool, id = 'fine'): Promise<number> =>
  (await pool.analyse(request(id), never)).stages.pid ?? 0

test('a child gets images whole and answers in the order of asking', async t => {
  const pool = testPool(t)
  const sizes = [1, 70_000, 3_000_000]
  const answers = await Promise.all(sizes.map(size => pool.analyse(request('fine', new Uint8Array(size)), never)))
  t.deepEqual(
    answers.map(answer => answer.stages.seen),
    sizes,
  )
})

test('frames come out whole wherever a pipe cuts or joins them', t => {
  const sizes = [0, 1, 5, 4096, 9_000]
  const sent: Buffer[] = []
  const sender = new PassThrough()
  sender.on('data', (chunk: Buffer) => sent.push(chunk))
  for (const size of sizes) sendFrame(sender, Buffer.alloc(size, size % 251))
  const all = Buffer.concat(sent)
  for (const step of [1, 3, 4, 5, 1000, all.length]) {
    const pipe = new PassThrough()
    const heard: Buffer[] = []
    onFrame(pipe, 9_000, content => heard.push(content))
    for (let at = 0; at < all.length; at += step) pipe.emit('data', all.subarray(at, at + step))
    t.deepEqual(
      heard.map(content => [content.length, content.every(byte => byte === content.length % 251)]),
      sizes.map(size => [size, true]),
      `in pieces of ${step}`,
    )
  }
})

test('a child inherits nothing of the environment', async t => {
  process.env.MASTER_KEY = 'secret'
  const { stages } = await testPool(t).analyse(request('fine'), never)
  const names = Object.keys(stages).filter(name => name.startsWith('env_'))
  t.deepEqual(
    names.filter(name => !/^env_(MALLOC_.*|TZ|PWD|OLDPWD|SHLVL|_)$/.test(name)),
    [],
  )
})

for (const [deed, what] of [
  ['abort', /SIGABRT/],
  ['exit', /code 3/],
  ['heap', /SIGABRT|SIGTRAP|memory/],
  ['outside_the_heap', /memory/i],
  ['fail', /cannot look/],
  ['say_null', /nobody understands/],
  ['say_bytes', /not valid JSON/],
  ['say_too_much', /said more than/],
  ['answer_another', /not asked/],
  ['name_a_stage', /nobody understands/],
  ['write', /restricted/],
  ['read_the_readme', /restricted/],
  ['read_the_keys', /restricted/],
  ['start_a_process', /restricted/],
] as const) {
  test(`a child that meets ${deed} fails its own analysis, and another child serves the next`, async t => {
    const pool = testPool(t, { heap_limit_mb: 64, memory_limit_mb: 300 })
    const before = await pidOf(pool)
    const failing = pool.analyse(request(deed), never)
    const after = pidOf(pool)
    await t.throwsAsync(failing, { instanceOf: AnalysisError, message: what })
    t.not(await after, before)
  })
}

test('a child that hangs is ended when its time is up, and another serves the next', async t => {
  const clock = turnedClock()
  const pool = testPool(t, { time_limit_ms: 4321, clock })
  const failing = pool.analyse(request('hang'), never)
  const fire = await clock.whenSet(4321)
  fire()
  await t.throwsAsync(failing, { instanceOf: AnalysisError, message: /longer than 4321 ms/ })
  t.true((await pidOf(pool)) > 0)
})

test('a child that never gets ready is ended when its time to start is up, and what waits is given back', async t => {
  const clock = turnedClock()
  const pool = testPool(t, { clock, start_limit_ms: 1234, entry: 'pool_silent_child.ts' })
  const failing = pool.analyse(request('fine'), never)
  for (let start = 1; start <= 2; start++) {
    const fire = await clock.whenSet(1234)
    fire()
  }
  await t.throwsAsync(failing, { instanceOf: EngineUnavailableError, message: /longer than 1234 ms to start/ })
  t.deepEqual([pool.pids(), pool.capacity()], [[], 0])
})

test('a program that cannot start is started ever more rarely, and costs no transaction an attempt', async t => {
  const clock = turnedClock()
  const pool = testPool(t, { clock, size: 2, entry: 'no_such_child.ts' })
  for (const rest_ms of [500, 1000, 2000]) {
    await clock.whenSet(rest_ms, 2)
    t.deepEqual([pool.pids(), pool.capacity()], [[], 0])
    await t.throwsAsync(pool.analyse(request('fine'), never), {
      instanceOf: EngineUnavailableError,
      message: /no analysis process/,
    })
    clock.fire(rest_ms)
  }
  await clock.whenSet(4000, 2)
  t.is(pool.restarts(), 10)
})

test('two children that die at once, again and again, are both there for what comes next', async t => {
  const pool = testPool(t, { size: 2 })
  const poison = ['abort', 'exit', 'abort', 'abort'].map(deed => pool.analyse(request(deed), never))
  const honest = Array.from({ length: 6 }, () => pool.analyse(request('fine'), never))
  t.deepEqual(
    (await Promise.allSettled(poison)).map(({ status }) => status),
    Array(4).fill('rejected'),
  )
  t.is((await Promise.all(honest)).length, 6)
  await pool.ready
  t.is(pool.restarts(), 4)
})

test('there is room when a child is warm, and none before', async t => {
  const pool = testPool(t, { size: 2 })
  t.is(pool.capacity(), 0)
  await pool.ready
  t.true(pool.capacity() >= 1)
  const hangs = new AbortController()
  const hanging = pool.analyse(request('hang'), hangs.signal)
  await pool.analyse(request('fine'), never)
  t.is(pool.capacity(), 2, 'the other has answered, and so is warm')
  hangs.abort()
  await t.throwsAsync(hanging, { instanceOf: AnalysisError })
})

test('an aborted analysis ends its child, one that waits only leaves the queue', async t => {
  const pool = testPool(t)
  const before = await pidOf(pool)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const hanging = pool.analyse(request('hang'), running.signal)
  const queued = pool.analyse(request('fine'), waiting.signal)
  waiting.abort()
  await t.throwsAsync(queued, { instanceOf: AnalysisError, message: /aborted/ })
  t.deepEqual(pool.pids(), [before])
  running.abort()
  await t.throwsAsync(hanging, { instanceOf: AnalysisError, message: /aborted/ })
  t.not(await pidOf(pool), before)
})

test('more analyses than the queue holds are refused at once', async t => {
  const pool = testPool(t, { queue: 1 })
  await pool.ready
  const answers = await Promise.allSettled([1, 2, 3].map(() => pool.analyse(request('fine'), never)))
  t.deepEqual(
    answers.map(answer => answer.status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
})

test('a child that keeps more memory than it should is replaced, its answer taken', async t => {
  const pool = testPool(t, { recycle_mb: 1 })
  t.not(await pidOf(pool), await pidOf(pool))
  t.is(pool.restarts(), 2)
})

test('a child is replaced after the analyses that it may serve', async t => {
  const pool = testPool(t, { recycle_after: 2 })
  const pids = [await pidOf(pool), await pidOf(pool), await pidOf(pool)]
  t.is(pids[0], pids[1])
  t.not(pids[1], pids[2])
})

test('a stopped pool has no children and rejects what it had and what it gets', async t => {
  const pool = testPool(t)
  await pidOf(pool)
  const running = pool.analyse(request('hang'), never)
  const waiting = pool.analyse(request('fine'), never)
  const both = Promise.allSettled([running, waiting])
  await pool.stop()
  t.deepEqual(
    (await both).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.deepEqual(pool.pids(), [])
  await t.throwsAsync(pool.analyse(request('fine'), never), { instanceOf: AnalysisError, message: /stopped/ })
})
