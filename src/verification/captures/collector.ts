import { asError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { type Repeated, repeat } from '../../base/time.ts'
import type { CaptureContents } from './contents.ts'

export interface CollectorDeps {
  readonly contents: Pick<CaptureContents, 'collect'>
  readonly clock: Clock
  readonly log: Log
}

const intervalMs = 60_000

/** Deletes every minute, on a worker node, the contents that no capture names any more. */
export function startCollector({ contents, clock, log }: CollectorDeps): Repeated {
  return repeat(clock, async signal => {
    try {
      let collected = 0
      for (let last = 1; last > 0 && !signal.aborted; collected += last) last = await contents.collect()
      if (collected > 0) log.info({ contents: collected }, 'deleted contents that no capture names')
    } catch (error) {
      log.warn({ error: asError(error).message }, 'contents of captures could not be deleted')
    }
    return intervalMs
  })
}
