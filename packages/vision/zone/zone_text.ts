import type { MrzFormat } from '@attestor/rules'
import { mrzFormats } from '@attestor/rules/readings'
import { checkZone, type LayoutName, otherCodes, type ZoneLayout, zoneLayouts } from '@attestor/rules/zone'
import type { Grid } from '../geometry/grid.ts'
import type { GreyImage } from '../images/document_picture.ts'
import { type Budget, createCellReader, type ReadCell } from './cell_reader.ts'
import { type Decoded, decodeZone } from './decode.ts'
import type { Zone } from './find_zones.ts'
import { mrzAlphabet } from './network.ts'
import { getProbability, type Probabilities } from './probabilities.ts'
import { distinguishZeros } from './zeros.ts'
import { flipZone, unstretchZone } from './zone_views.ts'

/** A zone read as one format. */
export interface ZoneText extends Decoded {
  readonly passed: number
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[]
  /** Probability that its first characters are those that the format begins with, 0 to 1. */
  readonly opening: number
  /**
   * Certainty that characters stand right before and after its lines, 0 to 1. If they do, a longer format is printed.
   */
  readonly beyond: number
  /** Whether the lines run upside down in the searched picture. */
  readonly flipped: boolean
  /** The zone's grid, which counts in pitches from the first character, at column 0 and row 0. */
  readonly grid: Grid
  /** Distance between rows, in pitches. */
  readonly spacing: number
  readonly origin: readonly [column: number, row: number]
}

/** Below this mean chance the zone's characters are guesses. */
const minQuality = 0.9
/** More guessed or corrected characters than this make the whole zone doubtful, even if its check digits agree. */
const maxDoubtful = 4
/** The most characters that may be expected to be wrong: names have no check digit. */
export const maxDoubt = 0.3
/**
 * The most characters at the ends of all lines that a chain may have missed, and foreign spots that it may have taken
 * in.
 */
const missedColumns = 3
const foreignColumns = 30
const foreignRows = 2

type Ends = readonly [first: number, last: number]

/**
 * Returns the places at which a run of `length` may begin, given the first and last place at which something was seen.
 */
function listStarts([first, last]: Ends, length: number): number[] {
  const low = Math.min(first, last - length + 1)
  const high = Math.max(first, last - length + 1)
  return Array.from({ length: high - low + 1 }, (_, at) => low + at)
}

/** The most starts of a line that are decoded: those with the surest characters. */
const maxStarts = 4

/**
 * Below this mean probability of its characters a zone is no zone, or only partly found: other row spacings won't help.
 */
const minLegible = 0.8

/** Returns the chance of a cell's likeliest character. */
function maxProbability(chances: Float32Array): number {
  return Math.max(...chances.subarray(0, mrzAlphabet.length))
}

/** Returns the columns at which lines of a layout most likely begin: characters inside, none at either end. */
function listLikelyStarts(
  columns: Ends,
  { row, layout }: { row: number; layout: ZoneLayout },
  read: ReadCell,
): number[] {
  const all = listStarts(columns, layout.columns)
  if (all.length <= maxStarts) return all
  const [low = 0] = all
  const sums = [0]
  for (let column = low; column < low + all.length + layout.columns; column++) {
    let sum = 0
    for (let line = 0; line < layout.rows; line++) sum += maxProbability(read(column, row + line))
    sums.push((sums.at(-1) ?? 0) + sum)
  }
  const score = (start: number): number => (sums[start - low + layout.columns] ?? 0) - (sums[start - low] ?? 0)
  return all.sort((one, other) => score(other) - score(one)).slice(0, maxStarts)
}

function fitsFormat(format: MrzFormat, columns: Ends, rows: Ends): boolean {
  const { columns: wide, rows: high } = zoneLayouts[format]
  const span = columns[1] - columns[0] + 1
  const lines = rows[1] - rows[0] + 1
  const enough = lines >= high - (format === 'TD1' ? 1 : 0) && lines <= high + foreignRows
  return enough && span >= wide - missedColumns && span <= wide + foreignColumns
}

/** Below this chance of its first characters a zone is not of the format. */
const minOpening = 0.02

function measureOpening(format: LayoutName, chances: Probabilities): number {
  return Math.max(
    ...zoneLayouts[format].openings.map(opening =>
      Math.min(...[...opening].map((character, column) => getProbability(chances, { row: 0, column }, character))),
    ),
  )
}

/**
 * Rates a text as one of its format. Formats differ in their beginnings, their check digits and their ends: a small
 * visa's zone begins a large one's.
 */
function rateText({ quality, passed, checks, opening, beyond }: ZoneText): number {
  return quality + (passed / checks.length) * 0.12 + opening * 0.1 - beyond * 0.06
}

function isBetterText(one: ZoneText, other: ZoneText | null): boolean {
  return other === null || rateText(one) > rateText(other)
}

/** Below this certainty a few cells are enough to know that this is no zone. */
const minCertainty = 0.6

/**
 * Returns the classifier's mean certainty over every `step`th cell. It stops with 0 as soon as the rest cannot reach
 * the minimum, which saves cells.
 */
function measureCertainty({ rows, columns }: Zone, read: ReadCell, step: number): number {
  const across = Math.floor((columns[1] - columns[0]) / step) + 1
  const count = across * (rows[1] - rows[0] + 1)
  const maxUnsure = count * (1 - minCertainty)
  let unsure = 0
  for (let at = 0; at < count; at++) {
    const column = columns[0] + (at % across) * step
    const row = rows[0] + Math.floor(at / across)
    unsure += 1 - maxProbability(read(column, row))
    if (unsure > maxUnsure) return 0
  }
  return 1 - unsure / count
}

/** A zone one way up, and the classifier's certainty of some of its cells. */
interface OrientedZone {
  readonly zone: Zone
  readonly flipped: boolean
  readonly read: ReadCell
  readonly certainty: number
}

function measureBeyond(layout: ZoneLayout, [column, row]: readonly [number, number], read: ReadCell): number {
  const ends = Array.from({ length: layout.rows }, (_, line) =>
    [column - 1, column + layout.columns].map(end => maxProbability(read(end, row + line))),
  ).flat()
  return ends.reduce((sum, sure) => sum + sure, 0) / ends.length
}

function readAsFormat(
  format: MrzFormat,
  { zone, flipped, read }: OrientedZone,
  name: LayoutName = format,
): ZoneText | null {
  const { grid, spacing, columns, rows } = zone
  const layout = zoneLayouts[format]
  let text: ZoneText | null = null
  for (const row of listStarts(rows, layout.rows)) {
    for (const column of listLikelyStarts(columns, { row, layout }, read)) {
      const chances: Probabilities = Array.from({ length: layout.rows }, (_, r) =>
        Array.from({ length: layout.columns }, (_, c) => read(column + c, row + r)),
      )
      const opening = measureOpening(name, chances)
      if (opening < minOpening) continue
      const decoded = decodeZone(format, distinguishZeros(format, chances), name)
      const checks = checkZone(format, decoded.lines)
      const passed = checks.filter(check => check.passed).length
      const origin = [column, row] as const
      const beyond = measureBeyond(layout, origin, read)
      const tried = { ...decoded, checks, passed, opening, beyond, flipped, grid, spacing, origin }
      if (isBetterText(tried, text)) text = tried
    }
  }
  return text
}

/** Returns whether a text is sure enough to be used: characters without a check digit must be read, not guessed. */
export function isClear(text: ZoneText): boolean {
  return text.quality >= minQuality && text.guessed + text.corrected <= maxDoubtful && text.doubt <= maxDoubt
}

function orientZone(grey: GreyImage, zone: Zone, flipped: boolean, budget: Budget): OrientedZone {
  const read = createCellReader(grey, zone, budget)
  return { zone, flipped, read, certainty: measureCertainty(zone, read, 3) }
}

function isComplete({ checks, passed }: ZoneText): boolean {
  return passed === checks.length
}

function readAtSpacing(grey: GreyImage, zone: Zone, budget: Budget): ZoneText | null {
  const possible = mrzFormats.filter(name => fitsFormat(name, zone.columns, zone.rows))
  if (possible.length === 0) return null
  const ways = [orientZone(grey, zone, false, budget), orientZone(grey, flipZone(zone), true, budget)]
  let text: ZoneText | null = null
  for (const way of ways.sort((one, other) => other.certainty - one.certainty)) {
    if (way.certainty < minCertainty) break
    for (const format of possible) {
      const tried = readAsFormat(format, way)
      if (tried !== null && isBetterText(tried, text)) text = tried
    }
    if (text !== null && isClear(text) && isComplete(text)) return text
  }
  return readOtherCode(possible, ways) ?? text
}

/** Returns whether every check digit agrees, but for those of numbers, which some states put elsewhere. */
function isVouchedFor({ checks }: ZoneText): boolean {
  return checks.every(({ name, passed }) => passed || name === 'document_number' || name === 'personal_number')
}

/**
 * Reads a zone whose code begins with a letter that ICAO's table does not have. Any text begins with letters, so that
 * the check digits, the composite one among them, have to agree.
 */
function readOtherCode(formats: readonly MrzFormat[], ways: readonly OrientedZone[]): ZoneText | null {
  for (const way of ways) {
    if (way.certainty < minCertainty) continue
    for (const format of formats) {
      const name = otherCodes[format]
      const text = name === undefined ? null : readAsFormat(format, way, name)
      if (text !== null && isClear(text) && isVouchedFor(text)) return text
    }
  }
  return null
}

/** Reads a zone either way up: returns its likeliest text as a known format, clear or not. */
export function readZoneText(grey: GreyImage, zone: Zone, budget: Budget): ZoneText | null {
  const text = readAtSpacing(grey, zone, budget)
  const printed = unstretchZone(zone)
  if (printed === null || text === null || text.quality < minLegible || (isClear(text) && isComplete(text))) return text
  const other = readAtSpacing(grey, printed, budget)
  return other !== null && isBetterText(other, text) ? other : text
}
