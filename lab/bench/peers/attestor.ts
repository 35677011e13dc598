/** Attestor's durable core with the bench's chart, on SQLite: jobs and timers by its worker, the journal with its hashes. */

import { join } from 'node:path'
import {
  type ActorDefinition,
  actorColumns,
  machineClock as clock,
  createDataSource,
  createHost,
  defineSchema,
  durableTables,
  type JobHandler,
  journalColumns,
  openStore,
  startWorker,
} from 'durable-xstate-sql'
import { peerMachine } from './chart.ts'
import { analyse, notify, readOptions, serve } from './contender.ts'

const { hook, data } = readOptions()
const tables = {
  ...durableTables,
  peers: { columns: { ...actorColumns, ...journalColumns }, indices: [['chart_version, status']] },
} as const
const schema = defineSchema(tables, data)

interface PeerActor {
  readonly chart: typeof peerMachine
  readonly columns: typeof tables.peers.columns
  readonly reads: never
  readonly journalOnly: never
  readonly procedures: Record<never, never>
}

const peer: ActorDefinition<PeerActor> = {
  name: 'peer',
  table: schema.actorTable('peers'),
  charts: { 1: peerMachine },
  currentVersion: 1,
  terminalStatuses: ['NOTIFIED', 'FAILED', 'EXPIRED'],
  reads: [],
  journalOnly: [],
  actions: {},
  procedures: {},
  onStatus: () => ({}),
}

const address = { dialect: 'sqlite', file: join(data, 'peers.sqlite') } as const
const source = await createDataSource(address, schema).initialize()
await source.synchronize()
await source.destroy()

const store = await openStore(address, 1)
const host = createHost(store, clock)
const analysis: JobHandler<typeof peerMachine, 'analyse'> = {
  queue: 'analyse',
  slots: () => 64,
  handle: async () => ({ output: await analyse() }),
}
const notification: JobHandler<typeof peerMachine, 'notify'> = {
  queue: 'notify',
  slots: () => 64,
  handle: async ({ actor_id }) => ({ output: await notify(hook, actor_id) }),
}
const handlers = [analysis, notification] as readonly JobHandler[]
startWorker({ store, host, clock, log: console, definitions: [peer], handlers, leaseMs: 15_000, pollMs: 1000 })

await serve({
  create: id => host.create(peer, { id, account_id: 'bench', input: { id }, columns: {} }),
  send: (id, event) => host.send(peer, id, event),
  readStatus: async id => (await store.read({ sql: 'SELECT status FROM peers WHERE id = ?', values: [id] }))[0]?.status,
})
