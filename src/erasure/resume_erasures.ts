import { asError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createAlarm } from '../durable/jobs/alarm.ts'
import type { Erasures } from './erasures.ts'

/** What continues erasures. */
export interface ErasureResumerDeps {
  readonly erasures: Pick<Erasures, 'resume'>
  readonly clock: Clock
  readonly log: Log
}

/** What was left unfinished is gone for every call: it is looked for this often. */
const intervalMs = 60_000

/** Continues, on a worker, the erasures that a process has left which ended in the middle of them. */
export const startErasureResumer = ({ erasures, clock, log }: ErasureResumerDeps) => {
  let stopping = false
  let looking: Promise<void> = Promise.resolve()
  const look = (): void => {
    looking = erasures
      .resume()
      .catch(error => log.error({ error: asError(error).message }, 'an erasure could not be continued'))
      .finally(() => {
        if (!stopping) alarm.setAt(clock.now() + intervalMs)
      })
  }
  const alarm = createAlarm(clock, look)
  look()
  return {
    /** Resolves when nothing is continued by now. */
    idle: () => looking,
    async stop() {
      stopping = true
      alarm.unset()
      await looking
    },
  }
}
