import type { Grey } from './picture.ts'

/** A connected dark spot: its box's centre and size, in pixels. */
export interface Spot {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Dark against the mean of a window around: 1 where ink may be. A shadow darkens both and changes nothing. */
export const threshold = ({ data, width, height }: Grey, window: number, darker: number): Uint8Array => {
  const stride = width + 1
  const sums = new Uint32Array(stride * (height + 1))
  for (let y = 0; y < height; y++) {
    let row = 0
    for (let x = 0; x < width; x++) {
      row += data[y * width + x] ?? 0
      sums[(y + 1) * stride + x + 1] = (sums[y * stride + x + 1] ?? 0) + row
    }
  }
  const ink = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const top = Math.max(0, y - window) * stride
    const low = Math.min(height, y + window + 1)
    const rows = low - Math.max(0, y - window)
    for (let x = 0; x < width; x++) {
      const left = Math.max(0, x - window)
      const right = Math.min(width, x + window + 1)
      const end = low * stride
      const sum =
        (sums[end + right] ?? 0) - (sums[end + left] ?? 0) - (sums[top + right] ?? 0) + (sums[top + left] ?? 0)
      if ((data[y * width + x] ?? 0) * rows * (right - left) < sum * (1 - darker)) ink[y * width + x] = 1
    }
  }
  return ink
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

/** The connected spots that could be characters: 8-neighbours, neither specks nor large things. Uses up the ink. */
export const findSpots = (ink: Uint8Array, width: number, height: number): Spot[] => {
  const spots: Spot[] = []
  const largest = Math.max(width, height) / 14
  for (let start = 0; start < ink.length; start++) {
    if (ink[start] !== 1) continue
    const { count, ...spot } = flood(ink, { width, height }, start)
    const side = Math.max(spot.width, spot.height)
    if (side >= 6 && side <= largest && count >= 10) spots.push(spot)
  }
  return spots
}
