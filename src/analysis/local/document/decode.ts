import { passes } from './check_digits.ts'
import { type CheckGroup, positionAlphabets, type ReadFormat, zoneLayouts } from './layouts.ts'
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
  /** How many characters are expected to be wrong, those that a check digit vouches for counted by a tenth. */
  readonly doubt: number
}

/** The other readings worth trying: at least this share of the best one's chance. */
const least_share = 0.003
/** Two changes at once agree by chance far more often than one. */
const least_pair_share = 0.1
/** How many times likelier than the next one that agrees a change must be. */
const least_lead = 5
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

const optionsIn = (format: ReadFormat, lines: readonly string[], chances: Chances, group: CheckGroup): Option[] => {
  const options: Option[] = []
  for (const { row, from, to } of [...group.covers, group.at]) {
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

/** One or two options taken together. */
interface Change {
  readonly options: readonly Option[]
  readonly share: number
}

const changesOf = (options: readonly Option[]): Change[] =>
  options.flatMap((one, at) => {
    const pairs = options
      .slice(at + 1)
      .filter(other => other.row !== one.row || other.column !== one.column)
      .map(other => ({ options: [one, other], share: one.share * other.share }))
    return [{ options: [one], share: one.share }, ...pairs.filter(pair => pair.share >= least_pair_share)]
  })

/** The likeliest change that makes a group's digit agree, if it is much likelier than any other that does. */
const repair = (format: ReadFormat, lines: string[], chances: Chances, group: CheckGroup): string[] => {
  if (passes(format, lines, group.name)) return lines
  const agreeing: { lines: string[]; share: number }[] = []
  for (const { options, share } of changesOf(optionsIn(format, lines, chances, group))) {
    const tried = [...lines]
    for (const option of options) setAt(tried, option)
    if (passes(format, tried, group.name)) agreeing.push({ lines: tried, share })
  }
  const [best, second] = agreeing.sort((one, other) => other.share - one.share)
  if (best === undefined || (second !== undefined && second.share * least_lead > best.share)) return lines
  return best.lines
}

/**
 * ICAO 9303 part 3, 4.6: after the given names, or after a third filler in a row, a name field holds fillers alone. One
 * or two strays there are misread fillers; more are a field that was not understood, which is told by null.
 */
const clearNames = (format: ReadFormat, lines: readonly string[]): string[] | null => {
  const { row, from, to } = zoneLayouts[format].fields.names
  const line = lines[row] ?? ''
  const names = line.slice(from, to)
  const end = /^<*[A-Z]+(<[A-Z]+)*(<<[A-Z]+(<[A-Z]+)*)?(?=<<|$|<$)/.exec(names)?.[0].length
  if (end === undefined) return null
  const strays = names.slice(end).replaceAll('<', '').length
  if (strays > 2 || names.startsWith('<')) return null
  const cleared = [...lines]
  cleared[row] = line.slice(0, from) + names.slice(0, end).padEnd(names.length, '<') + line.slice(to)
  return cleared
}

/** How much less a wrong character matters where a check digit would have noticed it: nine times in ten. */
const checked_weight = 0.1

/** Characters expected to be wrong in spite of everything, by the classifier's own chances. */
const doubtOf = (format: ReadFormat, lines: readonly string[], chances: Chances): number => {
  const checked = new Set<string>()
  for (const group of zoneLayouts[format].checks) {
    if (!passes(format, lines, group.name)) continue
    for (const { row, from, to } of [...group.covers, group.at]) {
      for (let column = from; column < to; column++) checked.add(`${row} ${column}`)
    }
  }
  let doubt = 0
  lines.forEach((line, row) => {
    for (let column = 0; column < line.length; column++) {
      let all = chances[row]?.[column]?.[mrzAlphabet.length] ?? 0
      for (const character of allowedAt(format, row, column)) all += chanceOf(chances, row, column, character)
      const chance = chanceOf(chances, row, column, line[column] ?? '<') / Math.max(all, 1e-9)
      doubt += (1 - chance) * (checked.has(`${row} ${column}`) ? checked_weight : 1)
    }
  })
  return doubt
}

/** More than any zone that is worth a second thought. */
const hopeless = 99

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
  const cleared = clearNames(format, lines)
  lines = cleared ?? lines
  lines.forEach((line, row) => {
    for (let column = 0; column < columns; column++) {
      if (line[column] !== bestOf(chances, { row, column }, mrzAlphabet)) corrected++
    }
  })
  const doubt = cleared === null ? hopeless : doubtOf(format, lines, chances)
  return { format, lines, corrected, guessed, doubt, quality: quality / (rows * columns) }
}
