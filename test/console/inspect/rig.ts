import type { ExecutionContext } from 'ava'
import { openStore, run, type Unit } from 'durable-xstate-sql'
import type { Fence } from 'durable-xstate-sql/testing'
import type { AnyEventObject } from 'xstate'
import { newTransaction, readScheduledJobs, untyped } from '../../../packages/durable/test/actors/charts.ts'
import { type Rig as Actors, openRig as openActors } from '../../../packages/durable/test/actors/rig.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { newId } from '../../../src/base/ids.ts'
import type { Speed } from '../../../src/console/inspect/follow.ts'
import { openJournal, type ReadJournal, type Scope } from '../../../src/console/inspect/journal.ts'
import { type InspectServer, startInspectServer } from '../../../src/console/inspect/server.ts'
import { type ManualClock, manualClock } from '../../clock.ts'
import type { TestEngine } from '../../database.ts'
import { text } from '../../raw_row.ts'

/** Actors on a database, and a reader of its journal by a connection of its own, as another process has one. */
export interface Reading extends Actors {
  reading(scope: Scope): ReadJournal
  readonly readJournal: ReadJournal
  /** A new transaction; resolves with its id. */
  open(): Promise<string>
  /** Sends events one after the other, a second apart; timers and jobs as those who hold their rows do. */
  send(id: string, ...events: readonly AnyEventObject[]): Promise<void>
}

async function fenceOf({ store }: Actors, id: string, event: AnyEventObject): Promise<Fence> {
  const name = event.type.startsWith('xstate.after.') ? event.type : String(event.actorId)
  const row = (await readScheduledJobs(store, id)).find(one => one.name === name)
  if (row === undefined) throw new Error(`${event.type} has no row`)
  const job_id = text(row, 'id')
  const lease = row.queue === 'timer' ? null : newId()
  await store.commit(function* (): Unit<void> {
    yield* run({ sql: 'UPDATE scheduled_jobs SET lease = ? WHERE id = ?', values: [lease, job_id] })
  })
  return { job_id, lease }
}

export async function openReading(
  t: ExecutionContext,
  engine: TestEngine,
  scope: Scope = { newest: 100 },
): Promise<Reading> {
  const actors = await openActors(engine)
  const { transaction, host, clock } = actors
  const store = await openStore(actors.database.address, 2)
  const reading = (of: Scope) => openJournal({ store, transactionDefinition: transaction }, of)
  t.teardown(async () => {
    await store.close()
    await actors.close()
  })
  return {
    ...actors,
    reading,
    readJournal: reading(scope),
    async open() {
      const actor = newTransaction()
      await host.create(transaction, actor)
      return actor.id
    },
    async send(id, ...events) {
      for (const event of events) {
        await clock.advance(1000)
        const fence = event.type.startsWith('xstate.') ? { fence: await fenceOf(actors, id, event) } : {}
        await host.send(untyped(transaction), id, event, fence)
      }
    },
  }
}

/** An inspector that serves the steps that it reads. */
export interface Inspector extends Reading {
  readonly server: InspectServer
  /** The inspector's clock where history has a speed: it waits by it. */
  readonly inspectorClock: ManualClock
}

export interface InspectorOptions {
  readonly scope?: Scope
  readonly speed?: Speed
  readonly stately_url?: string
}

export async function openInspector(
  t: ExecutionContext,
  engine: TestEngine,
  options: InspectorOptions = {},
): Promise<Inspector> {
  const reading = await openReading(t, engine, options.scope)
  const inspectorClock = manualClock()
  const { speed = 'at_once', stately_url = 'http://127.0.0.1:9/inspect' } = options
  const clock = speed === 'at_once' ? systemClock : inspectorClock
  const server = await startInspectServer({ read: reading.readJournal, clock, speed, stately_url, port: 0 })
  t.teardown(() => server.close())
  return { ...reading, server, inspectorClock }
}
