import { passesCheck } from './check_digits.ts'
import type { CheckGroup, LayoutName, Span } from './layouts.ts'
import { type Cell, getAlphabet, getProbability, type Probabilities } from './probabilities.ts'

/** The other readings worth trying: at least this share of the best one's chance. */
const minShare = 0.003
/** Two changes at once satisfy a check digit by chance far more often than one. */
const minPairShare = 0.1
/** How many times likelier a change must be than the next one that satisfies the check digit. */
const minLead = 5
const maxOptions = 14

interface Option extends Cell {
  readonly character: string
  readonly share: number
}

/** Puts a text into its place, in place. */
export function writeAt(lines: string[], { row, from }: Pick<Span, 'row' | 'from'>, text: string): void {
  const line = lines[row] ?? ''
  lines[row] = line.slice(0, from) + text + line.slice(from + text.length)
}

function listOptions(
  format: LayoutName,
  lines: readonly string[],
  chances: Probabilities,
  group: CheckGroup,
): Option[] {
  const options: Option[] = []
  for (const { row, from, to } of [...group.covers, group.at]) {
    for (let column = from; column < to; column++) {
      const now = lines[row]?.[column] ?? '<'
      const chance = Math.max(1e-6, getProbability(chances, { row, column }, now))
      for (const character of getAlphabet(format, { row, column })) {
        const share = getProbability(chances, { row, column }, character) / chance
        if (character !== now && share >= minShare) options.push({ row, column, character, share })
      }
    }
  }
  return options.sort((one, other) => other.share - one.share).slice(0, maxOptions)
}

/** One or two options taken together. */
interface Change {
  readonly options: readonly Option[]
  readonly share: number
}

function listChanges(options: readonly Option[]): Change[] {
  return options.flatMap((one, at) => {
    const pairs = options
      .slice(at + 1)
      .filter(other => other.row !== one.row || other.column !== one.column)
      .map(other => ({ options: [one, other], share: one.share * other.share }))
    return [{ options: [one], share: one.share }, ...pairs.filter(pair => pair.share >= minPairShare)]
  })
}

/** The likeliest change that makes a group's digit agree, if it is much likelier than any other that does. */
export function repairGroup(format: LayoutName, lines: string[], chances: Probabilities, group: CheckGroup): string[] {
  if (passesCheck(format, lines, group.name)) return lines
  const agreeing: { lines: string[]; share: number }[] = []
  for (const { options, share } of listChanges(listOptions(format, lines, chances, group))) {
    const tried = [...lines]
    for (const { row, column, character } of options) writeAt(tried, { row, from: column }, character)
    if (passesCheck(format, tried, group.name)) agreeing.push({ lines: tried, share })
  }
  const [best, second] = agreeing.sort((one, other) => other.share - one.share)
  if (best === undefined || (second !== undefined && second.share * minLead > best.share)) return lines
  return best.lines
}
