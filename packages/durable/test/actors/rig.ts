import type { ExecutionContext } from 'ava'
import { type ManualClock, manualClock } from '../../../../test/clock.ts'
import type { TestDatabase, TestEngine } from '../../../../test/database.ts'
import type { CrashHook } from '../../crash_points.ts'
import { openStore } from '../../store/source.ts'
import type { Store } from '../../store/store.ts'
import { type OpenCharts, openCharts } from './charts.ts'

/** OpenCharts on a database of their own. */
export interface Rig extends OpenCharts {
  readonly store: Store
  readonly clock: ManualClock
  readonly database: TestDatabase
  readonly close: () => Promise<void>
}

export async function openRig(engine: TestEngine, reach?: CrashHook): Promise<Rig> {
  const database = await engine.fresh()
  const store = await openStore(database.address, 8, reach && { crashHook: reach })
  const clock = manualClock()
  const close = async (): Promise<void> => {
    await store.close()
    await database.drop()
  }
  return { ...openCharts(store, clock), store, clock, database, close }
}

/** A rig that closes with the test. */
export async function openTestRig(
  t: Pick<ExecutionContext, 'teardown'>,
  ...of: Parameters<typeof openRig>
): Promise<Rig> {
  const rig = await openRig(...of)
  t.teardown(rig.close)
  return rig
}
