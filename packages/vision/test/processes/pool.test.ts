import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { type Clock, systemClock } from '../../../../src/base/clock.ts'
import { silentLog } from '../../../../src/base/log.ts'
import { inLongTier } from '../../../../test/tier.ts'
import { ChildProcessError } from '../../processes/child_process_error.ts'
import { onFrame, sendFrame } from '../../processes/frames.ts'
import { encodeJsonWithBytes } from '../../processes/json_with_bytes.ts'
import { type Pool, startPool } from '../../processes/pool.ts'
import type { PoolLimits } from '../../processes/pool_limits.ts'
import { connectToChild } from '../../processes/protocol.ts'
import type { TestRequest, TestResponse } from './pool_child.ts'
import { timersClock } from './timers_clock.ts'

const signal = new AbortController().signal
const fine: TestRequest = { deed: 'fine', bytes: null }

interface TestPoolOptions extends Partial<PoolLimits> {
  readonly size?: number
  readonly clock?: Clock
  readonly entry?: string
}

const limits: PoolLimits = {
  timeLimitMs: 240_000,
  startLimitMs: 240_000,
  heapLimitMb: 512,
  memoryLimitMb: 1536,
  maxQueue: 1000,
  recycleAfter: 200,
  recycleMb: 450,
}

type TestPool = Pool<TestRequest, TestResponse>

function startTestPool(
  t: ExecutionContext,
  { size = 1, clock = systemClock, entry = 'pool_child.ts', ...own }: TestPoolOptions = {},
): TestPool {
  const pool: TestPool = startPool({
    clock,
    size,
    log: silentLog,
    name: 'test',
    args: [],
    limits: { ...limits, ...own },
    entry: new URL(entry, import.meta.url),
  })
  t.teardown(pool.stop)
  return pool
}

function send(pool: TestPool, deed: string, own: AbortSignal = signal): Promise<TestResponse> {
  return pool.send({ deed, bytes: null }, { signal: own })
}

async function readPid(pool: TestPool): Promise<number> {
  return (await send(pool, 'fine')).pid
}

test('an input that has ended a child is not tried again, alone or beside another, and others are', async t => {
  const pool = startTestPool(t)
  const bomb = Buffer.from('bomb')
  await t.throwsAsync(pool.send({ deed: 'exit', bytes: bomb }, { signal }), { name: 'ChildProcessError' })
  const { restarts } = pool
  const before = restarts()
  await t.throwsAsync(pool.send({ deed: 'fine', bytes: Buffer.from(bomb) }, { signal }), { message: /before/ })
  const beside = { deed: 'fine', bytes: null, more: [bomb, Buffer.from('x')] } as TestRequest
  await t.throwsAsync(pool.send(beside, { signal }), { message: /before/ })
  t.is(restarts(), before)
  t.is((await pool.send({ deed: 'fine', bytes: Buffer.from('bomp') }, { signal })).byteCount, 4)
})

test('a child finds its packages if node_modules is a link', async t => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'attestor-linked-')))
  t.teardown(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'))
  const serving = new URL('../../processes/serve.ts', import.meta.url)
  mkdirSync(join(folder, 'program'))
  writeFileSync(
    join(folder, 'program/child.mjs'),
    `import sharp from 'sharp'
    import { serveRequests } from '${serving}'
    serveRequests(async () => ({ pid: process.pid, byteCount: Object.keys(sharp.versions).length, environment: [] }))`,
  )
  const pool = startTestPool(t, { entry: pathToFileURL(join(folder, 'program/child.mjs')).href })
  t.true((await send(pool, 'fine')).byteCount > 0)
})

test('a child gets images whole and responds in the order of the requests', async t => {
  const pool = startTestPool(t)
  const sizes = [1, 70_000, 3_000_000]
  const responses = await Promise.all(
    sizes.map(size => pool.send({ ...fine, bytes: new Uint8Array(size) }, { signal })),
  )
  t.deepEqual(
    responses.map(response => response.byteCount),
    sizes,
  )
})

test('frames come out whole wherever a pipe cuts or joins them', t => {
  const sizes = [0, 1, 5, 4096, 9_000]
  const sent: Buffer[] = []
  const sender = new PassThrough()
  sender.on('data', (chunk: Buffer) => sent.push(chunk))
  for (const size of sizes) sendFrame(sender, [Buffer.alloc(size, size % 251)])
  const all = Buffer.concat(sent)
  for (const step of [1, 3, 4, 5, 1000, all.length]) {
    const pipe = new PassThrough()
    const received: Buffer[] = []
    onFrame(pipe, 9_000, content => received.push(content))
    for (let at = 0; at < all.length; at += step) pipe.emit('data', all.subarray(at, at + step))
    t.deepEqual(
      received.map(content => [content.length, content.every(byte => byte === content.length % 251)]),
      sizes.map(size => [size, true]),
      `in pieces of ${step}`,
    )
  }
})

test('a request is under way until all of it is written, as its bytes are freed then', async t => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const pipe = connect(port, '127.0.0.1')
  const [child] = (await once(server, 'connection')) as [Socket]
  t.teardown(() => pipe.destroy())
  t.teardown(() => child.destroy())
  const connection = connectToChild<Buffer, string>(pipe, () => {})
  const first = connection.send(Buffer.alloc(50_000_000))
  const second = connection.send(Buffer.from('more'))
  // A child that was taken over responds to what it has not read.
  void sendFrame(child, encodeJsonWithBytes({ type: 'response', id: 1, response: 'early' }))
  void sendFrame(child, encodeJsonWithBytes({ type: 'stage', id: 2, stage: 'later' }))
  while (connection.stage() !== 'later') await once(pipe, 'data')
  const isOver = await Promise.race([first.then(() => true), new Promise(resolve => setImmediate(resolve, false))])
  t.false(isOver)
  child.resume()
  t.is(await first, 'early')
  connection.close(new Error('over'))
  await t.throwsAsync(second, { message: 'over' })
})

test('a child inherits nothing of the environment', async t => {
  process.env.MASTER_KEY = 'secret'
  const { environment } = await send(startTestPool(t), 'fine')
  t.deepEqual(
    environment.filter(name => !/^(MALLOC_.*|NODE_COMPILE_CACHE|TZ|PWD|OLDPWD|SHLVL|_)$/.test(name)),
    [],
  )
})

for (const [deed, what] of [
  ['abort', /SIGABRT/],
  ['exit', /code 3/],
  ['heap', /SIGABRT|SIGTRAP|memory/],
  ['outside_the_heap', /memory/i],
  ['fail', /cannot work/],
  ['send_null', /invalid message/],
  ['send_bytes', /shorter than it says/],
  ['send_no_json', /not valid JSON/],
  ['send_no_bytes', /fewer bytes than it says/],
  ['send_too_much', /sent more than/],
  ['respond_to_another', /to no request/],
  ['name_a_stage', /invalid message/],
  ['write', /restricted/],
  ['write_a_program', /restricted/],
  ['read_its_program', /restricted/],
  ['read_the_readme', /restricted/],
  ['read_the_keys', /restricted/],
  ['start_a_process', /restricted/],
] as const) {
  const register = deed === 'write_a_program' ? test : inLongTier(test)
  register(`a child that meets ${deed} fails its own request, and another child serves the next`, async t => {
    const pool = startTestPool(t, { heapLimitMb: 64, memoryLimitMb: 300 })
    const before = await readPid(pool)
    const failing = send(pool, deed)
    const after = readPid(pool)
    await t.throwsAsync(failing, { instanceOf: ChildProcessError, message: what })
    t.not(await after, before)
  })
}

test('a child that hangs is ended when its time is up, and another serves the next', async t => {
  const clock = timersClock()
  const pool = startTestPool(t, { timeLimitMs: 4321, clock })
  const failing = send(pool, 'hang')
  const fire = await clock.whenSet(4321)
  fire()
  await t.throwsAsync(failing, { instanceOf: ChildProcessError, message: /longer than 4321 ms/ })
  t.true((await readPid(pool)) > 0)
})

test('a child that never gets ready is ended when its time to start is up, and what waits is rejected', async t => {
  const clock = timersClock()
  const pool = startTestPool(t, { clock, startLimitMs: 1234, entry: 'pool_silent_child.ts' })
  const failing = send(pool, 'fine')
  for (let start = 1; start <= 2; start++) {
    const fire = await clock.whenSet(1234)
    fire()
  }
  await t.throwsAsync(failing, { instanceOf: ChildProcessError, message: /longer than 1\.234 s to start/ })
  t.deepEqual([pool.pids(), pool.capacity()], [[], 0])
})

test('a program that cannot start is started ever more rarely, and requests are rejected as unavailable', async t => {
  const clock = timersClock()
  const pool = startTestPool(t, { clock, size: 2, entry: 'no_such_child.ts' })
  for (const delayMs of [500, 1000, 2000]) {
    await clock.whenSet(delayMs, 2)
    t.deepEqual([pool.pids(), pool.capacity()], [[], 0])
    await t.throwsAsync(send(pool, 'fine'), {
      instanceOf: ChildProcessError,
      message: /no test process/,
    })
    clock.fire(delayMs)
  }
  await clock.whenSet(4000, 2)
  t.is(pool.restarts(), 10)
})

inLongTier(test)('two children that die at once, again and again, are both there for what comes next', async t => {
  const pool = startTestPool(t, { size: 2 })
  const poison = ['abort', 'exit', 'abort', 'abort'].map(deed => send(pool, deed))
  const honest = Array.from({ length: 6 }, () => send(pool, 'fine'))
  t.deepEqual(
    (await Promise.allSettled(poison)).map(({ status }) => status),
    Array(4).fill('rejected'),
  )
  t.is((await Promise.all(honest)).length, 6)
  await pool.ready
  t.is(pool.restarts(), 4)
})

test('there is capacity when a child is ready, and none before', async t => {
  const pool = startTestPool(t, { size: 2 })
  t.is(pool.capacity(), 0)
  await pool.ready
  t.true(pool.capacity() >= 1)
  const hangs = new AbortController()
  const hanging = send(pool, 'hang', hangs.signal)
  await send(pool, 'fine')
  t.is(pool.capacity(), 2, 'the other has responded, and so is ready')
  hangs.abort()
  await t.throwsAsync(hanging, { instanceOf: ChildProcessError })
})

test('an aborted request ends its child, one that waits only leaves the queue', async t => {
  const pool = startTestPool(t)
  const before = await readPid(pool)
  const running = new AbortController()
  const waiting = new AbortController()
  const hanging = send(pool, 'hang', running.signal)
  const queued = send(pool, 'fine', waiting.signal)
  waiting.abort()
  await t.throwsAsync(queued, { instanceOf: ChildProcessError, message: /aborted/ })
  t.deepEqual(pool.pids(), [before])
  running.abort()
  await t.throwsAsync(hanging, { instanceOf: ChildProcessError, message: /aborted/ })
  t.not(await readPid(pool), before)
})

test('a background request waits behind all others, and is rejected where they leave it no child', async t => {
  const pool = startTestPool(t)
  const pid = await readPid(pool)
  const order: string[] = []
  const sendAs = async (name: string, isBackground: boolean): Promise<void> => {
    await pool.send(fine, { signal, isBackground })
    order.push(name)
  }
  const sent = [sendAs('first', false), sendAs('background', true), sendAs('second', false), sendAs('third', false)]
  await t.throwsAsync(sendAs('one more', true), { instanceOf: ChildProcessError, message: /too much waits/ })
  await Promise.all(sent)
  t.deepEqual(order, ['first', 'second', 'third', 'background'])
  const waiting = new AbortController()
  const running = send(pool, 'fine')
  const left = pool.send(fine, { signal: waiting.signal, isBackground: true })
  waiting.abort()
  t.is((await t.throwsAsync(left, { instanceOf: ChildProcessError })).reason, 'aborted')
  await running
  const begun = new AbortController()
  const response = pool.send(fine, { signal: begun.signal, isBackground: true })
  begun.abort()
  t.is((await response).pid, pid, 'work that has begun goes on')
  await pool.stop()
  await t.throwsAsync(sendAs('late', true), { instanceOf: ChildProcessError, message: /are stopped/ })
})

test('more requests than the queue holds are rejected at once', async t => {
  const pool = startTestPool(t, { maxQueue: 1 })
  await pool.ready
  const answers = await Promise.allSettled([1, 2, 3].map(() => send(pool, 'fine')))
  t.deepEqual(
    answers.map(answer => answer.status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
})

inLongTier(test)('a child that keeps more memory than it should is replaced after its response', async t => {
  const pool = startTestPool(t, { recycleMb: 1 })
  t.not(await readPid(pool), await readPid(pool))
  t.is(pool.restarts(), 2)
})

test('a child is replaced after the requests that it may serve', async t => {
  const pool = startTestPool(t, { recycleAfter: 2 })
  const pids = [await readPid(pool), await readPid(pool), await readPid(pool)]
  t.is(pids[0], pids[1])
  t.not(pids[1], pids[2])
})

test('a stopped pool has no children and rejects what it had and what it gets', async t => {
  const pool = startTestPool(t)
  await readPid(pool)
  const running = send(pool, 'hang')
  const waiting = send(pool, 'fine')
  const both = Promise.allSettled([running, waiting])
  await pool.stop()
  t.deepEqual(
    (await both).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.deepEqual(pool.pids(), [])
  await t.throwsAsync(send(pool, 'fine'), { instanceOf: ChildProcessError, message: /stopped/ })
})
