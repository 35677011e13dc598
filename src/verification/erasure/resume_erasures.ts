import { createAlarm } from '../../../packages/durable/jobs/alarm.ts'
import { asError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Erasures } from './erasures.ts'

export interface ErasureResumerDeps {
  readonly erasures: Pick<Erasures, 'resume'>
  readonly clock: Clock
  readonly log: Log
}

/** Rare: no call finds what an unfinished erasure leaves. */
const intervalMs = 60_000

/** Continues, on a worker node, the erasures that the end of a process interrupted. */
export function startErasureResumer({ erasures, clock, log }: ErasureResumerDeps) {
  let stopping = false
  let resuming: Promise<void> = Promise.resolve()
  const resume = (): void => {
    resuming = erasures
      .resume()
      .catch(error => log.error({ error: asError(error).message }, 'an erasure could not be continued'))
      .finally(() => {
        if (!stopping) alarm.setAt(clock.now() + intervalMs)
      })
  }
  const alarm = createAlarm(clock, resume)
  resume()
  return {
    idle: () => resuming,
    async stop() {
      stopping = true
      alarm.unset()
      await resuming
    },
  }
}
