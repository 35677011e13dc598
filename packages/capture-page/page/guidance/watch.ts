import type { RgbImage } from '@attestor/vision/guidance'
import type { Hint, Seen } from './guide.ts'

/** A picture's size in pixels. A bitmap fits this type, but a spread does not copy its members. */
export interface FullSize {
  readonly width: number
  readonly height: number
}

/** The result of one frame. */
export interface Look {
  readonly seen: Seen
  /** Quality of this frame, compared with others of the same watch; null if it is unusable. */
  readonly worth: number | null
  /** Whether to take the best frame since the last unusable one. */
  readonly done: boolean
  /** Whether no frame may be skipped from now on, because a short action has begun. */
  readonly follows?: boolean
}

/** Looks at the frames of a video, one after the other, for one goal. */
export interface Watch {
  /** The longer side, in pixels, of the rasters that are looked at, and of those that are judged. */
  readonly side: number
  readonly pictureSide: number
  /** `raster` shows a frame of `full` size; `at` is its time in milliseconds. */
  look(raster: RgbImage, full: FullSize, at: number): Promise<Look>
  /** Judges the picture that would be sent, as the service will: returns advice, or null for a good one. */
  accept(raster: RgbImage, full: FullSize): Promise<Hint | null>
}

/** Time in which the person reads why a picture was not taken, before the next one may be. */
const refusedMs = 2000

/** Waits for so many good looks in a row, over at least so many milliseconds. */
export function createPatience(neededLooks: number, neededMs: number) {
  let good: { readonly since: number; looks: number } | null = null
  let refused: { readonly hint: Hint; readonly until: number } | null = null
  let last = 0
  return {
    look(found: Hint | null, at: number): Pick<Seen, 'hint' | 'progress'> {
      last = at
      const hint = found ?? (refused !== null && at < refused.until ? refused.hint : null)
      if (hint !== null) {
        good = null
        return { hint, progress: 0 }
      }
      good ??= { since: at, looks: 0 }
      good.looks++
      const progress = Math.min(1, good.looks / neededLooks, Math.max(0.1, (at - good.since) / neededMs))
      return { hint: 'GOOD', progress }
    },
    /** The picture of the good looks was judged. */
    judged(hint: Hint | null): Hint | null {
      good = null
      refused = hint && { hint, until: last + refusedMs }
      return hint
    },
  }
}
