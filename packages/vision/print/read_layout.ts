import { addYears, foldName, type PrintField, type PrintReading, printFields } from '@attestor/rules'
import { fitNumber, partName, readBirthInside, readDay, readName, saysNever } from './field_values.ts'
import { foldText } from './fold.ts'
import type { FieldPlace, Layout } from './layouts.ts'
import {
  findAt,
  findLabel,
  isSameRow,
  listColumn,
  listRight,
  matchTitle,
  measureSureness,
  type PlacedLine,
} from './placed_lines.ts'

/** What may be a field's value: the lines that it stands on, and what of them. */
interface Candidate {
  readonly text: string
  readonly lines: readonly PlacedLine[]
}

/** One reading of a document; null where it has nothing. */
type FieldTexts = Record<PrintField, string | null>

/** Fields as they stand on documents. */
type PlacedField = PrintField | 'full_name'

/** The lines of a field's value, and how its text becomes one. */
interface FoundField {
  readonly lines: readonly PlacedLine[]
  readonly read: (text: string) => string | null
}

interface Reading {
  readonly texts: FieldTexts
  readonly found: ReadonlyMap<PlacedField, FoundField>
  /** The dates that the document says it has not. */
  readonly never: readonly PrintField[]
  readonly lines: readonly PlacedLine[]
}

const noTexts: FieldTexts = {
  last_name: null,
  first_name: null,
  date_of_birth: null,
  issue_date: null,
  expiry_date: null,
  document_number: null,
}

/** The layout whose titles are printed: of several the one with most of their letters, null where two have as many. */
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

/** What stands in a date's place where there is none. */
const never = 'NEVER'

/** Reads the fields of one reading of a document. */
class LayoutReading {
  readonly #layout: Layout
  readonly #lines: readonly PlacedLine[]
  readonly #labels: readonly string[]
  readonly #found = new Map<PlacedField, FoundField>()

  constructor(layout: Layout, lines: readonly PlacedLine[]) {
    this.#layout = layout
    this.#lines = lines
    this.#labels = [...Object.values(layout.fields).flatMap(field => field?.labels ?? []), ...layout.others]
  }

  /** Whether a line begins with what a field is called, or says nothing else. */
  #isLabel(line: PlacedLine): boolean {
    return [...this.#labels, ...this.#layout.titles.flat()].some(label => {
      const found = findLabel(line, label)
      if (found === null) return false
      return label.startsWith('/') ? found.start === 0 : found.end - found.start > 0.6 * line.text.length
    })
  }

  #findAnchors({ labels, by }: FieldPlace): readonly (readonly [line: PlacedLine, end: number])[] {
    if (by === 'title') return this.#findTitle().map(line => [line, line.text.length] as const)
    const at = by === undefined ? undefined : this.#found.get(by as PlacedField)?.lines[0]
    if (at !== undefined) return [[at, at.text.length]]
    return this.#lines
      .flatMap(line =>
        labels.flatMap(label => {
          const found = findLabel(line, label)
          return found === null ? [] : [{ line, ...found }]
        }),
      )
      .sort((one, other) => one.errors - other.errors)
      .map(({ line, end }) => [line, end] as const)
  }

  /** The lines of the title, the lowest first. */
  #findTitle(): PlacedLine[] {
    return this.#lines
      .filter(line => this.#layout.titles.flat().some(title => findLabel(line, title) !== null))
      .reverse()
  }

  /** The rest of a line after a label, up to another field's. */
  #cutRest(text: string, end: number): string {
    const rest = text.slice(end).replace(/^[\s.:;,/|-]+/, '')
    const starts = this.#labels
      .filter(label => label.startsWith('/'))
      .flatMap(label => findLabel({ text: rest, folded: { text: '', places: [] } }, label)?.start ?? [])
      .filter(start => start > 0)
    return rest.slice(0, Math.min(rest.length, ...starts)).trim()
  }

  #listRight(line: PlacedLine, end: number): Candidate[] {
    const rest = this.#cutRest(line.text, end)
    const right = listRight(line, this.#lines)
    const until = right.findIndex(one => this.#isLabel(one))
    const others = until === -1 ? right : right.slice(0, until)
    const all = rest === '' ? others : [line, ...others]
    const text = [rest, ...others.map(one => one.text)].filter(Boolean).join(' ')
    return text === '' ? [] : [{ text, lines: all }]
  }

  /** What may be a field's value, the likeliest first. */
  #list(place: FieldPlace): Candidate[] {
    const { value } = place
    const whole = (line: PlacedLine): Candidate => ({ text: line.text, lines: [line] })
    if (value === undefined) return this.#lines.map(whole)
    return this.#findAnchors(place).flatMap(([line, end]) =>
      value === 'RIGHT'
        ? this.#listRight(line, end)
        : listColumn(line, this.#lines, { way: value, reach: place.reach }).flatMap(one =>
            this.#isLabel(one) ? [] : [whole(one)],
          ),
    )
  }

  /** A name goes on in the next rows, as far as these are no field's. */
  #goOn({ text, lines }: Candidate, { rows }: FieldPlace): Candidate {
    const all = [...lines]
    const [at] = lines
    let last = at
    for (const next of at === undefined || rows === 1
      ? []
      : listColumn(at, this.#lines, { way: 'BELOW', reach: 2 * rows })) {
      if (last === undefined || at === undefined || all.length - lines.length === rows - 1) break
      const isNext =
        next.middle - last.middle < 1.9 * last.height && Math.abs(next.height - at.height) < 0.4 * at.height
      const isOther = this.#lines.some(one => one.left < next.left && isSameRow(one, next) && this.#isLabel(one))
      if (!isNext || isOther || this.#isLabel(next) || /\d/.test(next.text)) break
      all.push(next)
      last = next
    }
    return { text: [text, ...all.slice(lines.length).map(one => one.text)].join(' '), lines: all }
  }

  #take(field: PlacedField, read: (text: string) => string | null): string | null {
    const place = this.#layout.fields[field]
    if (place === undefined) return null
    const labels = place.labels
    /** Of another reading the label may be one line with the value. */
    const readBare = (text: string): string | null => {
      const ends = labels.flatMap(label => findLabel({ text, folded: foldText(text) }, label)?.end ?? [])
      return read(place.value === 'RIGHT' ? this.#cutRest(text, Math.max(0, ...ends)) : text)
    }
    for (const found of this.#list(place)) {
      const whole = this.#goOn(found, place)
      const value = read(whole.text)
      if (value === null) continue
      this.#found.set(field, { lines: whole.lines, read: readBare })
      return value
    }
    return null
  }

  #takeName(field: 'last_name' | 'first_name' | 'full_name'): string | null {
    const place = this.#layout.fields[field]
    if (place === undefined) return null
    // A name that nothing stands by is known by its comma.
    const needsComma = place.value === undefined
    return this.#take(field, text =>
      needsComma && !/^\p{L}{2,}\s?,\s?\p{L}/u.test(text) ? null : readName(text, place),
    )
  }

  #takeDay(
    field: 'date_of_birth' | 'issue_date' | 'expiry_date',
    toYear: (twoDigits: number) => number,
  ): string | null {
    const place = this.#layout.fields[field]
    if (place === undefined) return null
    return this.#take(field, text => (saysNever(text, place) ? never : readDay(text, place, toYear)))
  }

  read(): Reading {
    const { fields, isChecked, from_age } = this.#layout
    const { document_number: number, full_name } = fields
    const document_number =
      number === undefined
        ? null
        : this.#take('document_number', text => {
            const fitted = fitNumber(text, number, isChecked)
            // Without a label any line may be its: the form alone says which.
            return fitted !== null && (fitted.isSure || number.value !== undefined) ? fitted.number : null
          })
    const issue_date = this.#takeDay('issue_date', year => (year > 90 ? 1900 : 2000) + year)
    const issued = Number(issue_date?.slice(0, 4) ?? 2000)
    const birth = this.#takeDay('date_of_birth', year => (2000 + year <= issued - from_age ? 2000 : 1900) + year)
    const expiry = this.#takeDay('expiry_date', year => 2000 + year)
    const whole = this.#takeName('full_name')
    const names = whole === null || full_name === undefined ? null : partName(whole, full_name)
    const dates = { issue_date, date_of_birth: birth, expiry_date: expiry }
    const inside = document_number === null || number === undefined ? null : readBirthInside(document_number, number)
    return {
      texts: {
        document_number,
        last_name: names?.last_name ?? this.#takeName('last_name'),
        first_name: names === null ? this.#takeName('first_name') : names.first_name,
        issue_date: issue_date === never ? null : issue_date,
        expiry_date: expiry === never ? null : expiry,
        date_of_birth: birth === never ? null : (birth ?? toDay(inside)),
      },
      found: this.#found,
      never: (Object.keys(dates) as (keyof typeof dates)[]).filter(field => dates[field] === never),
      lines: this.#lines,
    }
  }
}

/** A birth inside a number as a day, or `YYMMDD` where it says no century. */
function toDay(digits: string | null): string | null {
  return digits?.length === 8 ? `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}` : digits
}

export function readOnce(layout: Layout, lines: readonly PlacedLine[]): Reading {
  return new LayoutReading(layout, lines).read()
}

function fold(field: PrintField, value: string): string {
  return field === 'last_name' || field === 'first_name' ? foldName(value) : value
}

/** Whether the dates can be those of one document. A misread digit seldom leaves them so. */
function areDatesPossible(
  { date_of_birth: birth, issue_date: issue, expiry_date: expiry }: FieldTexts,
  layout: Layout,
): boolean {
  const { from_age, valid_years } = layout
  // Of a birth without its century nothing is known.
  const isWhole = birth?.length !== 6
  if (isWhole && birth !== null && issue !== null && addYears(birth, from_age) > issue) return false
  if (issue !== null && expiry !== null && (issue >= expiry || expiry > addYears(issue, valid_years))) return false
  return !isWhole || birth === null || expiry === null || birth < expiry
}

/** What a document of this layout does not say, or says that it has not. */
function listUnprinted(
  { fields }: Layout,
  texts: FieldTexts,
  readings: readonly Reading[],
): PrintReading['not_printed'] {
  const isNever = readings.some(({ never: days }) => days.includes('expiry_date'))
  return [
    ...(fields.full_name !== undefined && texts.last_name !== null ? (['first_name'] as const) : []),
    ...(fields.date_of_birth === undefined ? (['date_of_birth'] as const) : []),
    ...(fields.expiry_date === undefined || isNever ? (['expiry_date'] as const) : []),
  ].filter(field => texts[field] === null)
}

/** The texts of a reading, and how sure each is. */
interface SureTexts {
  readonly texts: FieldTexts
  readonly sure: Readonly<Record<PrintField, number>>
}

const namesOf = ['last_name', 'first_name'] as const

/** A field's own sureness; that of a name which was parted is the whole one's. */
function listSureness(lines: ReadonlyMap<PlacedField, readonly PlacedLine[]>): SureTexts['sure'] {
  const of = (field: PlacedField): number => measureSureness(lines.get(field) ?? [])
  const names = Object.fromEntries(namesOf.map(field => [field, Math.min(of(field), of('full_name'))]))
  return { ...Object.fromEntries(printFields.map(field => [field, of(field)])), ...names } as SureTexts['sure']
}

function listOwn({ texts, found }: Reading): SureTexts {
  return { texts, sure: listSureness(new Map([...found].map(([field, { lines }]) => [field, lines]))) }
}

/** What another reading has where this one found a field. */
function readElsewhere(layout: Layout, { found }: Reading, other: Reading): SureTexts {
  const texts = { ...noTexts }
  const at = new Map([...found].map(([field, { lines }]) => [field, findAt(lines, other.lines)]))
  for (const [field, { read }] of found) {
    const value = read((at.get(field) ?? []).map(({ text }) => text).join(' '))
    if (field !== 'full_name') texts[field] = value === never ? null : value
    else if (value !== null && layout.fields.full_name !== undefined)
      Object.assign(texts, partName(value, layout.fields.full_name))
  }
  const { document_number: number } = layout.fields
  const inside =
    texts.document_number === null || number === undefined ? null : readBirthInside(texts.document_number, number)
  if (layout.fields.date_of_birth === undefined) texts.date_of_birth = toDay(inside)
  return { texts, sure: listSureness(at) }
}

/** From which sureness on a field counts as read: a letter of a number is mistaken for another most easily. Tuned. */
const minSure = { field: 0.4, number: 0.8 } as const

/** Whether nothing in a number may be another sign, and the birth inside it is the one that is printed. */
function isNumberSure(layout: Layout, { document_number: number, date_of_birth: birth }: FieldTexts): boolean {
  const { document_number: place } = layout.fields
  if (number === null || place === undefined) return false
  const inside = readBirthInside(number, place)
  const agrees = inside === null || birth === null || birth.replaceAll('-', '').endsWith(inside)
  return agrees && (fitNumber(number, place, layout.isChecked)?.isSure ?? false)
}

/**
 * What two readings of one document say alike. Each is asked what it has where the other found a field: a label that one of
 * them misses does not matter then. Nothing counts of which any of these says something else.
 */
export function mergeReadings(layout: Layout, first: Reading, second: Reading): PrintReading {
  const [one, other] = [listOwn(first), listOwn(second)]
  const [oneElsewhere, otherElsewhere] = [readElsewhere(layout, first, second), readElsewhere(layout, second, first)]
  const values = { ...noTexts }
  const alike: PrintField[] = []
  for (const field of printFields) {
    const saying = [one, other, oneElsewhere, otherElsewhere].filter(({ texts }) => texts[field] !== null)
    values[field] = saying[0]?.texts[field] ?? null
    const isLettered = field === 'document_number' && /[A-Z]/.test(values[field] ?? '')
    const least = isLettered ? minSure.number : minSure.field
    const isIn = (readings: readonly SureTexts[]): boolean =>
      readings.some(reading => saying.includes(reading) && reading.sure[field] >= least)
    // Each of the two has it by itself, or where the other one found it.
    const isTwice = isIn([one, otherElsewhere]) && isIn([other, oneElsewhere])
    if (isTwice && new Set(saying.map(({ texts }) => fold(field, texts[field] ?? ''))).size === 1) alike.push(field)
  }
  const isDated = areDatesPossible(values, layout)
  const isSure = (field: PrintField): boolean => {
    if (field === 'document_number') return isNumberSure(layout, values)
    return isDated || !field.includes('date')
  }
  return {
    layout: layout.name,
    document_type: layout.document_type,
    issuing_country: layout.country,
    ...values,
    not_printed: listUnprinted(layout, values, [first, second]),
    confirmed: alike.filter(isSure),
  }
}
