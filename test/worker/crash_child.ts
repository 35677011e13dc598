/**
 * One life of a node, for the crash walk: carries its transactions as far as it comes and kills itself, as a power cut
 * would, when a named instant is reached for the nth time. Ends with 0 when everything is done. Argument: `Life` as JSON.
 */
import { appendFileSync } from 'node:fs'
import type { Instant, Reach } from '../../src/base/instants.ts'
import { silentLog } from '../../src/base/log.ts'
import { openMysql } from '../../src/store/mysql.ts'
import type { DatabaseAddress } from '../../src/store/source.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import type { Hands } from '../../src/worker/hands.ts'
import { startWorker, type Worker } from '../../src/worker/worker.ts'
import { manualClock } from '../clock.ts'
import { journalOf, newTransaction, openRooms, type Rooms } from '../host/rooms.ts'
import { limits } from '../machines/events.ts'
import { text } from '../raw_row.ts'
import { everyLane, lease_ms, outputs, untilComplete } from './script.ts'

/** What the parent tells a life. */
export interface Life {
  readonly address: DatabaseAddress
  readonly instant: Instant | null
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

const say = (file: string, line: readonly (string | number)[]): void => appendFileSync(file, `${line.join(' ')}\n`)

const killAt = ({ instant, nth }: Life): Reach => {
  let reached = 0
  return name => {
    if (name === instant && ++reached === nth) process.kill(process.pid, 'SIGKILL')
  }
}

const handsOf = (file: string): readonly Hands[] =>
  Object.entries(outputs).map(([queue, output]) => ({
    queue,
    slots: () => 2,
    share: everyLane,
    async act(job) {
      say(file, ['began', queue, job.actor_id, job.claims])
      return { output }
    },
  }))

/** As a client would: it looks what was taken, and sends the rest, each once. */
const carry = async (life: Life, store: Store, rooms: Rooms, id: string): Promise<void> => {
  const taken = (await journalOf(store, id)).map(entry => text(entry, 'event'))
  if (taken.length === 0) {
    await rooms.host.create(rooms.transaction, {
      ...newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits }),
      id,
    })
    say(life.file, ['acknowledged', id, 'CREATE'])
  }
  const script = life.complete.includes(id) ? untilComplete : untilComplete.slice(0, 1)
  for (const event of script) {
    if (taken.includes(JSON.stringify(event))) continue
    await rooms.host.send(rooms.transaction, id, event)
    say(life.file, ['acknowledged', id, event.type])
  }
}

/** Never, in these lives: each look is a few commits, and idle ones would be what is counted. */
const poll_ms = 10 * limits.ttl_ms

const openedStore = ({ address }: Life, reach: Reach): Store =>
  address.dialect === 'sqlite' ? openSqlite(address.file, reach) : openMysql(address, 4, reach)

const live = async (life: Life): Promise<void> => {
  const reach = killAt(life)
  const store = openedStore(life, reach)
  const clock = manualClock(life.starts_at)
  const rooms = openRooms(store, clock)
  const kinds = [rooms.transaction, rooms.delivery]
  const deps = {
    store,
    host: rooms.host,
    clock,
    log: silentLog,
    kinds,
    hands: handsOf(life.file),
    lease_ms,
    poll_ms,
    reach,
  }
  const worker: Worker = startWorker(deps)
  await Promise.all([...life.complete, ...life.abandon].map(id => carry(life, store, rooms, id)))
  await worker.idle()
  await clock.turn(2 * limits.ttl_ms, worker.idle)
  await worker.stop(Promise.resolve())
  await store.close()
}

await live(JSON.parse(process.argv[2] ?? '') as Life)
