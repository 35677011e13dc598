import type { PrintField, PrintReading } from '@attestor/rules'
import { addYears, foldName, printFields } from '@attestor/rules/readings'
import { alikeSigns, fitNumber, partName, readBirthInside, readDay, readName, saysNever } from './field_values.ts'
import { foldText } from './fold.ts'
import type { FieldPlace, Layout, LayoutSide } from './layouts.ts'
import type { Corners } from './page.ts'
import {
  cutForeign,
  cutToSpan,
  findAt,
  findLabel,
  isSameRow,
  joinPieces,
  listColumn,
  listRight,
  locatePiece,
  matchTitle,
  type Piece,
  type PlacedLine,
  type Span,
  takePiece,
} from './placed_lines.ts'
import type { ReadLine } from './read_lines.ts'

/** The name of a field as it is printed: `full_name` is a surname with given names. */
type PlacedField = PrintField | 'full_name'

/** The fields in the order in which they are read: a number or a date may help to read the next one. */
const placedFields = [
  'document_number',
  'issue_date',
  'date_of_birth',
  'expiry_date',
  'full_name',
  'last_name',
  'first_name',
] as const satisfies readonly PlacedField[]

/** Reads a text as a field's value; null if it is none. */
type ReadValue = (piece: Piece) => string | null

/** The value of a field, its place, and the function that reads the text there. */
interface FoundField {
  readonly text: string
  readonly piece: Piece
  readonly read: ReadValue
}

/** Values of fields as they are printed on the document, and whether all of their characters are sure. */
type FieldTexts = ReadonlyMap<PlacedField, { readonly text: string; readonly isSure: boolean }>

/**
 * A character counts as read from this sureness on. A letter of a number, which no word confirms, is mistaken for
 * another most easily. In the numbers of 60 drawn licences, read twice, those of `alikeSigns` were at 0.53 and more,
 * and 4 of 658 were the other one; the rest, 614, were all right, one at 0.63 and the others at 0.88 and more.
 *
 * No form says what a name may be: on blurred photos CITIZEN was read as CHFIZEN, at 0.41 and 0.47, RAVI as RAVL, at 0.5
 * and 0.52, and Haq as Hag, at 0.64 and 0.73, where a J that is right may be at 0.52. The network takes a Chinese
 * character that it does not know for one like it: of 150 drawn, 19 were the same other one twice at 0.8 and more, 5 at
 * 0.98.
 */
const minSure = { any: 0.4, name: 0.5, alikeInName: 0.8, numberWithLetters: 0.8, chinese: 0.98 } as const
/** Letters that are read in place of another: g and q, and L for an I. */
const alikeInNames = 'gqL'
/**
 * The most that a Chinese character takes of its line, in heights. Where a line is wider one was left out: two of
 * three take 1.3 each, all of a name 1.0 at most.
 */
const chineseWidth = 1.05

/** Returns whether no character of a name in Chinese may be another, or be left out. */
function isSureChinese({ text, sures, left, right, lines }: Piece): boolean {
  const signs = [...text].filter(sign => sign !== ' ')
  const height = Math.max(...lines.map(line => line.height))
  return right - left <= chineseWidth * height * signs.length && sures.every(sure => sure >= minSure.chinese)
}

/** A line that comes this near to the picture's edge, in shares of its side, may go on beyond it. */
const edge = 0.005

function isAtEdge({ lines }: Piece): boolean {
  return lines.some(({ line }) => line.corners.flat().some(share => share < edge || share > 1 - edge))
}

/**
 * Returns whether a text is sure enough to be a field's. Signs that the form or the check of a number settles need not
 * be sure.
 */
function isSureText({ fields }: Layout, field: PlacedField, piece: Piece): boolean {
  const { text, sures } = piece
  if (isAtEdge(piece)) return false
  if (field.endsWith('_name') && /\p{Script=Han}/u.test(text)) return isSureChinese(piece)
  const { document_number: place } = fields
  const isFree = field === 'document_number' && /[A-Z]/i.test(text) && !place?.check && !place?.sums.length
  const settled = place?.forms.some(form => !form.includes('X')) ? alikeSigns : ''
  const isName = field.endsWith('_name')
  const leastOf = (sign: string): number => {
    if (isName) return alikeInNames.includes(sign) ? minSure.alikeInName : minSure.name
    return isFree && !settled.includes(sign.toUpperCase()) ? minSure.numberWithLetters : minSure.any
  }
  const isSure = (sign: string, at: number): boolean => (sures[at] ?? 0) >= leastOf(sign)
  return [...text].every((sign, at) => !/[\p{L}\p{N}]/u.test(sign) || isSure(sign, at))
}

/**
 * Returns the layout whose titles are printed: of several the one with most of their letters, null if two have as many.
 */
export function identifyLayout(layouts: readonly Layout[], lines: readonly PlacedLine[]): Layout | null {
  const known = new Map<string, number>()
  const measure = (title: string): number => {
    const found = known.get(title) ?? matchTitle(title, lines)
    known.set(title, found)
    return found
  }
  const scored = layouts.flatMap(layout => {
    if (layout.without.some(title => measure(title) > 0)) return []
    const scores = layout.titles.map(all => {
      const parts = all.map(measure)
      return parts.includes(0) ? 0 : parts.reduce((sum, part) => sum + part, 0)
    })
    const score = Math.max(...scores)
    return score === 0 ? [] : [{ layout, score }]
  })
  const best = Math.max(...scored.map(({ score }) => score))
  const [found, ...others] = scored.filter(({ score }) => score === best)
  return others.length === 0 ? (found?.layout ?? null) : null
}

/** A name is in one script: below it may stand the same name in another. */
function isLatin(text: string): boolean {
  return !/(?!\p{Script=Latin})\p{L}/u.test(text)
}

/** This stands in a date's place if the document has no such date. */
const never = 'NEVER'

/** Lists the ways to read a field's value, the strictest first. A torn text may lack a sign. */
function listReaders({ fields, isChecked, from_age }: Layout, field: PlacedField, issued: number): ReadValue[] {
  if (field === 'document_number') {
    const { document_number: place } = fields
    if (place === undefined) return []
    const read =
      (isLoose: boolean): ReadValue =>
      ({ text, isTorn }) => {
        const fitted = fitNumber(text, place, isChecked)
        if (fitted === null || (!fitted.isSure && (!isLoose || isTorn))) return null
        return isTorn && fitted.number.length !== text.replace(/[^A-Z\d]/gi, '').length ? null : fitted.number
      }
    // Without a label any line may be the number's: the form alone decides.
    return place.value === undefined ? [read(false)] : [read(false), read(true)]
  }
  if (field === 'last_name' || field === 'first_name' || field === 'full_name') {
    const place = fields[field]
    // A name without a label is recognised by its comma.
    const form = place?.value === undefined ? /^\p{L}[\p{L}'’ -]+,\s?\p{L}/u : /./
    return place === undefined
      ? []
      : [({ text, isTorn }) => (isTorn || !form.test(text) ? null : readName(text, place))]
  }
  const place = fields[field]
  if (place === undefined) return []
  const latest = { issue_date: 2090, date_of_birth: issued - from_age, expiry_date: 2099 }[field]
  const toYear = (twoDigits: number): number => (2000 + twoDigits <= latest ? 2000 : 1900) + twoDigits
  return [
    ({ text, isTorn }) => {
      if (saysNever(text, place)) return never
      // A torn date must have all its digits.
      return isTorn && !/^\d\d\D.*\D\d{4}$/.test(text) ? null : readDay(text, place, toYear)
    },
  ]
}

/** The place of a label on its line. */
interface Anchor extends Span {
  readonly line: PlacedLine
  readonly end: number
}

function toAnchor(line: PlacedLine, start = 0, end = line.text.length): Anchor {
  const { left, right } = takePiece(line, start, end)
  return { line, end, left, right }
}

/** One reading of a document: its fields by the labels that it sees. */
export class LayoutReading {
  readonly #layout: Layout
  readonly #lines: readonly PlacedLine[]
  readonly #labels: readonly string[]
  readonly #found = new Map<PlacedField, FoundField>()

  constructor(layout: Layout, lines: readonly PlacedLine[]) {
    this.#layout = layout
    this.#lines = layout.foreign_beside ? lines.map(cutForeign) : lines
    this.#labels = [...Object.values(layout.fields).flatMap(field => field?.labels ?? []), ...layout.others]
    for (const field of placedFields) this.#take(field)
  }

  /** The fields that it finds. */
  get own(): FieldTexts {
    const isSure = (field: PlacedField, piece: Piece): boolean => isSureText(this.#layout, field, piece)
    return new Map([...this.#found].map(([field, { text, piece }]) => [field, { text, isSure: isSure(field, piece) }]))
  }

  /** Whether it has all fields on which a decision rests. */
  get isComplete(): boolean {
    return Object.keys(this.#layout.fields).every(
      field => field === 'issue_date' || this.#found.has(field as PlacedField),
    )
  }

  /** The lines that its fields are on. */
  get lines(): readonly ReadLine[] {
    const lines = [...this.#found.values()].flatMap(({ piece }) => piece.lines.map(({ line }) => line))
    return [...new Set(lines)]
  }

  /** Returns the corners of a field's value in the picture; null if this reading does not find it. */
  locate(field: PlacedField): Corners | null {
    const found = this.#found.get(field)
    return found === undefined ? null : locatePiece(found.piece)
  }

  /** Returns whether a line begins with a field's label, or consists of it. */
  #isLabel(line: PlacedLine): boolean {
    return [...this.#labels, ...this.#layout.titles.flat()].some(label => {
      const found = findLabel(line, label)
      if (found === null) return false
      return label.startsWith('/') ? found.start === 0 : found.end - found.start > 0.6 * line.text.length
    })
  }

  #findAnchors({ labels, by }: FieldPlace): readonly Anchor[] {
    if (by === 'title') return this.#findTitle().map(line => toAnchor(line))
    const at = by === undefined ? undefined : this.#found.get(by as PlacedField)?.piece.lines[0]
    if (at !== undefined) return [toAnchor(at)]
    return this.#lines
      .flatMap(line =>
        labels.flatMap(label => {
          const found = findLabel(line, label)
          return found === null ? [] : [{ line, ...found }]
        }),
      )
      .sort((one, other) => one.errors - other.errors)
      .map(({ line, start, end }) => toAnchor(line, start, end))
  }

  /** Returns the lines of the title, the lowest first. */
  #findTitle(): PlacedLine[] {
    return this.#lines
      .filter(line => this.#layout.titles.flat().some(title => findLabel(line, title) !== null))
      .reverse()
  }

  /** Cuts out the rest of a line after a label, up to another field's. */
  #cutRest(line: PlacedLine, end: number): Piece {
    const from = end + (/^[\s.:;,/|：-]+/.exec(line.text.slice(end))?.[0].length ?? 0)
    const rest = line.text.slice(from)
    const starts = this.#labels
      .filter(label => label.startsWith('/'))
      .flatMap(label => findLabel({ text: rest, folded: { text: '', places: [] } }, label)?.start ?? [])
      .filter(start => start > 0)
    return takePiece(line, from, from + Math.min(rest.length, ...starts))
  }

  /** Lists the texts to the right of a label: all of it, or the shortest first. */
  #listRight({ line, end }: Anchor, isShort: boolean): Piece[] {
    const right = listRight(line, this.#lines)
    const until = right.findIndex(one => this.#isLabel(one))
    const others = (until === -1 ? right : right.slice(0, until)).map(one => takePiece(one))
    const [first, ...more] = [this.#cutRest(line, end), ...others].filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
    if (first === undefined) return []
    const all = [first]
    for (const next of more) {
      const last = all.at(-1) ?? first
      const [height = 0, nextHeight = 0] = [...first.lines, ...next.lines].map(one => one.height)
      // A text that stands apart, or is of another size, is print of the paper.
      if (next.left - last.right > 2 * height || Math.abs(nextHeight - height) > 0.4 * height) break
      all.push(next)
    }
    return isShort ? all.map((_, n) => joinPieces(all.slice(0, n + 1))) : [joinPieces(all)]
  }

  /** Returns the column of a label, up to the next text beside it. */
  #findColumn({ line, end, left, right }: Anchor): Span {
    const beside = listRight(line, this.#lines).filter(one => one.left > right)
    const labels = this.#labels.flatMap(label => {
      const found = findLabel(line, label)
      return found !== null && found.start >= end ? (line.places[found.start] ?? []) : []
    })
    return { left, right: Math.min(Number.POSITIVE_INFINITY, ...beside.map(one => one.left), ...labels) }
  }

  #listColumn(anchor: Anchor, way: 'ABOVE' | 'BELOW', reach: number): Piece[] {
    const column = this.#findColumn(anchor)
    return listColumn(anchor.line, this.#lines, { way, reach, span: anchor }).flatMap(one => {
      if (this.#isLabel(one)) return []
      const part = cutToSpan(one, column)
      const whole = takePiece(one)
      // A text of which no part is in the column stands beside it.
      if (part.text === '') return []
      return part.text === whole.text ? [whole] : [part, whole]
    })
  }

  /** Lists the texts that may be a field's value, the likeliest first. */
  #list(place: FieldPlace, isShort: boolean): Piece[] {
    const { value } = place
    if (value === undefined) return this.#lines.map(line => takePiece(line))
    return this.#findAnchors(place).flatMap(anchor =>
      value === 'RIGHT' ? this.#listRight(anchor, isShort) : this.#listColumn(anchor, value, place.reach),
    )
  }

  /** Adds the next rows of a name, as far as these are no field's. */
  #goOn(piece: Piece, { rows }: FieldPlace): Piece {
    const [at] = piece.lines
    if (at === undefined || rows === 1) return piece
    const more: PlacedLine[] = []
    let last = at
    for (const next of listColumn(at, this.#lines, { way: 'BELOW', reach: 2 * rows })) {
      if (more.length === rows - 1) break
      const isNext =
        next.middle - last.middle < 1.9 * last.height && Math.abs(next.height - at.height) < 0.4 * at.height
      const isOther = this.#lines.some(one => one.left < next.left && isSameRow(one, next) && this.#isLabel(one))
      if (!isNext || isOther || this.#isLabel(next) || isLatin(next.text) !== isLatin(at.text) || /\d/.test(next.text))
        break
      more.push(next)
      last = next
    }
    return more.length === 0 ? piece : joinPieces([piece, ...more.map(line => takePiece(line))])
  }

  /**
   * Takes the first text that can be read as the value. The nearest text to a name's label is the name: if it can't be
   * read, the next one is another field's.
   */
  #take(field: PlacedField): void {
    const place = this.#layout.fields[field]
    if (place === undefined) return
    const isNearest = field.endsWith('_name') && place.value !== undefined
    const all = this.#list(place, field.includes('date'))
    const nearest = all.find(({ text }) => /\p{L}{2}/u.test(text))
    const issued = Number(this.#found.get('issue_date')?.text.slice(0, 4) ?? 2000)
    for (const read of listReaders(this.#layout, field, issued))
      for (const found of all) {
        if (isNearest && found.lines[0] !== nearest?.lines[0]) continue
        const piece = this.#goOn(found, place)
        const text = read(piece)
        if (text === null) continue
        this.#found.set(field, { text, piece, read })
        return
      }
  }

  /** Returns this reading's text at a place where another one found a field. */
  #findThere({ labels, value }: FieldPlace, { lines, left, right }: Piece): Piece {
    const parts = findAt(lines, this.#lines).map(line => {
      // In this reading the label may be one line with the value.
      const ends = value === 'RIGHT' ? labels.flatMap(label => findLabel(line, label)?.end ?? []) : []
      return ends.length > 0 ? this.#cutRest(line, Math.max(...ends)) : cutToSpan(line, { left, right })
    })
    return joinPieces(parts)
  }

  /** Reads the fields at the places where another reading found them. */
  readElsewhere(other: LayoutReading): FieldTexts {
    const texts = [...other.#found].flatMap(([field, { piece, read }]) => {
      const place = this.#layout.fields[field]
      const here = place && this.#findThere(place, piece)
      const text = here && here.text !== '' ? read(here) : null
      if (here === undefined || text === null) return []
      return [[field, { text, isSure: isSureText(this.#layout, field, here) }] as const]
    })
    return new Map(texts)
  }
}

/** Values of the fields that a document is known by; null for those that it does not have. */
type Fields = Record<PrintField, string | null>

/**
 * Converts printed texts into the fields that they mean: a whole name is parted, and a birth is taken from the number.
 */
function toFields({ fields }: Layout, read: (field: PlacedField) => string | null): Fields {
  const day = (field: PrintField): string | null => (read(field) === never ? null : read(field))
  const [number, full] = [read('document_number'), read('full_name')]
  const { full_name: place, document_number: numberPlace } = fields
  const names =
    full !== null && place !== undefined
      ? partName(full, place)
      : { last_name: read('last_name')?.toUpperCase() ?? null, first_name: read('first_name')?.toUpperCase() ?? null }
  return {
    ...names,
    document_number: number,
    issue_date: day('issue_date'),
    expiry_date: day('expiry_date'),
    date_of_birth: day('date_of_birth') ?? (number && numberPlace ? readBirthInside(number, numberPlace) : null),
  }
}

/** Returns whether the dates can be those of one document. A misread digit seldom leaves them so. */
function areDatesPossible(
  { date_of_birth: birth, issue_date: issue, expiry_date: expiry }: Fields,
  { from_age, valid_years }: Layout,
): boolean {
  // A date of birth without its century can't be compared.
  const isWhole = birth?.length !== 6
  if (isWhole && birth !== null && issue !== null && addYears(birth, from_age) > issue) return false
  if (issue !== null && expiry !== null && (issue >= expiry || expiry > addYears(issue, valid_years))) return false
  return !isWhole || birth === null || expiry === null || birth < expiry
}

/** Lists the fields that this document does not have, by its layout or by its own words. */
function listUnprinted({ fields }: Layout, texts: Fields, isNever: boolean): PrintReading['not_printed'] {
  return [
    ...(fields.full_name !== undefined && texts.last_name !== null ? (['first_name'] as const) : []),
    ...(fields.date_of_birth === undefined ? (['date_of_birth'] as const) : []),
    ...(fields.expiry_date === undefined || isNever ? (['expiry_date'] as const) : []),
  ].filter(field => texts[field] === null)
}

/** Returns whether no sign in a number may be another one, and the birth inside it is the printed one. */
function isNumberSure(layout: Layout, { document_number: number, date_of_birth: birth }: Fields): boolean {
  const { document_number: place } = layout.fields
  if (number === null || place === undefined) return false
  const inside = readBirthInside(number, place)
  const agrees =
    inside === null || birth === null || birth.endsWith(inside) || birth.replaceAll('-', '').endsWith(inside)
  return agrees && (fitNumber(number, place, layout.isChecked)?.isSure ?? false)
}

function countWords(name: string): number {
  return name.split(/[ ,-]+/).length
}

/**
 * Returns the part of a text that must be the same in each reading. A space is often not seen where a line is cut
 * closely (12 of 56 readings of drawn names), and none was seen that is not there (0 of 115): so they are not compared,
 * and the reading with the most of them counts.
 */
function toComparable(layout: Layout, field: PlacedField, text: string): string {
  if (!field.endsWith('_name')) return text
  const { full_name: place } = layout.fields
  const { last_name, first_name } =
    place?.surname === 'BEFORE_COMMA' ? partName(text, place) : { last_name: text, first_name: null }
  // A folded name has no letters of other scripts.
  const fold = (name: string): string => (isLatin(name) ? foldName(name) : foldText(name).text)
  return [last_name, first_name].map(name => fold((name ?? '').replace(/[\s-]/g, ''))).join(',')
}

/** The readings of one side of a document. */
export interface SideReadings {
  readonly first: LayoutReading
  readonly second: LayoutReading
  /** These readings can only contradict: if they agree, that proves nothing. */
  readonly others?: readonly LayoutReading[]
}

/**
 * Returns what the readings of one side say: each by its own labels, and at the places where the other found a field.
 */
function compareReadings({ first, second, others = [] }: SideReadings) {
  const pairs = [
    [first.own, first.readElsewhere(second)],
    [second.own, second.readElsewhere(first)],
  ] as const
  return { pairs, others: others.map(other => other.readElsewhere(first)) }
}

/** Merges a field's texts in all readings, and decides whether two readings agree on it. */
function mergeField(
  layout: Layout,
  field: PlacedField,
  { pairs, others }: ReturnType<typeof compareReadings>,
): { readonly text: string | null; readonly isAlike: boolean } {
  const said = [...pairs.flat(), ...others].flatMap(texts => texts.get(field)?.text ?? [])
  const [text = null] = field.endsWith('_name')
    ? said.toSorted((one, other) => countWords(other) - countWords(one))
    : said
  const isTwice = pairs.every(pair => pair.some(texts => texts.get(field)?.isSure))
  return { text, isAlike: isTwice && new Set(said.map(one => toComparable(layout, field, one))).size === 1 }
}

/** Returns the printed field that has a field: a name may be part of a whole one, and a birth of the number. */
function findPlaced({ fields }: Layout, field: PrintField): PlacedField {
  if (fields[field] !== undefined) return field
  if (field === 'date_of_birth') return 'document_number'
  return field === 'last_name' || field === 'first_name' ? 'full_name' : field
}

/**
 * Returns the fields on which two readings of each side of a document agree. Each is also read at the places where the
 * other found a field: then a label that one of them misses does not matter. A field counts only if neither these nor
 * another reading at those places contradict it.
 */
export function mergeReadings(layout: Layout, front: SideReadings, back: SideReadings | null = null): PrintReading {
  const sides = { FRONT: compareReadings(front), BACK: back && compareReadings(back) }
  const merged = new Map(
    placedFields.map(field => {
      const side = sides[layout.fields[field]?.side ?? 'FRONT']
      return [field, side === null ? { text: null, isAlike: false } : mergeField(layout, field, side)]
    }),
  )
  const read = (field: PlacedField): string | null => merged.get(field)?.text ?? null
  const values = toFields(layout, read)
  const isDated = areDatesPossible(values, layout)
  const isSure = (field: PrintField): boolean => {
    if (values[field] === null || !merged.get(findPlaced(layout, field))?.isAlike) return false
    if (field === 'document_number') return isNumberSure(layout, values)
    return isDated || !field.includes('date')
  }
  return {
    layout: layout.name,
    document_type: layout.document_type,
    issuing_country: layout.country,
    ...values,
    not_printed: listUnprinted(layout, values, read('expiry_date') === never),
    confirmed: printFields.filter(isSure),
  }
}

/** The corners of fields in the picture of their side. */
export type FieldCorners = Readonly<Partial<Record<PrintField, Corners>>>

/** Returns the places of the fields that were read on one side. */
export function locateFields(
  layout: Layout,
  side: LayoutSide,
  { first, second }: SideReadings,
  reading: PrintReading,
): FieldCorners {
  const found = printFields.flatMap(field => {
    const placed = findPlaced(layout, field)
    if (reading[field] === null || layout.fields[placed]?.side !== side) return []
    const corners = first.locate(placed) ?? second.locate(placed)
    return corners === null ? [] : [[field, corners] as const]
  })
  return Object.fromEntries(found)
}
