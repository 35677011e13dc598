import { fitHomography, project } from '../geometry/homography.ts'
import { type FoldedText, findAlike, foldText, mergeAlike } from './fold.ts'
import type { Corners } from './page.ts'
import type { ReadLine } from './read_lines.ts'

/** A line as it stands on its level page. */
export interface PlacedLine {
  readonly line: ReadLine
  readonly text: string
  /** The sureness of each character of the text, and its place from the left. */
  readonly sures: readonly number[]
  readonly places: readonly number[]
  readonly folded: FoldedText
  readonly left: number
  readonly right: number
  readonly middle: number
  readonly height: number
}

/** Places the lines on the page turned level, from the top. */
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
      const left = across - width / 2
      const text = line.words.map(word => word.text).join(' ')
      return {
        line,
        text,
        sures: line.words.flatMap(({ sures }, n) => (n === 0 ? sures : [1, ...sures])),
        places: line.words.flatMap(({ places }, n) => {
          const own = places.map(place => left + place * width)
          // A space stands before its word.
          return n === 0 ? own : [own[0] ?? left, ...own]
        }),
        folded: foldText(text),
        left,
        right: across + width / 2,
        middle: y * ux - x * uy,
        height,
      }
    })
    .sort((one, other) => one.middle - other.middle)
}

/** One of this many characters of a label or a title may be misread. */
const perError = 6

/** The place of a label in its line's text. */
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
  const found = findAlike(mergeAlike(folded.text), mergeAlike(wanted), Math.floor(wanted.length / perError))
  if (found === null || wanted === '') return null
  // A short label counts only if a line begins with it: its letters are in many words.
  if (found.from > 2 && wanted.length < perError) return null
  const start = folded.places[found.from] as number
  return { start, end: (folded.places[found.to - 1] as number) + 1, errors: found.errors }
}

/** Returns the number of a title's letters if it is printed, else 0. */
export function matchTitle(title: string, lines: readonly PlacedLine[]): number {
  const wanted = foldText(title).text
  const most = Math.floor(wanted.length / perError)
  const all = lines.map(({ folded }) => mergeAlike(folded.text))
  // A title may take two rows.
  const isPrinted = [...all, ...all.slice(1).map((text, n) => all[n] + text)].some(
    text => findAlike(text, mergeAlike(wanted), most) !== null,
  )
  return isPrinted ? wanted.length : 0
}

export function isSameRow(one: PlacedLine, other: PlacedLine): boolean {
  return Math.abs(one.middle - other.middle) < 0.6 * Math.min(one.height, other.height)
}

function doOverlap(one: PlacedLine, other: PlacedLine): boolean {
  const both = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  return both > Math.min(one.height, other.height)
}

/**
 * Lists the lines to the right of one, in its row. Where rows are close, a line of the next one may look like one of this
 * row; but of two that stand one above the other only the nearer is.
 */
export function listRight(of: PlacedLine, lines: readonly PlacedLine[]): PlacedLine[] {
  const distance = ({ middle }: PlacedLine): number => Math.abs(middle - of.middle)
  const row: PlacedLine[] = []
  for (const one of lines.toSorted((one, other) => distance(one) - distance(other))) {
    const isRight = one !== of && one.left > of.left && isSameRow(one, of)
    if (isRight && !row.some(nearer => doOverlap(nearer, one))) row.push(one)
  }
  return row.sort((one, other) => one.left - other.left)
}

/** The left and the right end of something on a level page. */
export interface Span {
  readonly left: number
  readonly right: number
}

/** Lists the lines above or below one in the column of a span, up to so many of its heights away, the nearest first. */
export function listColumn(
  of: PlacedLine,
  lines: readonly PlacedLine[],
  { way, reach, span = of }: { readonly way: 'ABOVE' | 'BELOW'; readonly reach: number; readonly span?: Span },
): PlacedLine[] {
  const sign = way === 'BELOW' ? 1 : -1
  const isIn = (one: PlacedLine): boolean => {
    const apart = sign * (one.middle - of.middle)
    return (
      apart > 0.4 * Math.min(one.height, of.height) &&
      apart < reach * Math.max(one.height, of.height) &&
      one.left < span.right &&
      one.right > span.left
    )
  }
  return lines.filter(isIn).sort((one, other) => sign * (one.middle - other.middle))
}

/** A part of the text of some lines. */
export interface Piece extends Span {
  readonly text: string
  /** The sureness of each of its characters, 0 to 1. */
  readonly sures: readonly number[]
  readonly lines: readonly PlacedLine[]
  /** Whether the text was cut within a word: one of its letters may be missing then. */
  readonly isTorn: boolean
}

/** Takes some characters of a line. */
export function takePiece(line: PlacedLine, from = 0, to = line.text.length, isTorn = false): Piece {
  const blank = /^\s*/.exec(line.text.slice(from, to))?.[0].length ?? 0
  const start = from + blank
  const text = line.text.slice(start, to).trimEnd()
  const end = start + text.length
  const half = (line.right - line.left) / Math.max(1, line.text.length) / 2
  return {
    text,
    sures: line.sures.slice(start, end),
    lines: [line],
    left: start === 0 ? line.left : (line.places[start] ?? line.right) - half,
    right: end === line.text.length ? line.right : (line.places[end - 1] ?? line.left) + half,
    isTorn,
  }
}

export function joinPieces(pieces: readonly Piece[]): Piece {
  const said = pieces.filter(({ text }) => text !== '')
  return {
    text: said.map(({ text }) => text).join(' '),
    sures: said.flatMap(({ sures }, n) => (n === 0 ? sures : [1, ...sures])),
    lines: said.flatMap(({ lines }) => lines),
    left: Math.min(...said.map(({ left }) => left)),
    right: Math.max(...said.map(({ right }) => right)),
    isTorn: said.some(({ isTorn }) => isTorn),
  }
}

/** Returns the corners of a piece in the picture: the plane is that of its lines. */
export function locatePiece({ lines, left, right }: Piece): Corners | null {
  const top = Math.min(...lines.map(({ middle, height }) => middle - height / 2))
  const bottom = Math.max(...lines.map(({ middle, height }) => middle + height / 2))
  const pairs = lines.flatMap(line => {
    const [x, y] = [line.left - left, line.middle - top]
    const [across, down] = [x + line.line.box.width, line.height / 2]
    const [a, b, c, d] = line.line.corners
    return [
      { from: [x, y - down], to: a },
      { from: [across, y - down], to: b },
      { from: [across, y + down], to: c },
      { from: [x, y + down], to: d },
    ] as const
  })
  const map = fitHomography(pairs)
  if (map === null) return null
  const [width, height] = [right - left, bottom - top]
  return [project(map, 0, 0), project(map, width, 0), project(map, width, height), project(map, 0, height)]
}

/**
 * Letters of a script that the network does not read make words of this mean sureness at most: of 6 drawn Urdu names
 * the words were at 0.40 to 0.79, some Latin ones beside them at 0.76. The space before is wider than those between
 * words by this much at least: by 1.27 to 2.3. A space between words is this wide in heights of the line. A stroke alone
 * is an alef, which was read as an l at 0.81 and 0.9.
 */
const foreign = { mostSure: 0.8, wider: 1.2, space: 0.75, strokes: /^[lI|!1]$/ } as const

/**
 * Cuts off words at the end of a line in a script that the network does not read. If a word may be of either, no
 * character of the line is sure.
 */
export function cutForeign(line: PlacedLine): PlacedLine {
  const { text, sures, places, height } = line
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => {
    const own = sures.slice(index, index + word.length)
    const space = index === 0 ? 0 : ((places[index] ?? 0) - (places[index - 2] ?? 0)) / height
    const isUnsure = own.reduce((sum, one) => sum + one, 0) < foreign.mostSure * own.length
    return { index, space, isForeign: isUnsure || foreign.strokes.test(word) }
  })
  if (!words.some(({ isForeign }) => isForeign)) return line
  const from = words.findIndex(({ isForeign }, n) => n > 0 && isForeign && words.slice(n).every(word => word.isForeign))
  const before = words.slice(1, Math.max(1, from)).map(({ space }) => space)
  const usual = before.length > 0 ? before.reduce((sum, one) => sum + one, 0) / before.length : foreign.space
  const isApart = (words[from]?.space ?? 0) > foreign.wider * usual
  if (from === -1 || !isApart) return { ...line, sures: sures.map(() => 0) }
  const end = (words[from]?.index ?? 0) - 1
  const own = text.slice(0, end)
  const right = ((places[end - 1] ?? line.right) + (places[end + 1] ?? line.right)) / 2
  return { ...line, text: own, sures: sures.slice(0, end), places: places.slice(0, end), folded: foldText(own), right }
}

/** A space up to this many characters away may be the one at which two columns part. */
const nearSpace = 2
/**
 * Columns part where characters are this many times as far apart as on the mean of the line. Between two words of a
 * name it is less than twice: what is cut off there would be a part of the name.
 */
const columnGap = 2.5

/**
 * Cuts out the part of a line that stands in a column: two columns that are close to each other are often read as one
 * line.
 */
export function cutToSpan(line: PlacedLine, { left, right }: Span): Piece {
  const { text, places } = line
  const advance = (line.right - line.left) / Math.max(1, text.length)
  const cut = (edge: number): { readonly at: number; readonly isTorn: boolean } => {
    const found = places.findIndex(place => place >= edge)
    const at = found === -1 ? text.length : found
    const spaces = [...text.matchAll(/\s/g)].map(({ index }) => index).filter(one => Math.abs(one - at) <= nearSpace)
    const nearest = spaces.sort((one, other) => Math.abs(one - at) - Math.abs(other - at))[0]
    if (nearest === undefined) return { at, isTorn: at > 0 && at < text.length }
    const gap = (places[nearest + 1] ?? line.right) - (places[nearest - 1] ?? line.left)
    return { at: nearest, isTorn: gap < columnGap * advance }
  }
  const from = line.left < left - nearSpace * advance ? cut(left) : { at: 0, isTorn: false }
  const to = line.right > right + nearSpace * advance ? cut(right) : { at: text.length, isTorn: false }
  return takePiece(line, from.at, to.at, from.isTorn || to.isTorn)
}

/** Returns the lines of another reading at the places of these. */
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
