/** The box around connected pixels. */
export interface Mark {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** The part that connected pixels have in common: a side, or at least a corner. */
type Joint = 'side' | 'corner'

/**
 * Calls `use` for each mark of connected pixels that are 1, from the top, with the indices of its pixels, which are
 * good until the next call. All pixels are 0 afterwards.
 */
export function eachMark(
  marked: Uint8Array,
  width: number,
  joint: Joint,
  use: (mark: Mark, pixels: readonly number[]) => void,
): void {
  const pixels: number[] = []
  const take = (at: number): void => {
    if (marked[at] !== 1) return
    marked[at] = 0
    pixels.push(at)
  }
  const takeBeside = (at: number, x: number): void => {
    if (x > 0) take(at - 1)
    if (x < width - 1) take(at + 1)
  }
  for (let start = 0; start < marked.length; start++) {
    if (marked[start] !== 1) continue
    pixels.length = 0
    take(start)
    let left = width
    let right = 0
    let low = start
    // The list grows during the loop.
    for (const at of pixels) {
      const x = at % width
      left = Math.min(left, x)
      right = Math.max(right, x)
      low = Math.max(low, at)
      take(at - width)
      take(at + width)
      takeBeside(at, x)
      if (joint === 'side') continue
      takeBeside(at - width, x)
      takeBeside(at + width, x)
    }
    // The first pixel is in the highest row.
    const top = Math.floor(start / width)
    use({ left, top, width: right - left + 1, height: Math.floor(low / width) - top + 1 }, pixels)
  }
}
