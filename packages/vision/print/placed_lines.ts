import { type FoldedText, findAlike, foldText } from './fold.ts'
import type { ReadLine } from './read_lines.ts'

/** A line as it stands on its level page. */
export interface PlacedLine {
  readonly line: ReadLine
  readonly text: string
  readonly folded: FoldedText
  readonly left: number
  readonly right: number
  readonly middle: number
  readonly height: number
}

/** The lines on the page turned level, from the top. */
export function placeLines(lines: readonly ReadLine[]): PlacedLine[] {
  const leans = lines
    .filter(({ box }) => box.width > 3 * box.height)
    .map(({ box: { along } }) => Math.atan2(along[1], along[0]))
    .sort((one, other) => one - other)
  const lean = leans[leans.length >> 1] ?? 0
  const [ux, uy] = [Math.cos(lean), Math.sin(lean)]
  return lines
    .map(line => {
      const { x, y, width, height } = line.box
      const across = x * ux + y * uy
      const text = line.words.map(word => word.text).join(' ')
      const folded = foldText(text)
      return {
        line,
        text,
        folded,
        left: across - width / 2,
        right: across + width / 2,
        middle: y * ux - x * uy,
        height,
      }
    })
    .sort((one, other) => one.middle - other.middle)
}

/** Of so many characters of a label or a title one may be misread. */
const perError = 6

/** Where a label stands in its line's text. */
export interface FoundLabel {
  readonly start: number
  readonly end: number
  readonly errors: number
}

export function findLabel({ folded, text }: Pick<PlacedLine, 'folded' | 'text'>, label: string): FoundLabel | null {
  const pattern = /^\/(.*)\/$/.exec(label)?.[1]
  if (pattern !== undefined) {
    const found = new RegExp(`(?<!\\S)(?:${pattern})`, 'i').exec(text)
    return found === null ? null : { start: found.index, end: found.index + found[0].length, errors: 0 }
  }
  const wanted = foldText(label).text
  const found = findAlike(folded.text, wanted, Math.floor(wanted.length / perError))
  if (found === null || wanted === '') return null
  // A short label counts only where a line begins with it: its letters are in many words.
  if (found.from > 2 && wanted.length < perError) return null
  const start = folded.places[found.from] as number
  return { start, end: (folded.places[found.to - 1] as number) + 1, errors: found.errors }
}

/** How much of a title's letters are printed on one line: its length, or 0. */
export function matchTitle(title: string, lines: readonly PlacedLine[]): number {
  const wanted = foldText(title).text
  const most = Math.floor(wanted.length / perError)
  const all = lines.map(({ folded }) => folded.text)
  // A title may take two rows.
  const isPrinted = [...all, ...all.slice(1).map((text, n) => all[n] + text)].some(
    text => findAlike(text, wanted, most) !== null,
  )
  return isPrinted ? wanted.length : 0
}

export function isSameRow(one: PlacedLine, other: PlacedLine): boolean {
  return Math.abs(one.middle - other.middle) < 0.6 * Math.min(one.height, other.height)
}

/** The lines to the right of one, in its row. */
export function listRight(of: PlacedLine, lines: readonly PlacedLine[]): PlacedLine[] {
  return lines
    .filter(one => one !== of && one.left > of.left && isSameRow(one, of))
    .sort((one, other) => one.left - other.left)
}

/** The lines above or below one in its column, up to so many of its heights away; the nearest first. */
export function listColumn(
  of: PlacedLine,
  lines: readonly PlacedLine[],
  { way, reach }: { readonly way: 'ABOVE' | 'BELOW'; readonly reach: number },
): PlacedLine[] {
  const sign = way === 'BELOW' ? 1 : -1
  const isIn = (one: PlacedLine): boolean => {
    const apart = sign * (one.middle - of.middle)
    return (
      apart > 0.4 * Math.min(one.height, of.height) &&
      apart < reach * Math.max(one.height, of.height) &&
      one.left < of.right &&
      one.right > of.left
    )
  }
  return lines.filter(isIn).sort((one, other) => sign * (one.middle - other.middle))
}

/** How sure the least sure character of some lines is. */
export function measureSureness(lines: readonly PlacedLine[]): number {
  return Math.min(1, ...lines.flatMap(({ line }) => line.words.map(({ sure }) => sure)))
}

/** The lines of another reading at the places of these. */
export function findAt(places: readonly PlacedLine[], lines: readonly PlacedLine[]): PlacedLine[] {
  const isAt = (one: PlacedLine, at: PlacedLine): boolean => {
    const shared = Math.min(one.right, at.right) - Math.max(one.left, at.left)
    const least = Math.min(one.right - one.left, at.right - at.left)
    return Math.abs(one.middle - at.middle) < 0.5 * at.height && shared > 0.5 * least
  }
  return places
    .flatMap(at => lines.filter(one => isAt(one, at)).sort((one, other) => one.left - other.left))
    .filter((one, n, all) => all.indexOf(one) === n)
}
