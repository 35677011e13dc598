import { systemClock } from '../src/base/clock.ts'
import { type Photos, startPhotos } from '../src/images/image_checker.ts'
import type { PoolLimits } from '../src/processes/limits.ts'

/** For children on the machine's own clock: as much time as a test has itself, and a place for all that wait. */
export const patientLimits: Partial<PoolLimits> = { time_limit_ms: 240_000, start_limit_ms: 240_000, queue: 1000 }

let shared: Photos | null = null
const users = new Set<object>()

/**
 * One process that checks uploads, started with the first of them, on the machine's own clock whatever a test turns. All
 * that are open in a test's process share it, since each of their own would wait for all the others to start; it ends
 * with the last of them.
 */
export const photosAsNeeded = (): Photos => {
  const user = {}
  return {
    ready: Promise.resolve(),
    check(upload) {
      users.add(user)
      shared ??= startPhotos({ clock: systemClock, children: 1, limits: patientLimits })
      return shared.check(upload)
    },
    processes: async () => (await shared?.processes()) ?? { warm: 0, restarts: 0, resident_bytes: [] },
    async stop() {
      if (!users.delete(user) || users.size > 0) return
      const last = shared
      shared = null
      await last?.stop()
    },
  }
}
