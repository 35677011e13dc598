import { type ImageChecker, startImageChecker } from '@attestor/vision'
import type { PoolLimits } from '@attestor/vision/testing'
import { systemClock } from '../src/base/clock.ts'
import { lasting } from './lasting.ts'

/** Limits for children on the machine's own clock: as much time as a test has, and no bound on waiting work. */
export const patientLimits: Partial<PoolLimits> = {
  timeLimitMs: 240_000,
  startLimitMs: 240_000,
  maxQueue: 1000,
}

let shared: ImageChecker | null = null
const users = new Set<object>()

async function stopShared(): Promise<void> {
  const last = shared
  shared = null
  await last?.stop()
}

/**
 * One process that checks uploads, on the machine's own clock, which no test advances. All tests of a process share it,
 * as each of their own would wait for all the others to start: it starts with the first upload and ends with the last
 * user, or with the last file of a group.
 */
export function sharedImageChecker(): ImageChecker {
  const user = {}
  return {
    ready: Promise.resolve(),
    check(image) {
      users.add(user)
      if (shared === null) lasting.ends.push(stopShared)
      shared ??= startImageChecker({ clock: systemClock, children: 1, limits: patientLimits })
      return shared.check(image)
    },
    stats: async () => (await shared?.stats()) ?? { ready: 0, restarts: 0, residentBytes: [] },
    async stop() {
      if (users.delete(user) && users.size === 0 && !lasting.inGroup) await stopShared()
    },
  }
}
