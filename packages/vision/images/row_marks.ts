import type { Mark } from './connected_pixels.ts'

/** A mark of connected pixels: its box, its number of pixels, and the index of its first pixel in the picture. */
export interface CountedMark extends Mark {
  readonly pixels: number
  readonly first: number
}

/** The runs of marked pixels of a row, each with the slot of the mark that it belongs to. */
interface Runs {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly slots: Int32Array
  count: number
}

function createRuns(most: number): Runs {
  return { starts: new Int32Array(most), ends: new Int32Array(most), slots: new Int32Array(most), count: 0 }
}

/** Takes the rows of a picture one after the other, and finds their marks. */
export interface RowMarks {
  /** Takes the next row, in which marked pixels are 1. */
  readonly addRow: (row: Uint8Array) => void
  /** Ends the marks that reach the last row. */
  readonly end: () => void
}

/**
 * Finds marks of pixels that touch at least at a corner. `use` is called for each as soon as no further row can belong
 * to it. Memory is needed for the marks of one row alone, and time for runs of pixels, not for each pixel.
 */
export function createRowMarks(width: number, use: (mark: CountedMark) => void): RowMarks {
  const most = (width >> 1) + 1
  let above = createRuns(most)
  let here = createRuns(most)
  // A row's marks and those of the row above hold a slot each; a joined one points to the other.
  const joined = new Int32Array(2 * most)
  const left = new Int32Array(2 * most)
  const right = new Int32Array(2 * most)
  const first = new Int32Array(2 * most)
  const pixels = new Int32Array(2 * most)
  const lastRow = new Int32Array(2 * most)
  const free = Int32Array.from({ length: 2 * most }, (_, at) => at)
  let freeCount = free.length
  let y = 0

  const find = (slot: number): number => {
    let at = slot
    while (joined[at] !== at) at = joined[at] as number
    return at
  }

  const open = (start: number): number => {
    const slot = free[--freeCount] as number
    joined[slot] = slot
    left[slot] = start
    right[slot] = start
    first[slot] = y * width + start
    pixels[slot] = 0
    return slot
  }

  const join = (one: number, other: number): number => {
    joined[other] = one
    left[one] = Math.min(left[one] as number, left[other] as number)
    right[one] = Math.max(right[one] as number, right[other] as number)
    first[one] = Math.min(first[one] as number, first[other] as number)
    pixels[one] = (pixels[one] as number) + (pixels[other] as number)
    return one
  }

  const release = (slot: number): void => {
    // No row is -1, so that a slot is released once even if several runs hold it.
    lastRow[slot] = -1
    free[freeCount++] = slot
  }

  const close = (slot: number): void => {
    const from = first[slot] as number
    const top = Math.floor(from / width)
    use({
      left: left[slot] as number,
      top,
      width: (right[slot] as number) - (left[slot] as number) + 1,
      height: (lastRow[slot] as number) - top + 1,
      pixels: pixels[slot] as number,
      first: from,
    })
    release(slot)
  }

  /** Joins a run with the marks above that it touches, from the run `at` on. Returns the first run that may touch more. */
  const place = (start: number, end: number, from: number): number => {
    let at = from
    while (at < above.count && (above.ends[at] as number) < start) at++
    let slot = -1
    let touching = at
    for (; touching < above.count && (above.starts[touching] as number) <= end; touching++) {
      const other = find(above.slots[touching] as number)
      slot = slot === -1 || slot === other ? other : join(slot, other)
    }
    if (slot === -1) slot = open(start)
    left[slot] = Math.min(left[slot] as number, start)
    right[slot] = Math.max(right[slot] as number, end - 1)
    pixels[slot] = (pixels[slot] as number) + end - start
    lastRow[slot] = y
    here.starts[here.count] = start
    here.ends[here.count] = end
    here.slots[here.count++] = slot
    return at
  }

  const closeAbove = (): void => {
    for (let at = 0; at < above.count; at++) {
      const slot = above.slots[at] as number
      if (lastRow[slot] === -1) continue
      if (joined[slot] !== slot) release(slot)
      else if (lastRow[slot] !== y) close(slot)
    }
  }

  const addRow = (row: Uint8Array): void => {
    here.count = 0
    let at = 0
    for (let x = 0; x < width; ) {
      if (row[x] === 0) {
        x++
        continue
      }
      const start = x
      while (x < width && row[x] === 1) x++
      at = place(start, x, at)
    }
    for (let n = 0; n < here.count; n++) here.slots[n] = find(here.slots[n] as number)
    closeAbove()
    const done = above
    above = here
    here = done
    y++
  }

  return {
    addRow,
    end: () => {
      here.count = 0
      closeAbove()
    },
  }
}
