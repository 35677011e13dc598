/**
 * One life of a node, for the crash walk. It advances its transactions until a named instant is reached for the nth
 * time, and then kills itself, as a power cut would. It exits with 0 when everything is done. Argument: `Life` as JSON.
 */
import { appendFileSync } from 'node:fs'
import { silentLog } from '../../../../src/base/log.ts'
import { manualClock } from '../../../../test/clock.ts'
import { limits } from '../../../../test/machines/events.ts'
import { text } from '../../../../test/raw_row.ts'
import type { CrashHook, CrashPoint } from '../../crash_points.ts'
import type { JobHandler } from '../../jobs/handler.ts'
import { startWorker, type Worker } from '../../jobs/worker.ts'
import type { DatabaseAddress } from '../../store/database_address.ts'
import { openMysql } from '../../store/mysql.ts'
import { openSqlite } from '../../store/sqlite.ts'
import type { Store } from '../../store/store.ts'
import { journalOf, newTransaction, type OpenCharts, openCharts } from '../actors/charts.ts'
import { everyLane, leaseMs, outputs, untilComplete } from './script.ts'

/** The parent's orders for one life. */
export interface Life {
  readonly address: DatabaseAddress
  readonly instant: CrashPoint | null
  readonly nth: number
  /** Epoch milliseconds: later than the leases of the life before. */
  readonly starts_at: number
  /** Transactions that are carried to their end. */
  readonly complete: readonly string[]
  /** Transactions that are only started, and then expire. */
  readonly abandon: readonly string[]
  /** A line for every acknowledged event, and for every job that was begun. */
  readonly file: string
}

function say(file: string, line: readonly (string | number)[]): void {
  appendFileSync(file, `${line.join(' ')}\n`)
}

function killAt({ instant, nth }: Life): CrashHook {
  let reached = 0
  return name => {
    if (name === instant && ++reached === nth) process.kill(process.pid, 'SIGKILL')
  }
}

function handlersOf(file: string): readonly JobHandler[] {
  return Object.entries(outputs).map(([queue, output]) => ({
    queue,
    slots: () => 2,
    lanes: everyLane,
    async handle(job) {
      say(file, ['began', queue, job.actor_id, job.claims])
      return { output }
    },
  }))
}

/** Works like a client: reads which events were accepted, and sends each of the others once. */
async function carry(life: Life, store: Store, charts: OpenCharts, id: string): Promise<void> {
  const taken = (await journalOf(store, id)).map(entry => text(entry, 'event'))
  if (taken.length === 0) {
    await charts.host.create(charts.transaction, {
      ...newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits }),
      id,
    })
    say(life.file, ['acknowledged', id, 'CREATE'])
  }
  const script = life.complete.includes(id) ? untilComplete : untilComplete.slice(0, 1)
  for (const event of script) {
    if (taken.includes(JSON.stringify(event))) continue
    await charts.host.send(charts.transaction, id, event)
    say(life.file, ['acknowledged', id, event.type])
  }
}

/** Longer than these lives: each look is a few commits, and idle ones would be counted too. */
const pollMs = 10 * limits.ttl_ms

function openedStore({ address }: Life, crashHook: CrashHook): Store {
  return address.dialect === 'sqlite' ? openSqlite(address.file, { crashHook }) : openMysql(address, 4, { crashHook })
}

async function live(life: Life): Promise<void> {
  const crashHook = killAt(life)
  const store = openedStore(life, crashHook)
  const clock = manualClock(life.starts_at)
  const charts = openCharts(store, clock)
  const kinds = [charts.transaction, charts.delivery]
  const deps = {
    store,
    host: charts.host,
    clock,
    log: silentLog,
    definitions: kinds,
    handlers: handlersOf(life.file),
    leaseMs,
    pollMs,
    crashHook,
  }
  const worker: Worker = startWorker(deps)
  await Promise.all([...life.complete, ...life.abandon].map(id => carry(life, store, charts, id)))
  await worker.idle()
  await clock.advance(2 * limits.ttl_ms, worker.idle)
  await worker.stop(Promise.resolve())
  await store.close()
}

await live(JSON.parse(process.argv[2] ?? '') as Life)
