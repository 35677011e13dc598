import type { RgbImage } from '../../../../engines/images/raster.ts'
import type { Seen } from './guide.ts'

/** A picture's size in pixels. A bitmap fits this type, but a spread does not copy its members. */
export interface FullSize {
  readonly width: number
  readonly height: number
}

/** What one frame shows of a goal. */
export interface Look {
  readonly seen: Seen
  /** How good this frame is, compared with others of the same watch; null where it is unusable. */
  readonly worth: number | null
  /** Whether to take the best of the frames up to now, since the last that was worth nothing. */
  readonly done: boolean
  /** Whether no frame may be skipped from now on: something short is happening. */
  readonly follows?: boolean
}

/** Looks at the frames of a video, one after the other, for one goal. */
export interface Watch {
  /** The longer side, in pixels, of the rasters that are looked at, and of those that are judged. */
  readonly side: number
  readonly pictureSide: number
  /** `raster` shows a frame of `full` size; `at` is its time in milliseconds. */
  look(raster: RgbImage, full: FullSize, at: number): Promise<Look>
  /** Judges the picture that would be sent, as the service will. */
  accept(raster: RgbImage, full: FullSize): Promise<boolean>
}
