import type { MrzFormat } from '../../../decision/findings.ts'
import { type Budget, type CellReader, cellReader } from './cell_reader.ts'
import { checkZone } from './check_digits.ts'
import { type Decoded, decodeZone } from './decode.ts'
import type { Grid } from './grid.ts'
import { type ZoneLayout, zoneLayouts } from './layouts.ts'
import { mrzAlphabet } from './network.ts'
import type { Grey } from './picture.ts'
import { type Chances, chanceOf } from './probabilities.ts'
import { distinguishZeros } from './zeros.ts'
import type { Zone } from './zone.ts'
import { asPrinted, turnZone } from './zone_views.ts'

/** A zone read as one format. */
export interface ZoneText extends Decoded {
  readonly passed: number
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[]
  /** How likely its first characters are those that the format begins with, 0 to 1. */
  readonly opening: number
  /** How surely characters stand right before and after its lines, 0 to 1: then they are a longer format's. */
  readonly beyond: number
  /** The lines run upside down in the picture that was looked at. */
  readonly flipped: boolean
  /** Column 0 and row 0 are the first character's, from which `grid` counts in pitches. */
  readonly grid: Grid
  /** How far rows are apart, in pitches. */
  readonly spacing: number
  readonly origin: readonly [column: number, row: number]
}

/** Below this mean chance the zone's characters are guesses. */
const least_quality = 0.9
/** More guessed or corrected characters than this make the whole zone doubtful, whatever its check digits say. */
const most_doubtful = 4
/** Nor may this many characters be expected to be wrong: names have no check digit that would notice. */
export const most_doubt = 0.3
/** Characters at the ends of all lines that a chain may have missed, and foreign spots that it may have taken in. */
const missed_columns = 3
const foreign_columns = 30
const foreign_rows = 2

type Ends = readonly [first: number, last: number]

/** Where a run of `length` may begin, given the first and last place where something was seen. */
const starts = ([first, last]: Ends, length: number): number[] => {
  const low = Math.min(first, last - length + 1)
  const high = Math.max(first, last - length + 1)
  return Array.from({ length: high - low + 1 }, (_, at) => low + at)
}

/** So many starts of a line are decoded, those whose characters are surest. */
const most_starts = 4

/** Below this mean chance of its characters a zone is none, or found in part: other steps between its rows won't help. */
const least_legible = 0.8

type Reader = CellReader['read']

/** The chance of a cell's likeliest character. */
const surest = (chances: Float32Array): number => Math.max(...chances.subarray(0, mrzAlphabet.length))

/** The columns at which lines of a layout most likely begin: characters inside, none at either end. */
const likelyStarts = (columns: Ends, { row, layout }: { row: number; layout: ZoneLayout }, read: Reader): number[] => {
  const all = starts(columns, layout.columns)
  if (all.length <= most_starts) return all
  const [low = 0] = all
  const sums = [0]
  for (let column = low; column < low + all.length + layout.columns; column++) {
    let sum = 0
    for (let line = 0; line < layout.rows; line++) sum += surest(read(column, row + line))
    sums.push((sums.at(-1) ?? 0) + sum)
  }
  const score = (start: number): number => (sums[start - low + layout.columns] ?? 0) - (sums[start - low] ?? 0)
  return all.sort((one, other) => score(other) - score(one)).slice(0, most_starts)
}

const fits = (format: MrzFormat, columns: Ends, rows: Ends): boolean => {
  const { columns: wide, rows: high } = zoneLayouts[format]
  const span = columns[1] - columns[0] + 1
  const lines = rows[1] - rows[0] + 1
  const enough = lines >= high - (format === 'TD1' ? 1 : 0) && lines <= high + foreign_rows
  return enough && span >= wide - missed_columns && span <= wide + foreign_columns
}

const formats: readonly MrzFormat[] = ['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB', 'FRENCH_ID']

/** Below this chance of its first characters a zone is not of the format. */
const least_opening = 0.02

const openingOf = (format: MrzFormat, chances: Chances): number =>
  Math.max(
    ...zoneLayouts[format].openings.map(opening =>
      Math.min(...[...opening].map((character, column) => chanceOf(chances, { row: 0, column }, character))),
    ),
  )

/**
 * Formats share most of their places: what tells them apart is how they begin, which digits agree and where they end (a
 * small visa's zone is the beginning of a large one's).
 */
const merit = ({ quality, passed, checks, opening, beyond }: ZoneText): number =>
  quality + (passed / checks.length) * 0.12 + opening * 0.1 - beyond * 0.06

const better = (one: ZoneText, other: ZoneText | null): boolean => other === null || merit(one) > merit(other)

/** Below this certainty a few cells are enough to know that a zone is none. */
const least_certainty = 0.6

/**
 * How sure the classifier is of every `step`th cell, 0 to 1: of a table's pattern, or of lines upside down, it is not.
 * 0 as soon as the rest could not lift it to the least: grain would otherwise have half of all cells looked at for nothing.
 */
const certaintyOf = ({ rows, columns }: Zone, glance: Reader, step: number): number => {
  const across = Math.floor((columns[1] - columns[0]) / step) + 1
  const count = across * (rows[1] - rows[0] + 1)
  const most_unsure = count * (1 - least_certainty)
  let unsure = 0
  for (let at = 0; at < count; at++) {
    const [column, row] = [columns[0] + (at % across) * step, rows[0] + Math.floor(at / across)]
    unsure += 1 - surest(glance(column, row))
    if (unsure > most_unsure) return 0
  }
  return 1 - unsure / count
}

/** A zone one way up, and how sure the classifier is of it at a glance. */
interface Way {
  readonly zone: Zone
  readonly flipped: boolean
  readonly reader: CellReader
  readonly certainty: number
}

const beyondOf = (layout: ZoneLayout, [column, row]: readonly [number, number], glance: Reader): number => {
  const ends = Array.from({ length: layout.rows }, (_, line) =>
    [column - 1, column + layout.columns].map(end => surest(glance(end, row + line))),
  ).flat()
  return ends.reduce((sum, sure) => sum + sure, 0) / ends.length
}

const readAs = (format: MrzFormat, { zone, flipped, reader }: Way): ZoneText | null => {
  const { grid, spacing, columns, rows } = zone
  const { read, glance } = reader
  const layout = zoneLayouts[format]
  let text: ZoneText | null = null
  for (const row of starts(rows, layout.rows)) {
    for (const column of likelyStarts(columns, { row, layout }, read)) {
      const chances: Chances = Array.from({ length: layout.rows }, (_, r) =>
        Array.from({ length: layout.columns }, (_, c) => read(column + c, row + r)),
      )
      const opening = openingOf(format, chances)
      if (opening < least_opening) continue
      const decoded = decodeZone(format, distinguishZeros(format, chances))
      const checks = checkZone(format, decoded.lines)
      const passed = checks.filter(check => check.passed).length
      const origin = [column, row] as const
      const beyond = beyondOf(layout, origin, glance)
      const tried = { ...decoded, checks, passed, opening, beyond, flipped, grid, spacing, origin }
      if (better(tried, text)) text = tried
    }
  }
  return text
}

/** Whether a text is sure enough to be used: what no check digit covers must be read, not guessed. */
export const isClear = (text: ZoneText): boolean =>
  text.quality >= least_quality && text.guessed + text.corrected <= most_doubtful && text.doubt <= most_doubt

const wayOf = (grey: Grey, zone: Zone, flipped: boolean, budget: Budget): Way => {
  const reader = cellReader(grey, zone, budget)
  return { zone, flipped, reader, certainty: certaintyOf(zone, reader.glance, 3) }
}

const isComplete = ({ checks, passed }: ZoneText): boolean => passed === checks.length

const readSpaced = (grey: Grey, zone: Zone, budget: Budget): ZoneText | null => {
  const possible = formats.filter(name => fits(name, zone.columns, zone.rows))
  if (possible.length === 0) return null
  const ways = [wayOf(grey, zone, false, budget), wayOf(grey, turnZone(zone), true, budget)]
  let text: ZoneText | null = null
  for (const way of ways.sort((one, other) => other.certainty - one.certainty)) {
    if (way.certainty < least_certainty) break
    for (const format of possible) {
      const tried = readAs(format, way)
      if (tried !== null && better(tried, text)) text = tried
    }
    if (text !== null && isClear(text) && isComplete(text)) break
  }
  return text
}

/** Reads a zone either way up: its likeliest text as a known format, clear or not. */
export const readZone = (grey: Grey, zone: Zone, budget: Budget): ZoneText | null => {
  const text = readSpaced(grey, zone, budget)
  const printed = asPrinted(zone)
  if (printed === null || text === null || text.quality < least_legible || (isClear(text) && isComplete(text)))
    return text
  const other = readSpaced(grey, printed, budget)
  return other !== null && better(other, text) ? other : text
}
