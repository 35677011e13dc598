import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type CrashPoint, crashPoints } from '../crash_points.ts'
import { openStore } from '../store/source.ts'
import type { Life } from './crash_life.ts'
import { engines, leaseMs, readEvents, readRows, readStatus, type TestEngine } from './support.ts'

/** More lives than any test needs: reaching it means that restarting makes no progress. */
const maxLives = 20

/** Restarts the node until a life ends by itself. Each life gets further than the one before. Resolves with the deaths. */
async function liveUntilDone(t: ExecutionContext, of: Omit<Life, 'nth' | 'startsAt'>): Promise<number> {
  for (let count = 0; count < maxLives; count++) {
    const life: Life = { ...of, nth: 1 + 3 * count, startsAt: Date.UTC(2026, 10, 17) + count * 2 * leaseMs }
    const child = fork(join(import.meta.dirname, 'crash_life.ts'), [JSON.stringify(life)], { silent: true })
    let errors = ''
    child.stderr?.on('data', chunk => {
      errors += chunk
    })
    const [code, signal] = await once(child, 'exit')
    if (code === 0) return count
    t.is(signal, 'SIGKILL', errors)
  }
  t.fail(`not done after ${maxLives} lives`)
  return maxLives
}

async function check(t: ExecutionContext, engine: TestEngine, point: CrashPoint): Promise<void> {
  const { address, drop } = await engine.open()
  const folder = mkdtempSync(join(tmpdir(), 'orders-crash-'))
  const file = join(folder, 'acknowledged')
  const paid = [randomUUID(), randomUUID()]
  const expired = [randomUUID()]
  const deaths = await liveUntilDone(t, { address, point, paid, expired, file, refusals: join(folder, 'refused') })
  t.true(deaths > 0, 'the point is reached')
  const store = await openStore(address, 2)
  t.teardown(async () => {
    await store.close()
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const [id = '', type = ''] = line.split(' ')
    t.true((await readEvents(store, id)).includes(type), `${type} was kept`)
  }
  for (const id of paid) {
    t.is(await readStatus(store, id), 'PAID')
    const events = await readEvents(store, id)
    t.is(events.filter(type => type === 'PAY').length, 1)
    t.is(events.filter(type => type === 'xstate.done.actor.charge').length, 1)
    t.true(events.filter(type => type === 'xstate.error.actor.charge').length <= 1, 'a refusal counts once')
    t.is((await readRows(store, 'SELECT order_id FROM invoices WHERE order_id = ?', id)).length, 1)
  }
  for (const id of expired) t.is(await readStatus(store, id), 'EXPIRED')
  t.deepEqual(await readRows(store, 'SELECT id FROM scheduled_jobs'), [])
}

// The simulator has every point; real processes show that it is like them.
const points = process.env.TEST_TIER === 'long' ? crashPoints : (['job.handled'] as const)

for (const engine of engines)
  for (const point of points)
    test.serial(`On ${engine.name} a node killed again and again at ${point} loses nothing and does nothing twice`, t =>
      check(t, engine, point),
    )
