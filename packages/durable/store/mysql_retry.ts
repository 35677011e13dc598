import { machineClock } from '../clock.ts'
import { asError, unavailable } from '../errors.ts'
import { drawInteger } from '../random.ts'
import { dialects } from './dialect.ts'
import type { Hosts } from './hosts.ts'
import { isFullDisk, isHostFault, toDurableError } from './mysql_errors.ts'
import type { MysqlServer, Patience } from './mysql_server.ts'

/** A unit that keeps losing races is given up as 503 after this many tries. */
const maxTries = 8

/**
 * On a cluster a retry fails until the winner's writes have arrived, so it waits: at random up to 2 ms, then twice as
 * long each time.
 */
function restMs(tried: number): number {
  return drawInteger(2 ** tried + 1)
}

/**
 * After the first failure of a host, a unit is tried on others for this long. A cluster may need that time to remove a
 * dead member.
 */
const failoverMs = 15_000
const failoverPauseMs = 100

/** Waits between two tries, for so many milliseconds. */
export type Pause = (ms: number) => Promise<void>

export function machinePause(ms: number): Promise<void> {
  return new Promise(resolve => machineClock.setTimer(ms, resolve))
}

/** True from `ms` after its first call on. */
function createDeadline({ clock }: Patience, ms: number) {
  let isOver = false
  let cancel: (() => void) | null = null
  return {
    isOver(): boolean {
      cancel ??= clock.setTimer(ms, () => {
        isOver = true
      })
      return isOver
    },
    cancel: () => cancel?.(),
  }
}

/** Runs `work` until it has lost neither a race nor its host, and `recover` after each failure of a host. */
export async function untilDone<T>(
  { hosts, patience, pause }: { readonly hosts: Hosts; readonly patience: Patience; readonly pause: Pause },
  work: (server: MysqlServer) => Promise<T>,
  recover: () => Promise<{ readonly value: T } | null> = async () => null,
): Promise<T> {
  const deadline = createDeadline(patience, failoverMs)
  const afterFault = async (server: MysqlServer, error: Error): Promise<{ readonly value: T } | null> => {
    if (hosts.isSingle || !isHostFault(error) || deadline.isOver()) throw toDurableError(error)
    await hosts.report(server, isFullDisk(error) ? 'its disk is full' : null)
    const done = await recover()
    if (done === null) await pause(failoverPauseMs)
    return done
  }
  try {
    for (let tried = 1; ; ) {
      const server = await hosts.current()
      try {
        return await work(server)
      } catch (thrown) {
        const error = asError(thrown)
        if (!dialects.mysql.isRetryable(error)) {
          const done = await afterFault(server, error)
          if (done !== null) return done.value
        } else if (tried === maxTries) {
          // A member without a majority refuses each commit as one that lost a race.
          const orNoMajority = hosts.isSingle ? '' : ', or its cluster has no majority'
          throw unavailable(`the database is too contended${orNoMajority}`)
        } else await pause(restMs(tried++))
      }
    }
  } finally {
    deadline.cancel()
  }
}
