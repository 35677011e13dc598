import { halfOf } from './cells.ts'
import { darkerThanAround, darkerThanHalfway } from './ink.ts'
import type { Grey } from './picture.ts'

/** A connected dark spot: its box's centre and size, in pixels. */
export interface Spot {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Takes one connected spot out of the ink: its box and how many pixels it has. */
const flood = (ink: Uint8Array, size: { width: number; height: number }, start: number): Spot & { count: number } => {
  const { width, height } = size
  const stack = [start]
  let [left, right, top, low, count] = [width, 0, height, 0, 0]
  ink[start] = 0
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const x = at % width
    const y = (at - x) / width
    left = Math.min(x, left)
    right = Math.max(x, right)
    top = Math.min(y, top)
    low = Math.max(y, low)
    count++
    const [last_x, last_y] = [Math.min(width - 1, x + 1), Math.min(height - 1, y + 1)]
    for (let ny = Math.max(0, y - 1); ny <= last_y; ny++) {
      for (let nx = Math.max(0, x - 1); nx <= last_x; nx++) {
        const next = ny * width + nx
        if (ink[next] !== 1) continue
        ink[next] = 0
        stack.push(next)
      }
    }
  }
  const [wide, high] = [right - left + 1, low - top + 1]
  return { x: (left + right + 1) / 2, y: (top + low + 1) / 2, width: wide, height: high, count }
}

/** More than a document on a busy table shows: grain, which another threshold or a smaller picture leaves out. */
const most_spots = 6000

/**
 * The connected spots that could be characters: 8-neighbours, neither specks nor large things; none where there are too
 * many for a document. Uses up the ink.
 */
const spotsOf = (ink: Uint8Array, width: number, height: number): Spot[] => {
  const spots: Spot[] = []
  const largest = Math.max(width, height) / 14
  for (let start = 0; start < ink.length; start++) {
    if (ink[start] !== 1) continue
    const { count, ...spot } = flood(ink, { width, height }, start)
    const side = Math.max(spot.width, spot.height)
    if (side >= 6 && side <= largest && count >= 10) spots.push(spot)
    if (spots.length > most_spots) return []
  }
  return spots
}

/**
 * How to find ink: by how much it is darker than the mean of a window (its half in pixels), or, with `darker` null,
 * halfway between the ink and the paper of blocks of that many pixels; and on the picture at half its size or not.
 */
export interface Threshold {
  readonly window: number
  readonly darker: number | null
  readonly halved: boolean
}

/** The spots of a picture that could be characters, in its pixels; none where there are too many for a document. */
export const findSpots = (grey: Grey, { window, darker, halved }: Threshold): Spot[] => {
  const picture = halved ? halfOf(grey) : grey
  const ink = darker === null ? darkerThanHalfway(picture, window) : darkerThanAround(picture, window, darker)
  const spots = spotsOf(ink, picture.width, picture.height)
  if (!halved) return spots
  return spots.map(({ x, y, width, height }) => ({ x: x * 2, y: y * 2, width: width * 2, height: height * 2 }))
}
