import { asError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { type Repeated, repeat } from '../../base/time.ts'
import type { Erasures } from './erasures.ts'

export interface ErasureResumerDeps {
  readonly erasures: Pick<Erasures, 'resume'>
  readonly clock: Clock
  readonly log: Log
}

/** The interval is long: no call finds the rest of an unfinished erasure. */
const intervalMs = 60_000

/** Continues, on a worker node, the erasures that the end of a process interrupted. */
export function startErasureResumer({ erasures, clock, log }: ErasureResumerDeps): Repeated {
  return repeat(clock, async () => {
    await erasures
      .resume()
      .catch(error => log.error({ error: asError(error).message }, 'an erasure could not be continued'))
    return intervalMs
  })
}
