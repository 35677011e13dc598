import { cutCell, levelCell } from './cells.ts'
import { checkZone } from './check_digits.ts'
import { type Chances, type Decoded, decodeZone } from './decode.ts'
import { type Grid, turnGrid } from './grid.ts'
import { type ReadFormat, zoneLayouts } from './layouts.ts'
import { classify, mrzAlphabet, mrzNetwork } from './network.ts'
import type { Grey } from './picture.ts'
import { rowSpacing, type Zone } from './zone.ts'

/** A zone read as one format. */
export interface ZoneText extends Decoded {
  readonly passed: number
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[]
  /** The lines run upside down in the picture that was looked at. */
  readonly flipped: boolean
  /** Column 0 and row 0 are the first character's, from which `grid` counts in pitches. */
  readonly grid: Grid
  readonly origin: readonly [column: number, row: number]
}

/** What a zone gave: its best text as a known format, and whether its characters are legible at all. */
export interface ZoneSight {
  readonly text: ZoneText | null
  readonly legible: boolean
}

/** Below this mean chance the zone's characters are guesses. */
const least_quality = 0.92
/** More guessed or corrected characters than this make the whole zone doubtful, whatever its check digits say. */
const most_doubtful = 4
/** Characters at the ends of all lines that a chain may have missed, and foreign spots that it may have taken in. */
const missed_columns = 3
const foreign_columns = 2

const uniform = new Float32Array(mrzAlphabet.length).fill(1 / mrzAlphabet.length)

/** Classifies cells of a grid as they are asked for, each once. */
const cellReader = (grey: Grey, grid: Grid): ((column: number, row: number) => Float32Array) => {
  const known = new Map<number, Float32Array>()
  return (column, row) => {
    const key = row * 1000 + column
    const found = known.get(key)
    if (found !== undefined) return found
    const cell = cutCell(grey, grid, column, row * rowSpacing)
    const chances = levelCell(cell) ? classify(mrzNetwork(), cell) : uniform
    known.set(key, chances)
    return chances
  }
}

type Ends = readonly [first: number, last: number]

/** Where a run of `length` may begin, given the first and last place where something was seen. */
const starts = ([first, last]: Ends, length: number): number[] => {
  const low = Math.min(first, last - length + 1)
  const high = Math.max(first, last - length + 1)
  return Array.from({ length: high - low + 1 }, (_, at) => low + at)
}

const fits = (format: ReadFormat, columns: Ends, rows: Ends): boolean => {
  const { columns: wide, rows: high } = zoneLayouts[format]
  const span = columns[1] - columns[0] + 1
  const lines = rows[1] - rows[0] + 1
  const enough = lines === high || (format === 'TD1' && lines === 2)
  return enough && span >= wide - missed_columns && span <= wide + foreign_columns
}

const formats: readonly ReadFormat[] = ['TD1', 'TD2', 'TD3']

const mirrored = ([first, last]: Ends): Ends => [-last, -first]

const better = (one: ZoneText, other: ZoneText | null): boolean =>
  other === null || one.quality + one.passed * 0.03 > other.quality + other.passed * 0.03

const readTurned = (grey: Grey, zone: Zone, flipped: boolean): { text: ZoneText | null; certainty: number } => {
  const grid = flipped ? turnGrid(zone.grid) : zone.grid
  const columns = flipped ? mirrored(zone.columns) : zone.columns
  const rows = flipped ? mirrored(zone.rows) : zone.rows
  const read = cellReader(grey, grid)
  let text: ZoneText | null = null
  for (const format of formats.filter(name => fits(name, columns, rows))) {
    const layout = zoneLayouts[format]
    for (const row of starts(rows, layout.rows)) {
      for (const column of starts(columns, layout.columns)) {
        const chances: Chances = Array.from({ length: layout.rows }, (_, r) =>
          Array.from({ length: layout.columns }, (_, c) => read(column + c, row + r)),
        )
        const decoded = decodeZone(format, chances)
        const checks = checkZone(format, decoded.lines)
        const passed = checks.filter(check => check.passed).length
        const tried = { ...decoded, checks, passed, flipped, grid, origin: [column, row] as const }
        if (better(tried, text)) text = tried
      }
    }
  }
  let [sum, count] = [0, 0]
  for (let row = rows[0]; row <= rows[1]; row++) {
    for (let column = columns[0]; column <= columns[1]; column++) {
      sum += Math.max(...read(column, row))
      count++
    }
  }
  return { text, certainty: sum / count }
}

const isVisa = ({ lines }: ZoneText): boolean => (lines[0] ?? '').startsWith('V')

/** Reads a zone either way up. */
export const readZone = (grey: Grey, zone: Zone): ZoneSight => {
  const upright = readTurned(grey, zone, false)
  const flipped = readTurned(grey, zone, true)
  let text = upright.text
  if (flipped.text !== null && better(flipped.text, text)) text = flipped.text
  const certainty = Math.max(upright.certainty, flipped.certainty)
  const clear = text !== null && text.quality >= least_quality && text.guessed + text.corrected <= most_doubtful
  return {
    text: clear ? text : null,
    // Only a visa is surely another kind: its fields lie elsewhere, so that its sure characters look doubtful here. Lines
    // of another length may be a known zone found in part, and calling that unsupported would reject a good document.
    legible: clear || (text !== null && isVisa(text) && certainty >= 0.9 && zone.seen >= 40),
  }
}
