import { openStore } from 'durable-xstate-sql'
import { newTransaction, openCharts } from '../../packages/durable/test/actors/charts.ts'
import type { Trial } from './galera_trials.ts'
import { lasting } from './galera_work.ts'
import { median } from './measure.ts'

async function timed(rounds: number, work: () => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return `${median(times).toFixed(2)} ms`
}

/** Measures the wait of one caller on a member, at the median; this is no promise. */
export const cost: Trial = {
  promise: 'what it costs, one caller on one member',
  async run({ clock, nodes: [{ database }] }, rounds) {
    const store = await openStore(database.address, 1)
    const { host, transaction } = openCharts(store, clock)
    const read = () => store.read({ sql: 'SELECT name FROM facts LIMIT 1', values: [] })
    const create = () => host.create(transaction, newTransaction(lasting))
    const causal = await timed(rounds * 5, read)
    const opening = await timed(rounds, create)
    await store.read({ sql: 'SET SESSION wsrep_sync_wait = 0', values: [] })
    const stale = await timed(rounds * 5, read)
    const openingStale = await timed(rounds, create)
    await store.close()
    const said = `a read ${causal}, ${stale} if it may miss what was just committed elsewhere; a new actor ${opening}, ${openingStale}`
    return { said, holds: true }
  },
}
