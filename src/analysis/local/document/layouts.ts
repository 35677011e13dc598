/** The formats that we read (ICAO 9303 parts 4, 5 and 6). */
export type ReadFormat = 'TD1' | 'TD2' | 'TD3'

/** Columns of one row, from `from` up to and without `to`. */
export interface Span {
  readonly row: number
  readonly from: number
  readonly to: number
}

/** What a check digit covers and where it stands. */
export interface CheckGroup {
  readonly name: string
  readonly covers: readonly Span[]
  readonly at: Span
}

/** Where everything stands in one format. `alphabets` has a letter a cell: see `positionAlphabets`. */
export interface ZoneLayout {
  readonly rows: number
  readonly columns: number
  readonly alphabets: readonly string[]
  readonly fields: Readonly<
    Record<
      | 'document_code'
      | 'issuing_state'
      | 'names'
      | 'document_number'
      | 'nationality'
      | 'birth'
      | 'sex'
      | 'expiry'
      | 'optional',
      Span
    >
  >
  readonly checks: readonly CheckGroup[]
}

/** ICAO 9303 part 3, 4.3: `A` letters and filler, `K` the first of a kind of document (parts 4 to 7), `N` digits and filler, `D` digits, `S` the sex, `X` all. */
export const positionAlphabets: Readonly<Record<string, string>> = {
  A: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ<',
  K: 'ACIPV',
  N: '0123456789<',
  D: '0123456789',
  S: 'FM<',
  X: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<',
}

const span = (row: number, from: number, to: number): Span => ({ row, from, to })

const td3: ZoneLayout = {
  rows: 2,
  columns: 44,
  alphabets: [`K${'A'.repeat(43)}`, `${'X'.repeat(9)}DAAANNNNNNDSNNNNNND${'X'.repeat(14)}ND`],
  fields: {
    document_code: span(0, 0, 2),
    issuing_state: span(0, 2, 5),
    names: span(0, 5, 44),
    document_number: span(1, 0, 9),
    nationality: span(1, 10, 13),
    birth: span(1, 13, 19),
    sex: span(1, 20, 21),
    expiry: span(1, 21, 27),
    optional: span(1, 28, 42),
  },
  checks: [
    { name: 'document_number', covers: [span(1, 0, 9)], at: span(1, 9, 10) },
    { name: 'date_of_birth', covers: [span(1, 13, 19)], at: span(1, 19, 20) },
    { name: 'expiry_date', covers: [span(1, 21, 27)], at: span(1, 27, 28) },
    { name: 'personal_number', covers: [span(1, 28, 42)], at: span(1, 42, 43) },
    { name: 'composite', covers: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 43)], at: span(1, 43, 44) },
  ],
}

const td2: ZoneLayout = {
  rows: 2,
  columns: 36,
  alphabets: [`K${'A'.repeat(35)}`, `${'X'.repeat(9)}NAAANNNNNNDSNNNNNND${'X'.repeat(7)}D`],
  fields: { ...td3.fields, names: span(0, 5, 36), optional: span(1, 28, 35) },
  checks: [
    ...td3.checks.slice(0, 3),
    { name: 'composite', covers: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 35)], at: span(1, 35, 36) },
  ],
}

const td1: ZoneLayout = {
  rows: 3,
  columns: 30,
  alphabets: [`KAAAA${'X'.repeat(9)}N${'X'.repeat(15)}`, `NNNNNNDSNNNNNNDAAA${'X'.repeat(11)}D`, 'A'.repeat(30)],
  fields: {
    document_code: span(0, 0, 2),
    issuing_state: span(0, 2, 5),
    names: span(2, 0, 30),
    document_number: span(0, 5, 14),
    nationality: span(1, 15, 18),
    birth: span(1, 0, 6),
    sex: span(1, 7, 8),
    expiry: span(1, 8, 14),
    optional: span(0, 15, 30),
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
}

/** Every layout by its format. */
export const zoneLayouts: Readonly<Record<ReadFormat, ZoneLayout>> = { TD1: td1, TD2: td2, TD3: td3 }

/** The text of a span. */
export const textAt = (lines: readonly string[], { row, from, to }: Span): string => (lines[row] ?? '').slice(from, to)
