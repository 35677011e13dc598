import type { MrzFormat } from '../findings.ts'

/** Columns of one row, from `from` up to and without `to`. */
export interface Span {
  readonly row: number
  readonly from: number
  readonly to: number
}

/** The spans that a check digit covers, and its position. */
export interface CheckGroup {
  readonly name: string
  readonly covers: readonly Span[]
  readonly at: Span
}

/** The fields of a zone. `names` holds both names, the other two one each. */
export type ZoneField =
  | 'document_code'
  | 'issuing_state'
  | 'names'
  | 'last_name'
  | 'first_name'
  | 'document_number'
  | 'nationality'
  | 'date_of_birth'
  | 'sex'
  | 'expiry_date'
  | 'personal_number'

/** The positions of all fields in one format. `alphabets` has a letter for each cell: see `positionAlphabets`. */
export interface ZoneLayout {
  readonly rows: number
  readonly columns: number
  readonly alphabets: readonly string[]
  /** Possible beginnings of its first line, which distinguish formats of one size. */
  readonly openings: readonly string[]
  readonly fields: Readonly<Partial<Record<ZoneField, Span>>>
  readonly checks: readonly CheckGroup[]
  /** A filler for a check digit says that the document number runs on into the optional data (ICAO 9303 part 5, 4.2.2). */
  readonly hasLongNumber: boolean
}

/** ICAO 9303 part 3, 4.3: `A` letters and filler, `K` the first of a kind of document (parts 4 to 7), `L` any other that states print there, `N` digits and filler, `D` digits, `C` the second sign of a card's code, which the United States print as a digit (C1, C2, A3), `F` the number of a French department (2A and 2B are Corsica's), `R` letters and digits for Cyrillic letters, `S` the sex, `H` the sex on a Mexican voter card, `X` all. */
export const positionAlphabets: Readonly<Record<string, string>> = {
  A: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ<',
  K: 'ACIPV',
  L: 'BDEFGHJKLMNOQRSTUWXYZ',
  C: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ<123479',
  N: '0123456789<',
  D: '0123456789',
  F: '0123456789AB<',
  R: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ2346789<',
  S: 'FMX<',
  H: 'HMX<',
  X: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<',
}

function span(row: number, from: number, to: number): Span {
  return { row, from, to }
}

/** The check digits of a second line like a passport's. Visas have no further ones (ICAO 9303 part 7, 4.2.2). */
const bookletChecks: readonly CheckGroup[] = [
  { name: 'document_number', covers: [span(1, 0, 9)], at: span(1, 9, 10) },
  { name: 'date_of_birth', covers: [span(1, 13, 19)], at: span(1, 19, 20) },
  { name: 'expiry_date', covers: [span(1, 21, 27)], at: span(1, 27, 28) },
]

const bookletFields = {
  document_code: span(0, 0, 2),
  issuing_state: span(0, 2, 5),
  document_number: span(1, 0, 9),
  nationality: span(1, 10, 13),
  date_of_birth: span(1, 13, 19),
  sex: span(1, 20, 21),
  expiry_date: span(1, 21, 27),
} as const

const td3: ZoneLayout = {
  rows: 2,
  columns: 44,
  alphabets: [`K${'A'.repeat(43)}`, `${'X'.repeat(9)}DAAANNNNNNNSNNNNNNN${'X'.repeat(14)}ND`],
  openings: ['P'],
  fields: { ...bookletFields, names: span(0, 5, 44), personal_number: span(1, 28, 42) },
  checks: [
    ...bookletChecks,
    { name: 'personal_number', covers: [span(1, 28, 42)], at: span(1, 42, 43) },
    { name: 'composite', covers: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 43)], at: span(1, 43, 44) },
  ],
  hasLongNumber: false,
}

const td2: ZoneLayout = {
  rows: 2,
  columns: 36,
  alphabets: [`K${'A'.repeat(35)}`, `${'X'.repeat(9)}NAAANNNNNNNSNNNNNNN${'X'.repeat(7)}D`],
  openings: ['A', 'C', 'I'],
  fields: { ...bookletFields, names: span(0, 5, 36), personal_number: span(1, 28, 35) },
  checks: [
    ...bookletChecks,
    { name: 'composite', covers: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 35)], at: span(1, 35, 36) },
  ],
  hasLongNumber: true,
}

const td1: ZoneLayout = {
  rows: 3,
  columns: 30,
  alphabets: [`KCAAA${'X'.repeat(9)}N${'X'.repeat(15)}`, `NNNNNNNSNNNNNNNAAA${'X'.repeat(11)}D`, 'A'.repeat(30)],
  openings: ['A', 'C', 'I'],
  fields: {
    document_code: span(0, 0, 2),
    issuing_state: span(0, 2, 5),
    names: span(2, 0, 30),
    document_number: span(0, 5, 14),
    nationality: span(1, 15, 18),
    date_of_birth: span(1, 0, 6),
    sex: span(1, 7, 8),
    expiry_date: span(1, 8, 14),
    personal_number: span(0, 15, 30),
  },
  checks: [
    { name: 'document_number', covers: [span(0, 5, 14)], at: span(0, 14, 15) },
    { name: 'date_of_birth', covers: [span(1, 0, 6)], at: span(1, 6, 7) },
    { name: 'expiry_date', covers: [span(1, 8, 14)], at: span(1, 14, 15) },
    {
      name: 'composite',
      covers: [span(0, 5, 30), span(1, 0, 7), span(1, 8, 15), span(1, 18, 29)],
      at: span(1, 29, 30),
    },
  ],
  hasLongNumber: true,
}

/** ICAO 9303 part 7: a visa as large as a passport's page (`MRVA`), or smaller (`MRVB`). Its optional data has no check digit. */
function visa(columns: number): ZoneLayout {
  return {
    rows: 2,
    columns,
    alphabets: [`K${'A'.repeat(columns - 1)}`, `${'X'.repeat(9)}DAAANNNNNNNSNNNNNNN${'X'.repeat(columns - 28)}`],
    openings: ['V'],
    fields: { ...bookletFields, names: span(0, 5, columns), personal_number: span(1, 28, columns) },
    checks: bookletChecks,
    hasLongNumber: false,
  }
}

/**
 * The French identity card issued until 2021: surname, department and issuing office above; below year, month and
 * department of issue with a running number, given names, birth and sex. It prints no expiry date; its last digit covers
 * both lines.
 */
const french: ZoneLayout = {
  rows: 2,
  columns: 36,
  alphabets: [`K${'A'.repeat(29)}FFFNNN`, `DDDDFFFDDDDDD${'A'.repeat(14)}NNNNNNDSD`],
  openings: ['IDFRA'],
  fields: {
    document_code: span(0, 0, 2),
    issuing_state: span(0, 2, 5),
    last_name: span(0, 5, 30),
    document_number: span(1, 0, 12),
    first_name: span(1, 13, 27),
    date_of_birth: span(1, 27, 33),
    sex: span(1, 34, 35),
  },
  checks: [
    { name: 'document_number', covers: [span(1, 0, 12)], at: span(1, 12, 13) },
    { name: 'date_of_birth', covers: [span(1, 27, 33)], at: span(1, 33, 34) },
    { name: 'composite', covers: [span(0, 0, 36), span(1, 0, 35)], at: span(1, 35, 36) },
  ],
  hasLongNumber: false,
}

/**
 * Zones that have a format's layout but other characters: Russia's internal passport, whose names have digits, and
 * Mexico's voter card.
 */
type VariantName = 'RUSSIAN' | 'MEXICAN'

/** A format whose code begins with none of ICAO's letters: Georgia prints `TR`, Germany `ME`. */
type OtherCodeName = 'OTHER_TD1' | 'OTHER_TD2' | 'OTHER_TD3'

export type LayoutName = MrzFormat | VariantName | OtherCodeName

function withOtherCode(layout: ZoneLayout): ZoneLayout {
  const [first = '', ...others] = layout.alphabets
  return { ...layout, alphabets: [`L${first.slice(1)}`, ...others], openings: [...(positionAlphabets.L ?? '')] }
}

/** Every layout by its name (ICAO 9303 parts 4 to 7, the old French card, and the variants). */
export const zoneLayouts: Readonly<Record<LayoutName, ZoneLayout>> = {
  TD1: td1,
  TD2: td2,
  TD3: td3,
  MRVA: visa(44),
  MRVB: visa(36),
  FRENCH_ID: french,
  OTHER_TD1: withOtherCode(td1),
  OTHER_TD2: withOtherCode(td2),
  OTHER_TD3: withOtherCode(td3),
  RUSSIAN: { ...td3, alphabets: [`KAAAA${'R'.repeat(39)}`, td3.alphabets[1] ?? ''], openings: ['PNRUS'] },
  MEXICAN: {
    ...td1,
    alphabets: td1.alphabets.map((row, at) => (at === 1 ? row.replace('S', 'H') : row)),
    openings: ['IDMEX'],
  },
}

const variants: Readonly<Partial<Record<MrzFormat, VariantName>>> = { TD1: 'MEXICAN', TD3: 'RUSSIAN' }

/** The formats in which states print codes of their own. */
export const otherCodes: Readonly<Partial<Record<MrzFormat, OtherCodeName>>> = {
  TD1: 'OTHER_TD1',
  TD2: 'OTHER_TD2',
  TD3: 'OTHER_TD3',
}

/** Returns the variant of a zone, found by its beginning; null for a zone of the format itself. */
export function findVariant(format: MrzFormat, lines: readonly string[]): VariantName | null {
  const name = variants[format]
  if (name === undefined) return null
  return zoneLayouts[name].openings.some(opening => lines[0]?.startsWith(opening)) ? name : null
}

/** The text of a span; empty for a field that the format does not have. */
export function textAt(lines: readonly string[], at: Span | undefined): string {
  return at === undefined ? '' : (lines[at.row] ?? '').slice(at.from, at.to)
}

/** Puts a text into its place, in place. */
export function writeAt(lines: string[], { row, from }: Pick<Span, 'row' | 'from'>, text: string): void {
  const line = lines[row] ?? ''
  lines[row] = line.slice(0, from) + text + line.slice(from + text.length)
}
