/**
 * One life of a node, for the crash tests: pays its orders, and kills itself, as a power cut would, when a crash point
 * is reached for the nth time. Ends with 0 when all is done. Argument: a `Life` as JSON.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createHost } from '../actors/host.ts'
import type { CrashHook, CrashPoint } from '../crash_points.ts'
import { type Charge, order } from '../example/orders.ts'
import type { DatabaseAddress } from '../store/database_address.ts'
import { openStore } from '../store/source.ts'
import { createTestClock, newOrder, readEvents, startOrderWorker } from './support.ts'

/** The parameters that a life gets from its parent. */
export interface Life {
  readonly address: DatabaseAddress
  readonly point: CrashPoint
  readonly nth: number
  /** Epoch milliseconds: later than the leases of the life before. */
  readonly startsAt: number
  readonly paid: readonly string[]
  readonly expired: readonly string[]
  /** Gets a line for every event that was acknowledged. */
  readonly file: string
  /** Gets a line for every card whose first charge was refused. */
  readonly refusals: string
}

function killAt({ point, nth }: Life): CrashHook {
  let reached = 0
  return name => {
    if (name === point && ++reached === nth) process.kill(process.pid, 'SIGKILL')
  }
}

/** A payment provider outlives the node: it refuses the first charge of each card, and no other one. */
function openProvider({ refusals }: Life): Charge {
  return async (card, _amount, key) => {
    const refused = existsSync(refusals) ? readFileSync(refusals, 'utf8').split('\n') : []
    if (refused.includes(card)) return key
    appendFileSync(refusals, `${card}\n`)
    throw new Error('no answer')
  }
}

async function live(life: Life): Promise<void> {
  const crashHook = killAt(life)
  const store = await openStore(life.address, 4, { crashHook })
  const clock = createTestClock(life.startsAt)
  const host = createHost(store, clock)
  const worker = startOrderWorker({ store, host, clock, crashHook }, openProvider(life))
  const acknowledge = (id: string, type: string): void => appendFileSync(life.file, `${id} ${type}\n`)
  // Acts as a client: reads which events were accepted, and sends the rest, each once.
  const carry = async (id: string): Promise<void> => {
    const accepted = await readEvents(store, id)
    if (accepted.length === 0) {
      await host.create(order, newOrder(id))
      acknowledge(id, 'CREATE')
    }
    if (life.expired.includes(id) || accepted.includes('PAY')) return
    await host.send(order, id, { type: 'PAY', card: `card of ${id}` })
    acknowledge(id, 'PAY')
  }
  await Promise.all([...life.paid, ...life.expired].map(carry))
  await clock.advance(7_200_000, worker.idle)
  await worker.stop(Promise.resolve())
  await store.close()
}

await live(JSON.parse(process.argv[2] ?? '') as Life)
