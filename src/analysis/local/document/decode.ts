import { passes } from './check_digits.ts'
import { type CheckGroup, positionAlphabets, type ReadFormat, type Span, zoneLayouts } from './layouts.ts'
import { mrzAlphabet } from './network.ts'

/** `chances[row][column]` holds how likely each character of `mrzAlphabet` is there. */
export type Chances = readonly (readonly Float32Array[])[]

/** A zone as text. */
export interface Decoded {
  readonly format: ReadFormat
  readonly lines: readonly string[]
  /** Characters that are not what the classifier alone would have said. */
  readonly corrected: number
  /** Mean chance of the characters before any repair, 0 to 1. */
  readonly quality: number
  /** Characters that were more guessed than read: names have no check digit that would notice. */
  readonly guessed: number
}

/** The other readings worth trying: at least this share of the best one's chance. */
const least_share = 0.01
/** Below this chance a character counts as guessed. */
const least_chance = 0.4

interface Option {
  readonly row: number
  readonly column: number
  readonly character: string
  readonly share: number
}

const allowedAt = (format: ReadFormat, row: number, column: number): string =>
  positionAlphabets[zoneLayouts[format].alphabets[row]?.[column] ?? 'X'] ?? mrzAlphabet

const chanceOf = (chances: Chances, row: number, column: number, character: string): number =>
  chances[row]?.[column]?.[mrzAlphabet.indexOf(character)] ?? 0

const bestOf = (chances: Chances, { row, column }: { row: number; column: number }, allowed: string): string => {
  let best = allowed[0] ?? '<'
  for (const character of allowed) {
    if (chanceOf(chances, row, column, character) > chanceOf(chances, row, column, best)) best = character
  }
  return best
}

const setAt = (lines: string[], { row, column, character }: Option): void => {
  const line = lines[row] ?? ''
  lines[row] = line.slice(0, column) + character + line.slice(column + 1)
}

const optionsIn = (
  format: ReadFormat,
  lines: readonly string[],
  chances: Chances,
  spans: readonly Span[],
): Option[] => {
  const options: Option[] = []
  for (const { row, from, to } of spans) {
    for (let column = from; column < to; column++) {
      const now = lines[row]?.[column] ?? '<'
      const chance = Math.max(1e-6, chanceOf(chances, row, column, now))
      for (const character of allowedAt(format, row, column)) {
        const share = chanceOf(chances, row, column, character) / chance
        if (character !== now && share >= least_share) options.push({ row, column, character, share })
      }
    }
  }
  return options.sort((one, other) => other.share - one.share).slice(0, 14)
}

/** The likeliest one or two changes within a group's reach that make its digit agree; none where nothing likely does. */
const repair = (format: ReadFormat, lines: string[], chances: Chances, group: CheckGroup): string[] => {
  if (passes(format, lines, group.name)) return lines
  const options = optionsIn(format, lines, chances, [...group.covers, group.at])
  const changes: { options: Option[]; share: number }[] = []
  options.forEach((one, at) => {
    changes.push({ options: [one], share: one.share })
    for (const other of options.slice(at + 1)) {
      const share = one.share * other.share
      const same = one.row === other.row && one.column === other.column
      if (!same && share >= least_share) changes.push({ options: [one, other], share })
    }
  })
  changes.sort((one, other) => other.share - one.share)
  for (const change of changes) {
    const tried = [...lines]
    for (const option of change.options) setAt(tried, option)
    if (passes(format, tried, group.name)) return tried
  }
  return lines
}

/**
 * The text of a zone: the likeliest character that its position allows, then repaired where a check digit disagrees and
 * a likely other reading agrees. What was changed is counted; a zone that stays wrong stays wrong.
 */
export const decodeZone = (format: ReadFormat, chances: Chances): Decoded => {
  const { rows, columns, checks } = zoneLayouts[format]
  let [quality, corrected, guessed] = [0, 0, 0]
  let lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      const best = bestOf(chances, { row, column }, allowedAt(format, row, column))
      const chance = chanceOf(chances, row, column, best)
      quality += chance
      if (chance < least_chance) guessed++
      return best
    }).join(''),
  )
  for (const group of checks) lines = repair(format, lines, chances, group)
  lines.forEach((line, row) => {
    for (let column = 0; column < columns; column++) {
      if (line[column] !== bestOf(chances, { row, column }, mrzAlphabet)) corrected++
    }
  })
  return { format, lines, corrected, guessed, quality: quality / (rows * columns) }
}
