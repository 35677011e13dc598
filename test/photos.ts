import { systemClock } from '../src/base/clock.ts'
import { type Photos, type PhotosOptions, startPhotos } from '../src/captures/photos.ts'

/** One process that checks uploads, started with the first of them, on the machine's own clock whatever a test turns. */
export const photosAsNeeded = (options: Partial<PhotosOptions> = {}): Photos => {
  let started: Photos | null = null
  return {
    ready: Promise.resolve(),
    check(upload) {
      started ??= startPhotos({ clock: systemClock, children: 1, ...options })
      return started.check(upload)
    },
    processes: async () => (await started?.processes()) ?? { warm: 0, restarts: 0, resident_bytes: [] },
    stop: async () => started?.stop(),
  }
}
