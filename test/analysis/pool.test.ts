import test, { type ExecutionContext } from 'ava'
import { defaultLimits, type Pool, type PoolLimits, startPool } from '../../src/analysis/local/pool.ts'
import { AnalysisFailed, type AnalysisRequest } from '../../src/analysis/port.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'

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

interface TurnedClock extends Clock {
  /** Resolves with the timer's firing as soon as one of this delay is set. */
  whenSet(delay_ms: number): Promise<() => void>
}

const turnedClock = (): TurnedClock => {
  const timers = new Map<number, () => void>()
  const awaited = new Map<number, (fire: () => void) => void>()
  return {
    now: () => 0,
    setTimer: (delay_ms, fire) => {
      awaited.get(delay_ms)?.(fire)
      timers.set(delay_ms, fire)
      return () => timers.delete(delay_ms)
    },
    whenSet: delay_ms =>
      new Promise(resolve => {
        const fire = timers.get(delay_ms)
        if (fire) resolve(fire)
        else awaited.set(delay_ms, resolve)
      }),
  }
}

const testPool = (t: ExecutionContext, limits: Partial<PoolLimits> = {}, clock: Clock = systemClock): Pool => {
  const pool = startPool({
    clock,
    size: 1,
    limits: { ...defaultLimits, ...limits },
    entry: new URL('pool_child.ts', import.meta.url),
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

test('a child inherits nothing of the environment', async t => {
  process.env.MASTER_KEY = 'secret'
  const { stages } = await testPool(t).analyse(request('fine'), never)
  const names = Object.keys(stages).filter(name => name.startsWith('env_'))
  t.deepEqual(
    names.filter(
      name => !['env_TZ', 'env_MALLOC_ARENA_MAX', 'env_PWD', 'env_OLDPWD', 'env_SHLVL', 'env__'].includes(name),
    ),
    [],
  )
})

for (const [deed, what] of [
  ['abort', /SIGABRT/],
  ['exit', /code 3/],
  ['heap', /SIGABRT|SIGTRAP|memory/],
  ['outside_the_heap', /memory/i],
  ['fail', /cannot look/],
  ['write', /restricted/],
  ['start_a_process', /restricted/],
] as const) {
  test(`a child that meets ${deed} fails its own analysis, and another child serves the next`, async t => {
    const pool = testPool(t, { heap_limit_mb: 64, memory_limit_mb: 300 })
    const before = await pidOf(pool)
    const failing = pool.analyse(request(deed), never)
    const after = pidOf(pool)
    await t.throwsAsync(failing, { instanceOf: AnalysisFailed, message: what })
    t.not(await after, before)
  })
}

test('a child that hangs is ended when its time is up, and another serves the next', async t => {
  const clock = turnedClock()
  const pool = testPool(t, { time_limit_ms: 4321 }, clock)
  const failing = pool.analyse(request('hang'), never)
  const fire = await clock.whenSet(4321)
  fire()
  await t.throwsAsync(failing, { instanceOf: AnalysisFailed, message: /longer than 4321 ms/ })
  t.true((await pidOf(pool)) > 0)
})

test('a child that never gets ready is ended when its time to start is up', async t => {
  const clock = turnedClock()
  const entry = new URL('pool_silent_child.ts', import.meta.url)
  const pool = startPool({ clock, size: 1, limits: { ...defaultLimits, start_limit_ms: 1234 }, entry })
  const failing = pool.analyse(request('fine'), never)
  const fire = await clock.whenSet(1234)
  fire()
  await t.throwsAsync(failing, { instanceOf: AnalysisFailed, message: /longer than 1234 ms/ })
  t.deepEqual(pool.pids(), [])
  await pool.stop()
})

test('a program that cannot start fails each analysis and is not started without end', async t => {
  const entry = new URL('no_such_child.ts', import.meta.url)
  const pool = startPool({ clock: systemClock, size: 1, limits: defaultLimits, entry })
  await t.throwsAsync(pool.analyse(request('fine'), never), { instanceOf: AnalysisFailed })
  t.deepEqual(pool.pids(), [])
  await t.throwsAsync(pool.analyse(request('fine'), never), { instanceOf: AnalysisFailed })
  await pool.stop()
})

test('an aborted analysis ends its child, one that waits only leaves the queue', async t => {
  const pool = testPool(t)
  const before = await pidOf(pool)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const hanging = pool.analyse(request('hang'), running.signal)
  const queued = pool.analyse(request('fine'), waiting.signal)
  waiting.abort()
  await t.throwsAsync(queued, { instanceOf: AnalysisFailed, message: /aborted/ })
  t.deepEqual(pool.pids(), [before])
  running.abort()
  await t.throwsAsync(hanging, { instanceOf: AnalysisFailed, message: /aborted/ })
  t.not(await pidOf(pool), before)
})

test('more analyses than the queue holds are refused at once', async t => {
  const pool = testPool(t, { queue: 1 })
  const answers = await Promise.allSettled([1, 2, 3].map(() => pool.analyse(request('fine'), never)))
  t.deepEqual(
    answers.map(answer => answer.status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
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
  await t.throwsAsync(pool.analyse(request('fine'), never), { instanceOf: AnalysisFailed, message: /stopped/ })
})
