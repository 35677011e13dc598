import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { newId } from '../../../../src/base/ids.ts'
import { oneDialect, type TestEngine } from '../../../../test/database.ts'
import { text } from '../../../../test/raw_row.ts'
import { isLong } from '../../../../test/tier.ts'
import { type CrashPoint, crashPoints } from '../../crash_points.ts'
import { openStore } from '../../store/source.ts'
import type { Store } from '../../store/store.ts'
import { deliveriesOf, journalOf, rowOf } from '../actors/charts.ts'
import type { Life } from './crash_child.ts'
import { leaseMs, untilComplete } from './script.ts'

/** More lives than any walk needs; reaching it means that restarting makes no progress. */
const mostLives = 25

/** Every life comes further than the one before: it dies where the instant is reached for the 1st, 4th, 7th … time. */
function nthOf(life: number): number {
  return 1 + 3 * life
}

/** Restarts the node until a life ends by itself; resolves with how many were killed. */
async function liveUntilDone(t: ExecutionContext, of: Omit<Life, 'nth' | 'starts_at'>): Promise<number> {
  for (let count = 0; count < mostLives; count++) {
    const life: Life = { ...of, nth: nthOf(count), starts_at: Date.UTC(2026, 10, 17) + count * 2 * leaseMs }
    const child = fork(join(import.meta.dirname, 'crash_child.ts'), [JSON.stringify(life)], { silent: true })
    let errors = ''
    child.stderr?.on('data', chunk => {
      errors += chunk
    })
    const [code, signal] = await once(child, 'exit')
    if (code === 0) return count
    t.is(signal, 'SIGKILL', errors)
  }
  t.fail(`not done after ${mostLives} lives`)
  return mostLives
}

async function eventsOf(store: Store, id: string): Promise<readonly string[]> {
  return (await journalOf(store, id)).map(entry => JSON.parse(text(entry, 'event')).type)
}

const results = ['xstate.done.actor.admission', 'xstate.done.actor.analysis']
const script = ['CREATE', ...untilComplete.map(({ type }) => type)]

async function checkDeliveries(t: ExecutionContext, store: Store, id: string, lines: readonly string[][]) {
  const rows = await deliveriesOf(store, id)
  for (const row of rows) {
    t.is(row.status, 'DELIVERED')
    t.is(JSON.parse(text(row, 'snapshot')).context.attempt, 1, 'notified once')
  }
  const begun = lines
    .filter(([what, queue]) => what === 'began' && queue === 'attempt')
    .map(([, , actor_id]) => actor_id)
  const firsts = [...new Set(begun)].filter(actor_id => rows.some(row => row.id === actor_id))
  t.deepEqual(
    firsts,
    rows.map(row => text(row, 'id')),
    'every status was notified, in order',
  )
  return rows.map(({ notified_status }) => notified_status)
}

async function walk(t: ExecutionContext, engine: TestEngine, instant: CrashPoint): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-crash-'))
  const { address, drop } = await engine.fresh()
  const file = join(folder, 'said')
  const complete = [newId(), newId()]
  const abandon = [newId()]
  const killed = await liveUntilDone(t, { address, instant, complete, abandon, file })
  t.true(killed > 0, 'the instant is reached')
  const store = await openStore(address, 2)
  t.teardown(async () => {
    await store.close()
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => line.split(' '))
  for (const [what, id, type] of lines)
    if (what === 'acknowledged') t.true((await eventsOf(store, id ?? '')).includes(type ?? ''), `${type} was kept`)
  for (const id of complete) {
    t.is((await rowOf(store, 'transactions', id)).status, 'FINISHED')
    t.deepEqual(await eventsOf(store, id), [...script, ...results], 'each event and each result once')
    const notified = await checkDeliveries(t, store, id, lines)
    t.deepEqual(notified, ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
  }
  for (const id of abandon) {
    t.is((await rowOf(store, 'transactions', id)).status, 'EXPIRED')
    t.deepEqual(await eventsOf(store, id), ['CREATE', 'START', 'xstate.after.TTL.transaction.open'])
    t.deepEqual(await checkDeliveries(t, store, id, lines), ['INITIATED', 'EXPIRED'])
  }
  t.deepEqual(await store.read({ sql: 'SELECT * FROM scheduled_jobs', values: [] }), [], 'no row is left over')
  const begun = lines.filter(([what]) => what === 'began')
  const repeated = begun.filter(([, , , claims]) => claims !== '1').length
  t.true(repeated <= killed * 6, 'a job is begun again only after a death: two a queue and life')
  t.log(`${killed} deaths, ${begun.length} jobs begun, ${repeated} of them again`)
}

// In the quick tier, the points at which most would be lost or done twice.
const instants: readonly CrashPoint[] = isLong ? crashPoints : ['commit.written', 'job.claimed', 'job.handled']

for (const engine of oneDialect)
  for (const instant of instants)
    test.serial(
      `On ${engine.name} a node killed again and again at ${instant} loses nothing and does nothing twice`,
      t => walk(t, engine, instant),
    )
