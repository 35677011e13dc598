import type { Reach } from '../../src/base/instants.ts'
import { openStore } from '../../src/store/source.ts'
import type { Store } from '../../src/store/store.ts'
import { type ManualClock, manualClock } from '../clock.ts'
import type { TestDatabase, TestEngine } from '../database.ts'
import { openRooms, type Rooms } from './rooms.ts'

/** Rooms on a database of their own. */
export interface Rig extends Rooms {
  readonly store: Store
  readonly clock: ManualClock
  readonly database: TestDatabase
  readonly close: () => Promise<void>
}

export const openRig = async (engine: TestEngine, reach?: Reach): Promise<Rig> => {
  const database = await engine.fresh()
  const store = openStore(database.address, 8, reach)
  const clock = manualClock()
  const close = async (): Promise<void> => {
    await store.close()
    await database.drop()
  }
  return { ...openRooms(store, clock), store, clock, database, close }
}
